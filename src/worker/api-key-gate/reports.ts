/** What isolates and gates send each other besides a request. RPC: a field that one side does not know is left alone. */
import type { LeaseReport } from "../rate-limit/lease.ts";

/**
 * `limited`: requests that an isolate has refused by itself. `lease`: one of its leases that has ended. A report with an id (or a
 * lease's) is counted once, however often it arrives.
 */
export type Report = {
  readonly limited: number;
  readonly lease?: LeaseReport | undefined;
  readonly id?: string | undefined;
};

/**
 * What an isolate says with a request. `perSecond`: its requests with the key, of late; 0 asks for no lease. `ended` and `report`: a
 * report's `lease` and `id`. `fromMemory`: the key's database does not answer, so the gate decides by the record that it has, if any.
 */
export type Wish = {
  readonly perSecond: number;
  readonly ended?: LeaseReport | undefined;
  readonly report?: string | undefined;
  readonly fromMemory?: boolean;
};
