/** What the operator changes in an account. The change and its event are one transaction; `setAccountStatus` is in account-status.ts. */
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { ACCOUNT_ENDED_NOW } from "../tokens/token-dates.ts";
import { FOUND, type FoundAccount } from "./found-accounts.ts";

type Values = Readonly<Record<string, string | number>> & { readonly accountId: string };

/** The event has an identifier of the account's database. `changes` and `condition` are SQL about the account as it was. */
const auditOperator = (event: string, values: Values, { changes = "NULL", condition = "TRUE" } = {}): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, created_at, changes)
     SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), id, '${event}', '', 'the operator', CAST(unixepoch('subsec') * 1000 AS INTEGER),
       ${changes} FROM accounts WHERE id = :accountId AND ${condition}`,
    values,
  );

/** Setting the present quota is no event. Null when there is no such account. */
export async function setQuota(
  session: Session,
  { accountId, maxBytes }: { readonly accountId: string; readonly maxBytes: number },
): Promise<FoundAccount | null> {
  const values = { accountId, maxBytes };
  const { updated } = await session.batch({
    audited: auditOperator("quota-changed", values, {
      changes: "json_object('before', json_object('maxBytes', max_bytes), 'after', json_object('maxBytes', :maxBytes))",
      condition: "max_bytes <> :maxBytes",
    }),
    updated: prepare<FoundAccount>(
      `UPDATE accounts SET max_bytes = :maxBytes WHERE id = :accountId RETURNING ${FOUND}`,
      values,
    ),
  });
  return updated[0] ?? null;
}

/** As the owner can do it (tokens/end-of-tokens.ts). False when there is no such account. */
export async function endTokensAsOperator(session: Session, accountId: string): Promise<boolean> {
  const { ended } = await session.batch({
    ended: prepare<{ id: string }>(
      `UPDATE accounts SET token_epoch = token_epoch + 1, tokens_ended_at = ${ACCOUNT_ENDED_NOW} WHERE id = :accountId RETURNING id`,
      { accountId },
    ),
    audited: auditOperator("tokens-ended", { accountId }),
  });
  return ended.length > 0;
}
