/** Deletes the proposals of deleted idea banks, with their votes and comments, in slices. */

/** Rows of each kind that one slice deletes: few enough that no statement blocks the database for long. */
const SLICE = 500;

const OF_DELETED = "(SELECT id FROM proposals WHERE idea_bank_id = ?1)";

/**
 * Deletes one slice of one deleted idea bank in one batch. Safe to repeat and to run twice at the same time. False when nothing is
 * left. A proposal is deleted after its votes, comments and duplicates, so that no statement cascades to many rows.
 */
export async function deleteLeftovers(database: D1Database): Promise<boolean> {
  const next = "(SELECT id FROM deleted_idea_banks ORDER BY deleted_at LIMIT 1)";
  const id = await database.prepare(`SELECT ${next} AS id`).first<string>("id");
  if (id === null) return false;
  await database.batch(
    [
      `DELETE FROM votes WHERE (proposal_id, panelist_id) IN (
         SELECT v.proposal_id, v.panelist_id FROM proposals p JOIN votes v ON v.proposal_id = p.id
         WHERE p.idea_bank_id = ?1 LIMIT ${SLICE})`,
      `DELETE FROM comments WHERE id IN (
         SELECT c.id FROM proposals p JOIN comments c ON c.proposal_id = p.id WHERE p.idea_bank_id = ?1 LIMIT ${SLICE})`,
      `DELETE FROM proposals WHERE id IN (
         SELECT p.id FROM proposals p WHERE p.idea_bank_id = ?1
           AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = p.id)
           AND NOT EXISTS (SELECT 1 FROM comments WHERE proposal_id = p.id)
           AND NOT EXISTS (SELECT 1 FROM proposals d WHERE d.duplicate_of = p.id) LIMIT ${SLICE})`,
      `DELETE FROM deleted_idea_banks WHERE id = ?1 AND NOT EXISTS ${OF_DELETED}`,
    ].map((sql) => database.prepare(sql).bind(id)),
  );
  return true;
}
