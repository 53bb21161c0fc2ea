/** `npm run account -- end-tokens`: ends all tokens of an account, as its owner would in Account Settings. */
import { ENDED_NOW } from "../../worker/database/end-of-tokens.ts";
import { confirm } from "../command-line/confirm.ts";
import type { EveryDatabase, Row } from "./every-database.ts";
import { quote } from "./sql.ts";

/** The row and its event, in one transaction. The event has an identifier of the account's database. */
const endTokens = (accountId: string): string => {
  const id = quote(accountId);
  return `UPDATE accounts SET token_epoch = token_epoch + 1, tokens_ended_at = ${ENDED_NOW} WHERE id = ${id} RETURNING id;
    INSERT INTO audit_events (id, account_id, event, api_key_name, actor, created_at)
    SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), id, 'tokens-ended', '', 'the operator', CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM accounts WHERE id = ${id};`;
};

export async function endAllTokens(
  { context, query }: EveryDatabase,
  { binding, row, isAgreed }: { readonly binding: string; readonly row: Row; readonly isAgreed: boolean },
): Promise<void> {
  const [id, owner] = [String(row.id), String(row.owner_email)];
  await confirm(context, {
    isAgreed,
    what: `All tokens of the account ${id} of ${owner} end for good: panelists', visitors', and those that its servers have signed. API keys stay.`,
  });
  await query(binding, endTokens(id));
  context.print(
    `All tokens of the account ${id} of ${owner} have ended. Within 11 seconds they are refused everywhere. ` +
      "Pages need a new visitor's token, and servers that sign must read the signing secret again.",
  );
}
