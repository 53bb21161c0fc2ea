/** The status of an account. */

import { foldAddress } from "../../model/member.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { HEARD_MS } from "../keys/api-key-rows.ts";
import { membersOf } from "../members/membership.ts";

/**
 * Sets the status, and lists the account's members, and its keys whose gates may admit requests at `now` (Unix milliseconds), in one round trip.
 * Keys that ended a moment ago are listed too, because their gates may not know it yet. `account` is the owner's e-mail address
 * or the account's id. `bookmark` is D1's position after it. Null when this database has no such account.
 */
export async function setAccountStatus(
  session: Session,
  { account, status, now }: { readonly account: string; readonly status: "active" | "suspended"; readonly now: number },
): Promise<{
  readonly accountId: string;
  readonly apiKeyIds: readonly string[];
  /** The members' addresses. */
  readonly members: readonly string[];
  readonly bookmark: D1SessionBookmark;
} | null> {
  const address = foldAddress(account);
  const [column, value] = address === undefined ? ["id", account] : ["owner_email", address];
  const own = `SELECT id FROM api_keys WHERE account_id = (SELECT id FROM accounts WHERE ${column} = :value)`;
  const { updated, apiKeys, members } = await session.batch({
    // The event has an identifier of the account's database. Setting the present status is no event.
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, created_at)
       SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), id, iif(:status = 'active', 'account-resumed', 'account-suspended'), '',
         'the operator', :now FROM accounts WHERE ${column} = :value AND status <> :status`,
      { value, status, now },
    ),
    updated: prepare<{ id: string }>(`UPDATE accounts SET status = :status WHERE ${column} = :value RETURNING id`, {
      value,
      status,
    }),
    // Each term is a range of an index, so that keys that ended before are not read.
    apiKeys: prepare<{ id: string }>(
      `${own} AND revoked_at IS NULL AND expires_at IS NULL
       UNION ALL ${own} AND revoked_at IS NULL AND expires_at > :endedAt
       UNION ALL ${own} AND revoked_at > :endedAt AND coalesce(expires_at, :endedAt + 1) > :endedAt`,
      { value, endedAt: now - HEARD_MS },
    ),
    members: prepare<{ email: string }>(
      `SELECT email FROM (${membersOf(`(SELECT id FROM accounts WHERE ${column} = :value)`)})`,
      { value },
    ),
  });
  const [row] = updated;
  if (row === undefined) return null;
  return {
    accountId: row.id,
    apiKeyIds: apiKeys.map(({ id }) => id),
    members: members.map(({ email }) => email),
    bookmark: session.bookmark ?? "",
  };
}
