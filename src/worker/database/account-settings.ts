/** What an owner sets of the account: the change and its audit event in one transaction. */
import type { Owner } from "../model/account.ts";
import type { AccountSettings } from "../model/api-key-settings.ts";
import { type AuditStamp, auditChange, HELD_UNTIL, MAY_CHANGE } from "./audit-events.ts";
import type { Held } from "./held-changes.ts";
import { prepare, rowsOf } from "./statement.ts";

/** What is so already is no change. */
export async function setAccountSettings(
  session: D1DatabaseSession,
  owner: Owner,
  accountId: string,
  { leakedKeys }: AccountSettings,
  stamp: AuditStamp,
): Promise<Held | undefined> {
  const values = { ...owner, ...stamp, accountId, marks: leakedKeys === "mark" };
  const before = leakedKeys === "mark" ? "end" : "mark";
  const results = await session.batch([
    prepare(
      session,
      `UPDATE accounts SET marks_leaked_keys = :marks WHERE id = :accountId AND marks_leaked_keys <> :marks AND ${MAY_CHANGE}`,
      values,
    ),
    auditChange(session, values, { before: { leakedKeys: before }, after: { leakedKeys } }),
    prepare(
      session,
      `SELECT ${HELD_UNTIL} AS held_until FROM accounts WHERE id = :accountId AND marks_leaked_keys <> :marks`,
      values,
    ),
  ]);
  const [held] = rowsOf<{ held_until: number | null }>(results[2]);
  return held && { heldUntil: held.held_until ?? stamp.now };
}
