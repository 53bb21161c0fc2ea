import type { History } from "../../history.ts";
import { append, type Call, callsOf, segmentAfter } from "./calls.ts";
import type { Facts } from "./key-requests.ts";

type Total = { readonly hour: string; readonly admitted: number; readonly limited: number };
export type Counted = { readonly start: string; readonly operation: string; readonly admitted: number };

/** What an owner was shown of a key. */
export type Shown = {
  readonly items: readonly Total[];
  readonly hours: readonly Counted[];
  readonly days: readonly Counted[];
  readonly lastUse: Facts | null;
  readonly lastRefusal: (Facts & { readonly reason: string }) | null;
  readonly previousLastUse: Facts | null;
};
export type Look = { readonly call: Call; readonly keyId: string; readonly shown: Shown };

/** An owner's looks at each key, in the order of sending. */
export function looksByKey(history: History): ReadonlyMap<string, readonly Look[]> {
  const looks = new Map<string, Look[]>();
  for (const call of callsOf(history)) {
    if (call.operation !== "getApiKeyUsage" || call.status !== 200) continue;
    const keyId = segmentAfter(call, "keys") ?? "";
    append(looks, keyId, { call, keyId, shown: call.answer?.body as Shown });
  }
  return looks;
}
