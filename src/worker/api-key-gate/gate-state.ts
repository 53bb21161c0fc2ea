/**
 * The stored state of a gate: one value under "gate/1". Loading validates each part by itself, and discards a part of another
 * format: then the record is read from D1 again, the window starts empty, or counts that D1 does not have are lost.
 *
 * If a format gives these names another meaning, store it under another key.
 */
import * as z from "zod/mini";
import type { ApiKeyRecord } from "../model/api-key.ts";
import { SCOPES } from "../model/scope.ts";
import { SEEN_REFUSALS } from "../model/seen.ts";
import { MAX_LIMIT, MAX_WINDOW_SECONDS } from "../rate-limit/sliding-window.ts";
import type { Dated } from "../store/kept.ts";
import type { UsageState } from "./usage-counts.ts";

export const STATE = "gate/1";

/**
 * `kept` is the key's record, null when D1 has no such key. `times` are the window's admissions (Unix milliseconds), oldest
 * first; those ahead of the clock belong to leases and the reserve (leased-window.ts).
 */
export type GateState = {
  readonly kept: Dated<ApiKeyRecord | null> | undefined;
  readonly times: Float64Array;
  readonly usage: UsageState;
};

const MAX_WINDOW_MS = MAX_WINDOW_SECONDS * 1000;
/** Zod accepts neither NaN nor Infinity as a number. */
const time = z.number().check(z.gte(0));
const count = z.int().check(z.gte(0));

const record: z.ZodMiniType<ApiKeyRecord> = z.object({
  accountId: z.string(),
  accountSuspended: z.boolean(),
  secretHash: z.string(),
  previous: z.nullable(z.object({ secretHash: z.string(), expiresAt: time })),
  scopes: z.array(z.enum(SCOPES)),
  rateLimit: z.object({
    limit: z.int().check(z.gte(1), z.lte(MAX_LIMIT)),
    windowMs: z.int().check(z.gte(1), z.lte(MAX_WINDOW_MS)),
  }),
  expiresAt: z.nullable(time),
  revokedAt: z.nullable(time),
  pausedAt: z.nullable(time),
  allowedAddresses: z.nullable(z.array(z.string())),
});

const areTimes = (times: Float64Array): boolean =>
  times.length <= MAX_LIMIT &&
  times.every((at, index) => at >= (times[index - 1] ?? 0) && at < Number.POSITIVE_INFINITY);

const kept = z.optional(z.object({ value: z.nullable(record), readAt: time }));
const times = z.instanceof(Float64Array).check(z.refine(areTimes));
const text = z.nullable(z.string());
const seen = { at: time, network: text, country: text, userAgent: text, operation: z.string() };
const operations = z.record(z.string(), count);
const usage = z.object({
  hours: z.array(z.object({ hour: count, admitted: count, limited: count, operations })),
  isPending: z.boolean(),
  triedAt: time,
  saveAt: z.optional(time),
  refusedAt: time,
  seen: z.object({
    used: z.optional(z.object(seen)),
    newest: z.optional(z.object({ at: time, secret: z.string() })),
    previous: z.optional(z.object({ ...seen, secret: z.string() })),
    refused: z.optional(z.object({ ...seen, reason: z.enum(SEEN_REFUSALS) })),
  }),
});

/** The usable parts, and the names of the discarded ones. `stored` is undefined when nothing was ever stored. */
export function readStoredState(stored: unknown): {
  readonly state: { readonly [Part in keyof GateState]?: GateState[Part] | undefined };
  readonly discarded: readonly string[];
} {
  if (stored === undefined) return { state: {}, discarded: [] };
  const found: Record<string, unknown> = typeof stored === "object" && stored !== null ? { ...stored } : {};
  const parts = {
    kept: kept.safeParse(found.kept),
    times: times.safeParse(found.times),
    usage: usage.safeParse(found.usage),
  };
  return {
    state: { kept: parts.kept.data, times: parts.times.data, usage: parts.usage.data },
    discarded: Object.entries(parts).flatMap(([name, { success }]) => (success ? [] : [name])),
  };
}
