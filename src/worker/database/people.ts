/** Finds panelists for an owner, and the proposals, comments and votes of one of them. */
import type { Panelist } from "../model/panelist.ts";
import type { ProposalStatus } from "../model/proposal.ts";
import { toTimestamp } from "../model/text.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { selectPanelists, toPanelists } from "./panelists.ts";
import { ACCESSIBLE_PROPOSAL } from "./proposals.ts";

const FOUND_AT_MOST = 50;

/** At most 50 panelists whose name, external id or identifier begins with the text. In names, the case of a to z does not matter. */
export async function findPanelists(session: Session, accountId: string, text: string): Promise<readonly Panelist[]> {
  const beginning = (column: string, collation = "") =>
    `SELECT id FROM (SELECT id FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL AND ${column} IS NOT NULL
       AND ${column} ${collation} >= :text AND ${column} ${collation} < :text || char(1114111)
     ORDER BY ${column} ${collation} LIMIT ${FOUND_AT_MOST})`;
  const ids = `${beginning("display_name", "COLLATE NOCASE")} UNION ${beginning("external_id")} UNION SELECT :text`;
  const select = selectPanelists(`SELECT id FROM (${ids}) LIMIT ${FOUND_AT_MOST}`);
  const rows = await session.all(prepare<Parameters<typeof toPanelists>[0][number]>(select, { accountId, text }));
  return toPanelists(rows);
}

type Row = {
  idea_bank_id: string;
  id: string;
  title: string;
  status: ProposalStatus;
  body: string | null;
  created_at: number;
};

/** Something that a panelist did on a proposal. `body` is the beginning of a comment. */
export type Contribution = {
  readonly ideaBankId: string;
  readonly proposalId: string;
  readonly title: string;
  readonly status: ProposalStatus;
  readonly body: string | null;
  readonly createdAt: string;
};

const toContribution = (row: Row): Contribution => ({
  ideaBankId: row.idea_bank_id,
  proposalId: row.id,
  title: row.title,
  status: row.status,
  body: row.body,
  createdAt: toTimestamp(row.created_at),
});

export const CONTRIBUTIONS_AT_MOST = 50;
/** Of each kind this many are looked at, because those on deleted rows are skipped. */
const LOOKED_AT = 500;

/**
 * At most 50 of each kind: the newest comments, and by idea bank the newest proposals and votes. Empty for another account's
 * panelist.
 */
export async function listContributions(session: Session, accountId: string, panelistId: string) {
  const on = (what: string, body: string) =>
    prepare<Row>(
      `SELECT proposals.idea_bank_id, proposals.id, title, status, ${body} AS body, done.at AS created_at
       FROM (${what} LIMIT ${LOOKED_AT}) done CROSS JOIN proposals ON proposals.id = done.proposal_id
       WHERE proposals.account_id = :accountId AND ${ACCESSIBLE_PROPOSAL} LIMIT ${CONTRIBUTIONS_AT_MOST}`,
      { accountId, panelistId },
    );
  const newest = "ORDER BY idea_bank_id DESC, created_at DESC";
  const rows = await session.batch({
    proposals: on(
      `SELECT id AS proposal_id, created_at AS at FROM proposals WHERE author_id = :panelistId ${newest}, id DESC`,
      "NULL",
    ),
    comments: on(
      "SELECT proposal_id, created_at AS at, body AS text FROM comments WHERE panelist_id = :panelistId ORDER BY rowid DESC",
      "substr(done.text, 1, 300)",
    ),
    votes: on(`SELECT proposal_id, created_at AS at FROM votes WHERE panelist_id = :panelistId ${newest}`, "NULL"),
  });
  return {
    proposals: rows.proposals.map(toContribution),
    comments: rows.comments.map(toContribution),
    votes: rows.votes.map(toContribution),
  };
}
