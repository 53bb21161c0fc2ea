/** The number of a request's calls to stores, by kind. A batch of D1 is one call. */
export type StoreCalls = { d1: number; kv: number; gate: number };

export const noCalls = (): StoreCalls => ({ d1: 0, kv: 0, gate: 0 });
