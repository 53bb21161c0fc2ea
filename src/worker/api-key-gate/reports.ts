/** What isolates and gates send each other besides a request. */
import type { Operations, Seen, SeenRefusal } from "../model/seen.ts";
import type { LeaseReport } from "../rate-limit/lease.ts";

/**
 * What an isolate has seen of requests that it decided by itself: the last one that it admitted, the last one that it refused, and how
 * many it admitted, by operation.
 */
export type Sightings = {
  readonly used?: Seen | undefined;
  readonly refused?: SeenRefusal | undefined;
  readonly operations: Operations;
};

/**
 * `limited` and `admitted`: requests that an isolate has decided by itself, those that `sightings` are of. `lease`: one of its leases
 * that has ended. A report with an id (or a lease's) is counted once, however often it arrives. `secretHash`: of the key that they came
 * with, where the call does not say it.
 */
export type Report = {
  readonly limited: number;
  readonly admitted?: number | undefined;
  readonly lease?: LeaseReport | undefined;
  readonly id?: string | undefined;
  readonly sightings?: Sightings | undefined;
  readonly secretHash?: string | undefined;
};

/**
 * What an isolate says with a request. `perSecond`: its requests with the key, of late; 0 asks for no lease. `ended`, `report`,
 * `admitted` and `sightings`: a report's `lease`, `id`, `admitted` and `sightings`. `seen`: the request. `fromMemory`: the key's
 * database does not answer, so the gate decides by the record that it has, if any.
 */
export type Wish = {
  readonly perSecond: number;
  readonly ended?: LeaseReport | undefined;
  readonly report?: string | undefined;
  readonly admitted?: number | undefined;
  readonly fromMemory?: boolean;
  readonly seen?: Seen | undefined;
  readonly sightings?: Sightings | undefined;
};
