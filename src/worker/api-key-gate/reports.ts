/** What isolates and gates send each other besides a request. RPC: a field that one side does not know is left alone. */
import type { LeaseUse } from "../rate-limit/lease.ts";

/** `perSecond`: the isolate's requests with the key, of late; 0 asks for no lease. `ended`: the lease that it held. */
export type LeaseWish = { readonly perSecond: number; readonly ended?: LeaseUse | undefined };

/** `limited`: the requests that the isolate has refused by itself since it last said so. `lease`: what it has ended, or renews. */
export type Report = { readonly limited: number; readonly lease?: LeaseUse | undefined };
