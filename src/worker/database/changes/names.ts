/** The names of what changes are about, for messages: boards, people and surveys. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** By identifier. Somebody without a display name, and whatever was deleted, is not among them. */
export type Names = ReadonlyMap<string, string>;

const select = (table: string, column: string): string =>
  `SELECT id, ${column} AS name FROM ${table} WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId`;

/** One statement. */
export async function selectNames(session: Session, accountId: string, ids: readonly string[]): Promise<Names> {
  const rows = await session.all(
    prepare<{ id: string; name: string }>(
      `${select("idea_banks", "name")} UNION ALL ${select("surveys", "title")}
       UNION ALL ${select("panelists", "display_name")} AND deleted_at IS NULL AND display_name IS NOT NULL`,
      { accountId, ids: JSON.stringify(ids) },
    ),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
