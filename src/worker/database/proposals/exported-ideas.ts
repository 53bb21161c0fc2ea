/** What a file has of ideas besides what the queue shows of them. */
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import type { QueuedIdea } from "./queue.ts";

type Row = {
  id: string;
  description: string;
  response: string | null;
  responded_at: number | null;
  last_activity_at: number;
  external_id: string | null;
  author_external_id: string | null;
};

export type ExportedIdea = QueuedIdea & {
  readonly description: string;
  readonly response: string | null;
  readonly respondedAt: string | null;
  readonly lastActivityAt: string;
  readonly externalId: string | null;
  /** The tenant's own id of its author. */
  readonly authorExternalId: string | null;
};

/** The ideas with their whole texts, in their order. One that was deleted meanwhile is left out. Two rows are read for each. */
export async function loadExported(
  session: Session,
  accountId: string,
  ideas: readonly QueuedIdea[],
): Promise<readonly ExportedIdea[]> {
  if (ideas.length === 0) return [];
  const sql = `SELECT p.id, description, response, responded_at, last_activity_at, p.external_id, w.external_id AS author_external_id
    FROM json_each(:ids) CROSS JOIN proposals p ON p.id = value LEFT JOIN panelists w ON w.id = p.author_id AND w.deleted_at IS NULL
    WHERE p.account_id = :accountId`;
  const ids = JSON.stringify(ideas.map(({ id }) => id));
  const rows = await session.all(prepare<Row>(sql, { accountId, ids }));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ideas.flatMap((idea) => {
    const row = found.get(idea.id);
    return row === undefined ? [] : [toExported(idea, row)];
  });
}

const toExported = (idea: QueuedIdea, row: Row): ExportedIdea => ({
  ...idea,
  description: row.description,
  response: row.response,
  respondedAt: row.responded_at === null ? null : toTimestamp(row.responded_at),
  lastActivityAt: toTimestamp(row.last_activity_at),
  externalId: row.external_id,
  authorExternalId: row.author_external_id,
});
