/** The use of an owner's API key, read in one round trip. */
import type { ApiKey } from "../../model/account-key.ts";
import type { ApiKeyUsage, OperationCount } from "../../model/api-key-usage.ts";
import { countAdmitted, type Operations, type Seen, type SeenWithPrevious } from "../../model/seen.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { COLUMNS, type KeyRow, OWN_KEY, toApiKey, toHourlyCount, type UsageRow } from "./api-key-rows.ts";
import { type LastSeen, USAGE_KEPT_MS } from "./api-key-usage.ts";

type SeenKeyRow = KeyRow & { previous_secret_hash: string | null; seen: string | null };
type OperationsRow = UsageRow & { operations: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A key with its last 24 hours, and the recorded use of its last 30 days. Null when the owner has no such key. */
export async function loadApiKeyUse(
  session: Session,
  { email, id, now }: { readonly email: string; readonly id: string; readonly now: number },
): Promise<{ readonly apiKey: ApiKey; readonly usage: ApiKeyUsage } | null> {
  const { apiKeys, hours } = await session.batch({
    apiKeys: prepare<SeenKeyRow>(`SELECT ${COLUMNS}, previous_secret_hash, seen FROM api_keys WHERE ${OWN_KEY}`, {
      email,
      id,
    }),
    hours: prepare<OperationsRow>(
      `SELECT api_key_id, hour, admitted, limited, operations FROM api_key_usage
       WHERE api_key_id = (SELECT id FROM api_keys WHERE ${OWN_KEY}) AND hour > :now - ${30 * DAY_MS}
         AND admitted + limited > 0 ORDER BY hour`,
      { email, id, now },
    ),
  });
  const [row] = apiKeys;
  if (row === undefined) return null;
  const lastDay = hours.filter(({ hour }) => hour > now - DAY_MS);
  const apiKey = toApiKey(row, now, lastDay);
  const items = hours.map(toHourlyCount);
  const counts = { items, hours: byOperation(lastDay, HOUR_MS), days: byOperation(hours, DAY_MS) };
  return { apiKey, usage: { ...counts, ...toLastUse(row, apiKey, now) } };
}

/** The counts of each span of `spanMs` milliseconds, oldest first. */
function byOperation(rows: readonly OperationsRow[], spanMs: number): OperationCount[] {
  return [...Map.groupBy(rows, ({ hour }) => hour - (hour % spanMs))].flatMap(([start, ofSpan]) => {
    const sums = ofSpan.map(({ operations }): Operations => JSON.parse(operations)).reduce(countAdmitted, {});
    return Object.entries(sums)
      .toSorted()
      .map(([operation, admitted]) => ({ start: toTimestamp(start), operation, admitted }));
  });
}

function toLastUse(
  { seen, previous_secret_hash }: SeenKeyRow,
  { previous: inGrace }: ApiKey,
  now: number,
): Pick<ApiKeyUsage, "lastUse" | "lastRefusal" | "previousLastUse"> {
  const { used, previous, refused } = JSON.parse(seen ?? "{}") as LastSeen;
  const isKept = (request: Seen) => request.at >= now - USAGE_KEPT_MS;
  const isOfPrevious = ({ secret }: SeenWithPrevious) => inGrace !== null && previous_secret_hash?.startsWith(secret);
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
