/** The API key that acts in a transaction. Triggers record it with each change, and in the events of what it ends for good. */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";

/** This session, with each round trip recorded as an act of the key. */
export const actingAs = (
  session: Session,
  values: { readonly accountId: string; readonly apiKeyId: string },
): Session =>
  session.with({
    before: [
      prepare(
        "INSERT INTO acting_keys (account_id, api_key_id) VALUES (:accountId, :apiKeyId) ON CONFLICT DO UPDATE SET api_key_id = excluded.api_key_id",
        values,
      ),
    ],
    after: [prepare("DELETE FROM acting_keys WHERE account_id = :accountId", { accountId: values.accountId })],
  });
