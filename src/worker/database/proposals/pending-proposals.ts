/** The proposals that wait for approval, in all idea banks of an account; and how much waits there. */
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { COUNT_WAITING_COMMENTS } from "../comments/recent-comments.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { authorStays } from "./deletions.ts";
import { ofStatus, type QueuedIdea, type QueuedRow, type QueueStatus, shown, toIdea } from "./queue.ts";
import { hasTag } from "./tags.ts";

const WAITS = "visibility = 'pending' AND duplicate_of IS NULL";
/** A page looks at this many. It skips those of a deleted idea bank or person, whose rows still exist; the next page continues after them. */
const LOOKED_AT = 1_000;

/** Undefined for what is not filtered by. */
type WaitingFilter = {
  readonly ideaBankId: string | undefined;
  readonly status: QueueStatus | undefined;
  readonly tag: string | undefined;
};

/** A page of the ideas that wait, in every idea bank or in one, the longest waiting first. */
export async function listWaiting(
  session: Session,
  accountId: string,
  { ideaBankId, status, tag }: WaitingFilter,
  request: PageRequest,
): Promise<Page<QueuedIdea>> {
  const inOrder = (columns: string, limit: string) =>
    `SELECT ${columns} FROM proposals WHERE account_id = :accountId AND ${WAITS}
     AND (created_at, id) > (:afterKey, :afterId) ORDER BY created_at, id LIMIT ${limit}`;
  const ids = `SELECT p.id, p.created_at AS sort_key FROM (${inOrder("*", `${LOOKED_AT}`)}) p CROSS JOIN idea_banks b ON b.id = p.idea_bank_id
    WHERE ${authorStays("p.author_id")} AND p.idea_bank_id = coalesce(:ideaBankId, p.idea_bank_id)
    ${ofStatus(status)} ${tag === undefined ? "" : `AND ${hasTag("p")}`}
    ORDER BY p.created_at, p.id LIMIT :rows`;
  const values = { accountId, ideaBankId, tag, ...pageValues(request, "ascending") };
  const { listed, lastLookedAt } = await session.batch({
    listed: prepare<QueuedRow>(shown(ids, "ASC"), values),
    lastLookedAt: prepare<Pick<QueuedRow, "id" | "created_at">>(
      inOrder("created_at, id", `1 OFFSET ${LOOKED_AT - 1}`),
      values,
    ),
  });
  const [last] = lastLookedAt;
  const { items, next } = toPage(listed, { request, toItem: toIdea, keyOf: byCreation });
  return { items, next: next ?? (last && { key: last.created_at, id: last.id }) };
}

/** How many ideas `listWaiting` lists, counted up to `most`. */
export async function countListed(
  session: Session,
  accountId: string,
  { ideaBankId, status, tag }: WaitingFilter,
  most: number,
): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM proposals p CROSS JOIN idea_banks b ON b.id = p.idea_bank_id
    WHERE p.account_id = :accountId AND p.${WAITS} AND ${authorStays("p.author_id")} AND p.idea_bank_id = coalesce(:ideaBankId, p.idea_bank_id)
    ${ofStatus(status)} ${tag === undefined ? "" : `AND ${hasTag("p")}`} LIMIT ${most})`;
  return (await session.first(prepare<{ count: number }>(sql, { accountId, ideaBankId, tag })))?.count ?? 0;
}

/** How many ideas and comments wait for approval. */
export type Waiting = Readonly<Record<"ideas" | "comments", number>>;

/** Counts each up to `most`. */
export const selectWaiting = (accountId: string, most: number) =>
  prepare<Waiting>(
    `SELECT (SELECT count(*) FROM (SELECT idea_bank_id, author_id FROM proposals WHERE account_id = :accountId AND ${WAITS}
         ORDER BY created_at, id LIMIT :most) p
       CROSS JOIN idea_banks b ON b.id = p.idea_bank_id WHERE ${authorStays("p.author_id")}) AS ideas,
       (${COUNT_WAITING_COMMENTS}) AS comments`,
    { accountId, most },
  );

/** Counts each up to `most`. */
export const countWaitingOf = async (session: Session, accountId: string, most: number): Promise<Waiting> =>
  (await session.first(selectWaiting(accountId, most))) ?? { ideas: 0, comments: 0 };
