/** The proposals that a changelog shows. */
import type { ChangelogEntry } from "../model/changelog.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { STATE_COLUMNS, type StateRow, toIdeaBankState } from "./idea-bank-snapshots.ts";
import { rowsOf } from "./statement.ts";

const BEFORE_EVERY_VERSION = -1;

type EntryRow = { title: string; description: string; last_activity_at: number };

/**
 * An idea bank's implemented proposals (public and not merged), newest first by last activity, ties by id, at most its configured
 * maximum; none unless its changelog is newer than the version `known`. Reads exactly the entries, by the index `proposals_active`.
 */
export const selectEntries = (session: D1DatabaseSession, ideaBankId: string, known: number): D1PreparedStatement =>
  session
    .prepare(
      `SELECT title, description, last_activity_at FROM proposals
       WHERE idea_bank_id = ?1 AND status = 'implemented' AND listed = 1
       ORDER BY last_activity_at DESC, id DESC
       LIMIT coalesce((SELECT iif(changelog_version > ?2, changelog_max_entries, 0) FROM idea_banks WHERE id = ?1), 0)`,
    )
    .bind(ideaBankId, known);

export const toEntries = (rows: readonly unknown[]): ChangelogEntry[] =>
  (rows as readonly EntryRow[]).map((row) => ({
    title: row.title,
    description: row.description,
    lastActivityAt: row.last_activity_at,
  }));

/**
 * The entries, and the state of the idea bank at that moment: one round trip, one transaction, so that entries are never shown
 * under a version or a switch of another moment. Null when the idea bank does not exist.
 */
export async function loadChangelog(
  session: D1DatabaseSession,
  ideaBankId: string,
): Promise<{ ideaBank: IdeaBankState; entries: ChangelogEntry[] } | null> {
  const [states, entries] = await session.batch([
    session
      .prepare(`SELECT ${STATE_COLUMNS} FROM idea_banks b JOIN accounts a ON a.id = b.account_id WHERE b.id = ?1`)
      .bind(ideaBankId),
    selectEntries(session, ideaBankId, BEFORE_EVERY_VERSION),
  ]);
  const [state] = rowsOf<StateRow>(states);
  if (state === undefined || entries === undefined) return null;
  return { ideaBank: toIdeaBankState(state), entries: toEntries(entries.results) };
}
