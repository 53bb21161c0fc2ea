/** The boards that have a page of their own, which everybody may read. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

export type PublicPage = { readonly id: string; readonly name: string; readonly hiddenFromSearch: boolean };

/** Those that are open among the oldest pages of all accounts. `most` rows are read, on or closed, by the index `idea_banks_with_page`. */
export async function listPublicPages(session: Session, most: number): Promise<readonly PublicPage[]> {
  const rows = await session.all(
    prepare<{ id: string; name: string; hidden_from_search: number }>(
      `SELECT b.id, b.name, b.hidden_from_search
       FROM (SELECT * FROM idea_banks WHERE public_page = 1 ORDER BY created_at, id LIMIT :most) b
       JOIN accounts a ON a.id = b.account_id WHERE b.status = 'OPEN' AND a.status <> 'suspended' AND (b.internal = 0 OR b.changelog_enabled = 1)`,
      { most },
    ),
  );
  return rows.map(({ id, name, hidden_from_search }) => ({ id, name, hiddenFromSearch: hidden_from_search === 1 }));
}

/** The newest public ideas of an idea bank, for those who list them. `changedAt` is in Unix milliseconds. */
export async function listPublicIdeas(
  session: Session,
  ideaBankId: string,
  limit: number,
): Promise<readonly { readonly id: string; readonly changedAt: number }[]> {
  const rows = await session.all(
    prepare<{ id: string; last_activity_at: number }>(
      `SELECT p.id, p.last_activity_at FROM proposals p LEFT JOIN panelists w ON w.id = p.author_id
       WHERE p.idea_bank_id = :ideaBankId AND p.visibility = 'public' AND p.duplicate_of IS NULL AND w.deletes_content IS NOT 1
       ORDER BY p.created_at DESC, p.id DESC LIMIT :limit`,
      { ideaBankId, limit },
    ),
  );
  return rows.map(({ id, last_activity_at }) => ({ id, changedAt: last_activity_at }));
}
