/** The messages between isolates and gates, besides the request itself. */
import type { Operations, Seen, SeenRefusal } from "../model/seen.ts";
import type { LeaseReport } from "../rate-limit/lease.ts";

/**
 * The sightings of requests that an isolate decided by itself: the last one that it admitted, the last one that it refused, and how
 * many it admitted, by operation.
 */
export type Sightings = {
  readonly used?: Seen | undefined;
  readonly refused?: SeenRefusal | undefined;
  readonly operations: Operations;
};

/**
 * `limited` and `admitted`: requests that an isolate has decided by itself, those that `sightings` are of. `leases`: those of its leases
 * that have ended. A report is sent once: if its call fails, it is lost.
 */
export type Report = {
  readonly limited: number;
  readonly admitted: number;
  readonly leases: readonly LeaseReport[];
  readonly sightings: Sightings | undefined;
};

/** An isolate sends this with a request. `perSecond`: its requests with the key, of late; 0 asks for no lease. `seen`: the request. */
export type Ask = {
  readonly perSecond: number;
  readonly seen?: Seen | undefined;
  readonly report?: Report | undefined;
};
