/** Who has changed something last. */
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** Of the newest events of the account, so many are looked at. */
const LOOKED_AT = 200;

/** `actor`: the member. `at`: ISO 8601. `after`: the settings as they became, as the activity has them. */
export type LastChange = {
  readonly actor: string;
  readonly at: string;
  readonly after: Readonly<Record<string, unknown>>;
};

/** SQL: the settings of the row's event before or after it: of several proposals at their place in the list. */
const sideOf = (side: "before" | "after", place: number): string => `iif(event = 'proposals-changed',
           (SELECT e.value -> ${place} FROM json_each(changes, '$.each') e WHERE e.value ->> 0 = :id),
           iif(:id IN (subject_id, api_key_id, webhook_id), changes -> '$.${side}', NULL)) AS ${side}`;

/** The newest change of one of these settings by a member. Undefined where no recent event has it. */
export async function findLastChange(
  session: Session,
  { accountId, id, names }: { readonly accountId: string; readonly id: string; readonly names: readonly string[] },
): Promise<LastChange | undefined> {
  const row = await session.first(
    prepare<{ actor: string; created_at: number; after: string }>(
      `SELECT actor, created_at, after FROM (
         SELECT actor, created_at, id, ${sideOf("before", 3)}, ${sideOf("after", 4)} FROM (SELECT * FROM audit_events WHERE account_id = :accountId ORDER BY created_at DESC, id DESC LIMIT ${LOOKED_AT})
         WHERE actor IS NOT NULL AND changes IS NOT NULL)
       WHERE EXISTS (SELECT 1 FROM json_each(:names) n JOIN json_each(after) a ON a.key = n.value AND a.value IS NOT before ->> ('$.' || n.value))
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      { accountId, id, names: JSON.stringify(names) },
    ),
  );
  return row === null ? undefined : { actor: row.actor, at: toTimestamp(row.created_at), after: JSON.parse(row.after) };
}
