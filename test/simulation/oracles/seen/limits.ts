import type { History } from "../../history.ts";
import { callsOf, succeeded } from "./calls.ts";
import { rowsOf } from "./rows.ts";

export type Limit = { readonly limit: number; readonly windowMs: number };
type InForce = Limit & { readonly from: number; readonly until: number };

/** A gate reads its key's row again at least every minute, and uses a record of at most 5 minutes while D1 does not answer. */
const OLDEST_RECORD_MS = 300_000;

/** The limits that a key may have had, each from its commit to the answer (or the oldest record) of the next. */
const limitsOf = (history: History, keyId: string): readonly InForce[] => {
  const answers = new Map(callsOf(history).map((call) => [call.call, succeeded(call) ? call.answeredAt : undefined]));
  const rows = rowsOf(history);
  const versions = rows.versions("api_keys", keyId).filter((version) => version.row !== null);
  return versions.flatMap((version, index) => {
    const limit = version.row?.rate_limit;
    const seconds = version.row?.rate_window_seconds;
    if (typeof limit !== "number" || typeof seconds !== "number") return [];
    const next = versions[index + 1];
    const changed = next && (next.row?.rate_limit !== limit || next.row?.rate_window_seconds !== seconds);
    const by = next && rows.commits[next.moment]?.call;
    const end = next && ((by === undefined ? undefined : answers.get(by)) ?? next.at + OLDEST_RECORD_MS);
    return [
      { limit, windowMs: seconds * 1000, from: version.at, until: changed ? (end ?? next.at) : (next?.at ?? Infinity) },
    ];
  });
};

/** Of the limits that may have been in force at some time in [from, to], the most and the least. Undefined for an unknown key. */
export const limitsBetween = (
  history: History,
  keyId: string,
): ((from: number, to: number) => { most: Limit; least: Limit } | undefined) => {
  const all = limitsOf(history, keyId);
  return (from, to) => {
    const some = all.filter((one) => one.from <= to && from <= one.until);
    if (some.length === 0) return undefined;
    const limits = some.map((one) => one.limit);
    const windows = some.map((one) => one.windowMs);
    return {
      most: { limit: Math.max(...limits), windowMs: Math.min(...windows) },
      least: { limit: Math.min(...limits), windowMs: Math.max(...windows) },
    };
  };
};
