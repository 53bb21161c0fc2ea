/** The messages between isolates and gates, besides the request itself. */
import type { Operations, Seen, SeenRefusal } from "../model/seen.ts";
import type { LeaseReport } from "../rate-limit/lease.ts";

/**
 * The sightings of requests that an isolate decided by itself: the last admitted one, the last refused one, and the number of
 * admitted ones by operation.
 */
export type Sightings = {
  readonly used?: Seen | undefined;
  readonly refused?: SeenRefusal | undefined;
  readonly operations: Operations;
};

/**
 * `limited` and `admitted` count the requests that an isolate decided by itself; `sightings` describes them. `leases` are those
 * that have ended. A report is sent once: if its call fails, it is lost.
 */
export type Report = {
  readonly limited: number;
  readonly admitted: number;
  readonly leases: readonly LeaseReport[];
  readonly sightings: Sightings | undefined;
};

/**
 * An isolate sends this with a request. `perSecond` is its recent rate with the key; 0 asks for no lease. `seen` describes the
 * request.
 */
export type Ask = {
  readonly perSecond: number;
  readonly seen?: Seen | undefined;
  readonly report?: Report | undefined;
};
