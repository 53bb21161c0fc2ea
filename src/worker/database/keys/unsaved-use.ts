/**
 * A key's use as its owner sees it: what D1 has, and what the key's gate has counted since. Both are totals, so they are merged as
 * `saveApiKeyUsage` stores them, and nothing counts twice. Pure.
 */
import type { HourlyUsage, KeyTotals, LastSeen } from "./api-key-usage.ts";

/**
 * Asks the gates of these keys. A gate that does not answer is missing. Only gates of keys that were used may be asked, because a call
 * creates the gate, which then stays near the owner. D1 hears of the first use within a minute.
 */
export type AskGates = (apiKeyIds: readonly string[]) => Promise<ReadonlyMap<string, KeyTotals>>;

export type HourCounts = Pick<HourlyUsage, "hour" | "admitted" | "limited">;

/** The hours after `since` with requests, oldest first. Of an hour that both have, the higher totals. */
export function mergeHours<Hour extends HourCounts>(
  saved: readonly Hour[],
  unsaved: readonly Hour[] | undefined,
  since: number,
): readonly Hour[] {
  const merged = new Map(saved.map((each) => [each.hour, each]));
  for (const each of unsaved ?? []) {
    if (each.hour <= since || each.admitted + each.limited === 0) continue;
    const known = merged.get(each.hour) ?? each;
    const limited = Math.max(each.limited, known.limited);
    merged.set(each.hour, { ...(each.admitted >= known.admitted ? each : known), limited });
  }
  return [...merged.values()].toSorted((one, other) => one.hour - other.hour);
}

/** The columns of the last uses. */
type LastUses = {
  readonly last_used_at: number | null;
  readonly previous_secret_hash: string | null;
  readonly previous_last_used_at: number | null;
};

export function mergeLastUses<Row extends LastUses>(row: Row, unsaved: KeyTotals | undefined): Row {
  const { used, previous } = unsaved?.seen ?? {};
  const isOfPrevious = previous !== undefined && row.previous_secret_hash?.startsWith(previous.secret);
  return {
    ...row,
    last_used_at: laterOf(row.last_used_at, used?.at),
    previous_last_used_at: laterOf(row.previous_last_used_at, isOfPrevious ? previous.at : undefined),
  };
}

const laterOf = (saved: number | null, unsaved: number | undefined): number | null =>
  unsaved === undefined ? saved : Math.max(saved ?? 0, unsaved);

/** The last requests: of each kind the gate's, if it has one. */
export const mergeSeen = (saved: LastSeen, unsaved: LastSeen = {}): LastSeen => ({
  used: unsaved.used ?? saved.used,
  previous: unsaved.previous ?? saved.previous,
  refused: unsaved.refused ?? saved.refused,
});
