/** The account's settings by its owner. The change and its audit event are in one transaction. */
import type { Owner } from "../../model/account-key.ts";
import type { AccountSettings } from "../../model/api-key-settings.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditChange } from "../activity/audit-events.ts";
import { IS_MEMBER } from "../members/membership.ts";

/** Setting the present values again is not a change. Returns false when the person is no longer a member. */
export async function setAccountSettings(
  session: Session,
  {
    owner,
    accountId,
    settings: { leakedKeys },
    stamp,
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly settings: AccountSettings;
    readonly stamp: AuditStamp;
  },
): Promise<boolean> {
  const values = { ...owner, ...stamp, accountId, marks: leakedKeys === "mark" };
  const before = leakedKeys === "mark" ? "end" : "mark";
  const { settled } = await session.batch({
    updated: prepare(
      `UPDATE accounts SET marks_leaked_keys = :marks WHERE id = :accountId AND marks_leaked_keys <> :marks AND ${IS_MEMBER}`,
      values,
    ),
    audited: auditChange(values, { before: { leakedKeys: before }, after: { leakedKeys } }),
    settled: prepare("SELECT 1 FROM accounts WHERE id = :accountId AND marks_leaked_keys = :marks", values),
  });
  return settled.length > 0;
}
