/** What waits for approval in all idea banks of an owner's account. */
import type { Identifier } from "../credentials/id.ts";
import type { Owner } from "../model/account.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import { ACCOUNT_OF_OWNER, IS_MEMBER } from "./idempotency.ts";
import { accountOf, beginVisit, type Visit } from "./owners.ts";
import { byCreation, pageValues, toPage } from "./pagination.ts";
import { prepare, rowsOf } from "./statement.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  account_id: string;
  idea_bank_id: string;
  idea_bank_name: string;
  created_at: number;
  panelist_writes: number;
  is_cut: number;
};

/** `edits`: how often its author has written it. `isCut`: the description goes on. */
export type PendingProposal = Readonly<
  Record<"id" | "title" | "description" | "accountId" | "ideaBankId" | "ideaBankName" | "createdAt", string> & {
    edits: number;
    isCut: boolean;
  }
>;

const WAITS = "visibility = 'pending' AND duplicate_of IS NULL";
/** So many a page looks at: those in a deleted idea bank, which are not deleted yet, are skipped. */
const LOOKED_AT = 1_000;
/** A list shows how a description begins. */
const BEGINNING = 500;

const select = (description: string, waiting: string) =>
  `SELECT p.id, p.title, ${description} AS description, p.account_id, p.idea_bank_id, b.name AS idea_bank_name, p.created_at,
     p.panelist_writes, ${description} <> p.description AS is_cut
   FROM (SELECT * FROM proposals WHERE account_id = ${ACCOUNT_OF_OWNER} AND ${WAITS} AND ${waiting}) p
   CROSS JOIN idea_banks b ON b.id = p.idea_bank_id`;

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
});

/** Those that wait longest first. Nothing is found when the account is in another database. */
export async function listPendingProposals(
  session: D1DatabaseSession,
  visit: Visit,
  request: PageRequest,
): Promise<{ readonly accountId: Identifier; readonly page: Page<PendingProposal> }> {
  const next = `(created_at, id) > (:afterKey, :afterId) ORDER BY created_at, id LIMIT ${LOOKED_AT}`;
  const results = await session.batch([
    ...beginVisit(session, visit),
    prepare(session, `${select(`substr(p.description, 1, ${BEGINNING})`, next)} LIMIT :rows`, {
      email: visit.email,
      ...pageValues(request, "ascending"),
    }),
  ]);
  return {
    accountId: accountOf(results),
    page: toPage(rowsOf<Row>(results.at(-1)), request, toPending, byCreation),
  };
}

/** Null for what does not wait, and for another account's. */
export async function loadPendingProposal(
  session: D1DatabaseSession,
  { email, person }: Pick<Owner, "email" | "person">,
  id: string,
): Promise<PendingProposal | null> {
  const values = { email, person, id };
  const row = await prepare(session, select("p.description", `id = :id AND ${IS_MEMBER}`), values).first<Row>();
  return row && toPending(row);
}
