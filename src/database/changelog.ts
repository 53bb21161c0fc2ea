/** The proposals that a changelog shows. */
import type { ChangelogEntry } from "../model/changelog.ts";

type EntryRow = { title: string; description: string; last_activity_at: number };

/**
 * An idea bank's implemented proposals (public and not merged), newest first by last activity, ties by id, at most its configured maximum,
 * and their changelog version: one round trip and one transaction, so that entries and version match.
 * Null when the idea bank does not exist. Reads only these rows, by the index `proposals_active`.
 */
export async function loadChangelog(
  session: D1DatabaseSession,
  ideaBankId: string,
): Promise<{ version: number; entries: ChangelogEntry[] } | null> {
  const [versions, entries] = await session.batch([
    session.prepare("SELECT changelog_version FROM idea_banks WHERE id = ?1").bind(ideaBankId),
    session
      .prepare(
        `SELECT title, description, last_activity_at FROM proposals
         WHERE idea_bank_id = ?1 AND status = 'implemented' AND listed = 1
         ORDER BY last_activity_at DESC, id DESC
         LIMIT coalesce((SELECT changelog_max_entries FROM idea_banks WHERE id = ?1), 0)`,
      )
      .bind(ideaBankId),
  ]);
  const version = (versions?.results[0] as { changelog_version: number } | undefined)?.changelog_version;
  if (version === undefined) return null;
  return {
    version,
    entries: ((entries?.results ?? []) as EntryRow[]).map((row) => ({
      title: row.title,
      description: row.description,
      lastActivityAt: row.last_activity_at,
    })),
  };
}
