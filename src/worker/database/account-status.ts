/** The status of an account. */
import { HEARD_MS } from "./api-key-rows.ts";

/**
 * Sets it, and lists the account's keys whose gates may admit requests at `now` (Unix milliseconds), in one round trip: also those
 * that ended a moment ago, since their gates may not have heard of it.
 * `account` is the owner's e-mail address or the account's id. `bookmark` is where D1 stood then. Null when there is none in this
 * database.
 */
export async function setAccountStatus(
  session: D1DatabaseSession,
  account: string,
  status: "active" | "suspended",
  now: number,
): Promise<{
  readonly accountId: string;
  readonly apiKeyIds: readonly string[];
  readonly bookmark: D1SessionBookmark;
} | null> {
  // Owners' addresses are stored in lower case; an identifier has no @.
  const [column, value] = account.includes("@") ? ["owner_email", account.toLowerCase()] : ["id", account];
  const own = `SELECT id FROM api_keys WHERE account_id = (SELECT id FROM accounts WHERE ${column} = ?1)`;
  const [updated, keys] = await session.batch<{ id: string }>([
    session.prepare(`UPDATE accounts SET status = ?2 WHERE ${column} = ?1 RETURNING id`).bind(value, status),
    // Each term is a range of an index, which leaves those that ended before out.
    session
      .prepare(
        `${own} AND revoked_at IS NULL AND expires_at IS NULL
         UNION ALL ${own} AND revoked_at IS NULL AND expires_at > ?2
         UNION ALL ${own} AND revoked_at > ?2 AND coalesce(expires_at, ?2 + 1) > ?2`,
      )
      .bind(value, now - HEARD_MS),
  ]);
  const [row] = updated?.results ?? [];
  if (row === undefined) return null;
  const apiKeyIds = (keys?.results ?? []).map(({ id }) => id);
  return { accountId: row.id, apiKeyIds, bookmark: session.getBookmark() ?? "" };
}
