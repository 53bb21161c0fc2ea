/** Many rows of a proposal or a panelist, written by SQL, through the triggers. */
import { databaseOf } from "./databases.ts";

/** The numbers from `from` to `to`, as a table n(i). */
export const numbers = (from: number, to: number) =>
  `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;

type Bank = { readonly id: string; readonly accountId: string };

/** The panelist with this number in the account. */
export const voterId = ({ accountId }: Bank, number: number): string => `${accountId.slice(0, 8)}${number + 1000}`;
const VOTER = "substr(?1, 1, 8) || (i + 1000)";

/** Panelists with these numbers. */
export async function addVoters({ accountId }: Bank, from: number, to: number): Promise<void> {
  await databaseOf(accountId)
    .prepare(`${numbers(from, to)} INSERT INTO panelists (id, account_id, created_at) SELECT ${VOTER}, ?1, i FROM n`)
    .bind(accountId)
    .run();
}

/** The votes of these panelists for the proposal. */
export async function addVotes({ id, accountId }: Bank, proposalId: string, from: number, to: number): Promise<void> {
  await databaseOf(accountId)
    .prepare(`${numbers(from, to)} INSERT INTO votes SELECT ?3, ${VOTER}, ?1, ?2, i FROM n`)
    .bind(accountId, id, proposalId)
    .run();
}

/** Comments on the proposal, all by one panelist. */
export async function addComments(bank: Bank, proposalId: string, panelistId: string, count: number): Promise<void> {
  await databaseOf(bank.id)
    .prepare(
      `${numbers(1, count)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
       SELECT substr(?2, 1, 8) || (i + 1000), ?1, (SELECT idea_bank_id FROM proposals WHERE id = ?2), ?2, ?3, 'B', i FROM n`,
    )
    .bind(bank.accountId, proposalId, panelistId)
    .run();
}

/**
 * That counters are what the rows say, in the database of the account: votes, comments, counted votes, references. What is deleted
 * counts nothing any more.
 */
export async function findMiscounts({ accountId }: Bank): Promise<unknown[]> {
  const { results } = await databaseOf(accountId)
    .prepare(
      `SELECT id, votes, comments FROM proposals p WHERE EXISTS (SELECT 1 FROM idea_banks WHERE id = p.idea_bank_id)
         AND (votes <> (SELECT count(*) FROM votes WHERE proposal_id = p.id)
           OR comments <> (SELECT count(*) FROM comments WHERE proposal_id = p.id))
       UNION ALL SELECT id, counted_votes, 0 FROM accounts a
         WHERE counted_votes <> (SELECT coalesce(sum(votes / 16 * 16), 0) FROM proposals WHERE account_id = a.id)
       UNION ALL SELECT source_id, 0, 0 FROM merges
         WHERE target_id IN (SELECT id FROM proposals WHERE duplicate_of IS NOT NULL)`,
    )
    .all();
  return results;
}
