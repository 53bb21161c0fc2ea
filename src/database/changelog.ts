/** The proposals that a changelog shows. */
import type { ChangelogEntry } from "../model/changelog.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { STATE_COLUMNS, type StateRow, toIdeaBankState } from "./idea-bank-snapshots.ts";

type EntryRow = { title: string; description: string; last_activity_at: number };

/**
 * An idea bank's implemented proposals (public and not merged), newest first by last activity, ties by id, at most its configured
 * maximum, and the state of the idea bank at that moment: one round trip, one transaction, so that entries are never shown
 * under a version or a switch of another moment. Null when the idea bank does not exist. Reads exactly the entries, by the
 * index `proposals_active`.
 */
export async function loadChangelog(
  session: D1DatabaseSession,
  ideaBankId: string,
): Promise<{ ideaBank: IdeaBankState; entries: ChangelogEntry[] } | null> {
  const [states, entries] = await session.batch([
    session
      .prepare(`SELECT ${STATE_COLUMNS} FROM idea_banks b JOIN accounts a ON a.id = b.account_id WHERE b.id = ?1`)
      .bind(ideaBankId),
    session
      .prepare(
        `SELECT title, description, last_activity_at FROM proposals
         WHERE idea_bank_id = ?1 AND status = 'implemented' AND listed = 1
         ORDER BY last_activity_at DESC, id DESC
         LIMIT coalesce((SELECT changelog_max_entries FROM idea_banks WHERE id = ?1), 0)`,
      )
      .bind(ideaBankId),
  ]);
  const state = states?.results[0] as StateRow | undefined;
  if (state === undefined) return null;
  return {
    ideaBank: toIdeaBankState(state),
    entries: ((entries?.results ?? []) as EntryRow[]).map((row) => ({
      title: row.title,
      description: row.description,
      lastActivityAt: row.last_activity_at,
    })),
  };
}
