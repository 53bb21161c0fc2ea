/** What is deleted together with somebody's texts, counted before it is asked. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { ACCESSIBLE_PROPOSAL } from "../proposals/proposals.ts";

/** A count stops here. */
export const COUNTED_AT_MOST = 1_000;
/** Of a person's ideas, the newest of each board are looked at. */
const LOOKED_AT = 500;
/** The ideas that others would miss most are named. */
const MISSED_AT_MOST = 10;

type CountRow = { ideas: number; comments: number; votes: number };
type MissedRow = {
  idea_bank_id: string;
  id: string;
  title: string;
  votes: number;
  comments: number;
  merged: number;
  all_missed: number;
};

/** An idea that others have a part in. `votes`: without the author's own. `merged`: ideas that were merged into it, counted up to 100. */
export type Missed = {
  readonly ideaBankId: string;
  readonly id: string;
  readonly title: string;
  readonly votes: number;
  readonly comments: number;
  readonly merged: number;
};

/** `missed`: at most 10 ideas, the most wanted first; `allMissed`: how many there are, of 500. Zeros for another account's person. */
export type Clearing = Readonly<CountRow> & { readonly missed: readonly Missed[]; readonly allMissed: number };

export async function countClearing(session: Session, accountId: string, panelistId: string): Promise<Clearing> {
  const counted = (rows: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${COUNTED_AT_MOST}))`;
  const values = { accountId, panelistId };
  const { counts, missed } = await session.batch({
    counts: prepare<CountRow>(
      `SELECT ${counted("proposals WHERE author_id = p.id")} AS ideas, ${counted("comments WHERE panelist_id = p.id")} AS comments,
         ${counted("votes WHERE panelist_id = p.id")} AS votes
       FROM panelists p WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL`,
      values,
    ),
    missed: prepare<MissedRow>(
      `SELECT *, count(*) OVER () AS all_missed FROM (
         SELECT idea_bank_id, id, title, comments,
           votes - EXISTS (SELECT 1 FROM votes v WHERE v.proposal_id = proposals.id AND v.panelist_id = :panelistId) AS votes,
           (SELECT count(*) FROM (SELECT 1 FROM proposals m WHERE m.duplicate_of = proposals.id LIMIT 100)) AS merged
         FROM (SELECT id AS found FROM proposals WHERE author_id = :panelistId ORDER BY idea_bank_id DESC, created_at DESC LIMIT ${LOOKED_AT})
         CROSS JOIN proposals ON proposals.id = found
         WHERE account_id = :accountId AND duplicate_of IS NULL AND ${ACCESSIBLE_PROPOSAL})
       WHERE votes > 0 OR comments > 0 OR merged > 0 ORDER BY votes DESC, comments DESC, id LIMIT ${MISSED_AT_MOST}`,
      values,
    ),
  });
  return {
    ...(counts[0] ?? { ideas: 0, comments: 0, votes: 0 }),
    missed: missed.map(({ idea_bank_id, all_missed: _, ...idea }) => ({ ...idea, ideaBankId: idea_bank_id })),
    allMissed: missed[0]?.all_missed ?? 0,
  };
}
