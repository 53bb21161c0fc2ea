/** `npm run account -- quota`: sets how much an account may store. Its activity says so. */
import type { EveryDatabase, Row } from "./every-database.ts";
import { quote } from "./sql.ts";

/** The row with its new quota. Setting the present quota is no event. */
export async function setQuota(
  { query }: EveryDatabase,
  { binding, row, maxBytes }: { readonly binding: string; readonly row: Row; readonly maxBytes: number },
): Promise<Row> {
  const changes = { before: { maxBytes: Number(row.max_bytes) }, after: { maxBytes } };
  const id = quote(String(row.id));
  // In one transaction. The event has an identifier of the account's database.
  const event = `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, created_at, changes)
    SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), id, 'quota-changed', '', 'the operator',
      CAST(unixepoch('subsec') * 1000 AS INTEGER), ${quote(JSON.stringify(changes))}
    FROM accounts WHERE id = ${id}`;
  const isSame = changes.before.maxBytes === maxBytes;
  await query(binding, `UPDATE accounts SET max_bytes = ${maxBytes} WHERE id = ${id};${isSame ? "" : ` ${event};`}`);
  return { ...row, max_bytes: maxBytes };
}
