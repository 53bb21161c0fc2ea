/** The proposals that wait for approval, in all idea banks of an owner's account. */
import type { Identifier } from "../credentials/id.ts";
import type { Owner } from "../model/account.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { ACCOUNT_OF_OWNER, IS_MEMBER } from "./idempotency.ts";
import { accountOf, readAtVisit, type Visit } from "./owners.ts";
import { byCreation, pageValues, toPage } from "./pagination.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  account_id: string;
  idea_bank_id: string;
  idea_bank_name: string;
  author_id: string | null;
  author: string | null;
  created_at: number;
  panelist_writes: number;
  is_cut: number;
};

/** `edits` counts how often the author has written it. `isCut`: the description is longer. Somebody deleted is no author. */
export type PendingProposal = Readonly<
  Record<"id" | "title" | "description" | "accountId" | "ideaBankId" | "ideaBankName" | "createdAt", string> & {
    edits: number;
    isCut: boolean;
    author: { readonly id: string; readonly name: string | null } | null;
  }
>;

const WAITS = "visibility = 'pending' AND duplicate_of IS NULL";
/** A page looks at this many. It skips those in a deleted idea bank, whose rows still exist; the next page continues after them. */
const LOOKED_AT = 1_000;
/** A list shows this much of a description. */
const BEGINNING = 500;

const waiting = (columns: string, which: string) =>
  `SELECT ${columns} FROM proposals WHERE account_id = ${ACCOUNT_OF_OWNER} AND ${WAITS} AND ${which}`;

const select = (description: string, which: string) =>
  `SELECT p.id, p.title, ${description} AS description, p.account_id, p.idea_bank_id, b.name AS idea_bank_name, p.created_at,
     w.id AS author_id, coalesce(w.display_name, w.external_id) AS author, p.panelist_writes, ${description} <> p.description AS is_cut
   FROM (${waiting("*", which)}) p
   CROSS JOIN idea_banks b ON b.id = p.idea_bank_id LEFT JOIN panelists w ON w.id = p.author_id AND w.deleted_at IS NULL`;

const toPending = (row: Row): PendingProposal => ({
  id: row.id,
  title: row.title,
  description: row.description,
  accountId: row.account_id,
  ideaBankId: row.idea_bank_id,
  ideaBankName: row.idea_bank_name,
  createdAt: toTimestamp(row.created_at),
  edits: row.panelist_writes,
  isCut: row.is_cut === 1,
  author: row.author_id === null ? null : { id: row.author_id, name: row.author },
});

/** A page of pending proposals, the longest waiting first. */
export async function listPendingProposals(
  session: Session,
  visit: Visit,
  request: PageRequest,
): Promise<{ readonly accountId: Identifier; readonly page: Page<PendingProposal> }> {
  const inOrder = "(created_at, id) > (:afterKey, :afterId) ORDER BY created_at, id";
  const shown = select(`substr(p.description, 1, ${BEGINNING})`, `${inOrder} LIMIT ${LOOKED_AT}`);
  const lastLookedAt = waiting("created_at, id", `${inOrder} LIMIT 1 OFFSET ${LOOKED_AT - 1}`);
  const values = { email: visit.email, ...pageValues(request, "ascending") };
  const rows = await readAtVisit(session, visit, {
    listed: prepare<Row>(`${shown} LIMIT :rows`, values),
    lastLookedAt: prepare<Pick<Row, "id" | "created_at">>(lastLookedAt, values),
  });
  const [last] = rows.lastLookedAt;
  const { items, next } = toPage(rows.listed, { request, toItem: toPending, keyOf: byCreation });
  return {
    accountId: accountOf(rows),
    page: { items, next: next ?? (last && { key: last.created_at, id: last.id }) },
  };
}

/** Counts up to `most`. */
export async function countPendingProposals(session: Session, visit: Visit, most: number): Promise<number> {
  const rows = await readAtVisit(session, visit, {
    counted: prepare<{ count: number }>(
      `SELECT count(*) AS count FROM (${waiting("idea_bank_id", "TRUE ORDER BY created_at, id LIMIT :most")}) p
       CROSS JOIN idea_banks b ON b.id = p.idea_bank_id`,
      { email: visit.email, most },
    ),
  });
  accountOf(rows);
  return rows.counted[0]?.count ?? 0;
}

/** Null for a proposal that does not wait, or is another account's. */
export async function loadPendingProposal(
  session: Session,
  { email, person }: Pick<Owner, "email" | "person">,
  id: string,
): Promise<PendingProposal | null> {
  const values = { email, person, id };
  const row = await session.first(prepare<Row>(select("p.description", `id = :id AND ${IS_MEMBER}`), values));
  return row && toPending(row);
}
