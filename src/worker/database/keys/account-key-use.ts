/** The use of an owner's API key: one round trip, and the key's gate is asked for what D1 does not have yet. */
import type { ApiKey } from "../../model/account-key.ts";
import type { ApiKeyUsage, OperationCount } from "../../model/api-key-usage.ts";
import { countAdmitted, type Seen, type SeenWithPrevious } from "../../model/seen.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { COLUMNS, type KeyRow, OWN_KEY, toApiKey, toHourlyCount } from "./api-key-rows.ts";
import { type HourlyUsage, type LastSeen, USAGE_KEPT_MS } from "./api-key-usage.ts";
import { type AskGates, type HourCounts, mergeHours, mergeLastUses, mergeSeen } from "./unsaved-use.ts";

type SeenKeyRow = KeyRow & { seen: string | null };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A key with its last 24 hours, and the recorded use of its last 30 days. `isCurrent` is false when its gate did not answer. Null when the
 * owner has no such key.
 */
export async function loadApiKeyUse(
  session: Session,
  {
    email,
    id,
    now,
    askGates,
  }: { readonly email: string; readonly id: string; readonly now: number; readonly askGates: AskGates },
): Promise<{ readonly apiKey: ApiKey; readonly usage: ApiKeyUsage; readonly isCurrent: boolean } | null> {
  const since = now - 30 * DAY_MS;
  const rows = await session.batch({
    apiKeys: prepare<SeenKeyRow>(`SELECT ${COLUMNS}, seen FROM api_keys WHERE ${OWN_KEY}`, { email, id }),
    hours: prepare<HourCounts & { operations: string }>(
      `SELECT hour, admitted, limited, operations FROM api_key_usage
       WHERE api_key_id = (SELECT id FROM api_keys WHERE ${OWN_KEY}) AND hour > :since
         AND admitted + limited > 0 ORDER BY hour`,
      { email, id, since },
    ),
  });
  const [row] = rows.apiKeys;
  if (row === undefined) return null;
  const wasUsed = row.last_used_at !== null || row.seen !== null;
  const unsaved = wasUsed ? (await askGates([id])).get(id) : undefined;
  const saved = rows.hours.map((each): HourlyUsage => ({ ...each, operations: JSON.parse(each.operations) }));
  const hours = mergeHours(saved, unsaved?.hours, since);
  const lastDay = hours.filter(({ hour }) => hour > now - DAY_MS);
  const apiKey = toApiKey(mergeLastUses(row, unsaved), now, lastDay);
  const items = hours.map(toHourlyCount);
  const counts = { items, hours: byOperation(lastDay, HOUR_MS), days: byOperation(hours, DAY_MS) };
  const seen = mergeSeen(JSON.parse(row.seen ?? "{}"), unsaved?.seen);
  const isCurrent = !wasUsed || unsaved !== undefined;
  return { apiKey, usage: { ...counts, ...toLastUse(seen, { row, apiKey, now }) }, isCurrent };
}

/** The counts of each span of `spanMs` milliseconds, oldest first. */
function byOperation(rows: readonly HourlyUsage[], spanMs: number): OperationCount[] {
  return [...Map.groupBy(rows, ({ hour }) => hour - (hour % spanMs))].flatMap(([start, ofSpan]) => {
    const sums = ofSpan.map(({ operations }) => operations).reduce(countAdmitted, {});
    return Object.entries(sums)
      .toSorted()
      .map(([operation, admitted]) => ({ start: toTimestamp(start), operation, admitted }));
  });
}

function toLastUse(
  { used, previous, refused }: LastSeen,
  { row, apiKey, now }: { readonly row: SeenKeyRow; readonly apiKey: ApiKey; readonly now: number },
): Pick<ApiKeyUsage, "lastUse" | "lastRefusal" | "previousLastUse"> {
  const isKept = (request: Seen) => request.at >= now - USAGE_KEPT_MS;
  const isOfPrevious = ({ secret }: SeenWithPrevious) =>
    apiKey.previous !== null && row.previous_secret_hash?.startsWith(secret);
  return {
    lastUse: used && isKept(used) ? toRequest(used) : null,
    lastRefusal: refused && isKept(refused) ? { ...toRequest(refused), reason: refused.reason } : null,
    previousLastUse: previous && isOfPrevious(previous) ? toRequest(previous) : null,
  };
}

/** Members that are null are missing in the column, because a patch of JSON (RFC 7396) drops them. */
const toRequest = ({ at, network, country, userAgent, operation }: Seen) => ({
  at: toTimestamp(at),
  network: network ?? null,
  country: country ?? null,
  userAgent: userAgent ?? null,
  operation,
});
