/**
 * The order by the votes of the last days, counted from the votes when somebody looks: a vote, the most frequent write, writes nothing for it
 * (docs/decisions/recent-votes.md). A vote that a merge has moved keeps its time.
 */

/** By the name of the order, how many days. */
export const RECENT_DAYS = { "top-7": 7, "top-30": 30, "top-90": 90 } as const;
export type RecentSort = keyof typeof RECENT_DAYS;
export const RECENT_SORTS = ["top-7", "top-30", "top-90"] as const satisfies readonly RecentSort[];
export const isRecent = (sort: string | undefined): sort is RecentSort =>
  sort !== undefined && Object.hasOwn(RECENT_DAYS, sort);

/** Of the ideas with the most votes in all so many are looked at, and of these the first that have so many votes together. */
const IDEAS_AT_MOST = 2_000;
const VOTES_AT_MOST = 100_000;
/** Of an idea that was searched for. */
const VOTES_OF_FOUND = 5_000;

const since = (sort: RecentSort): string => `unixepoch() * 1000 - ${RECENT_DAYS[sort] * 86_400_000}`;

/**
 * SQL: of the ideas `top`, a SELECT of `id, sort_key` without an order, whose key is all their votes, those with a vote in these days: `id,
 * sort_key, bytes`, after a position. `condition` is about the idea `p`.
 */
export const selectRecent = (
  top: string,
  { sort, condition }: { readonly sort: RecentSort; readonly condition: string },
) =>
  `SELECT id, recent AS sort_key, 0 AS bytes FROM (
     SELECT t.id, (SELECT count(*) FROM votes v WHERE v.proposal_id = t.id AND v.created_at >= ${since(sort)}) AS recent
     FROM (SELECT id, sum(sort_key) OVER (ORDER BY sort_key DESC, id DESC ROWS UNBOUNDED PRECEDING) AS up_to
       FROM (${firstOf(top)})) t CROSS JOIN proposals p ON p.id = t.id
     WHERE t.up_to <= ${VOTES_AT_MOST} AND ${condition})
   WHERE recent > 0 AND (recent, id) < (:afterKey, :afterId)`;

const firstOf = (top: string, rows = IDEAS_AT_MOST): string =>
  `SELECT id, sort_key FROM (${top}) ORDER BY sort_key DESC, id DESC LIMIT ${rows}`;

/** SQL: 1 if `selectRecent` does not look at all of them. */
export const leavesUncounted = (top: string): string =>
  `SELECT count(*) > ${IDEAS_AT_MOST} OR coalesce(sum(sort_key), 0) > ${VOTES_AT_MOST} AS found FROM (${firstOf(top, IDEAS_AT_MOST + 1)})`;

/** SQL: the ideas of a SELECT of `id`, with their votes in these days as `sort_key`. */
export const withRecent = (found: string, sort: RecentSort): string =>
  `SELECT id, (SELECT count(*) FROM (SELECT created_at FROM votes WHERE proposal_id = f.id LIMIT ${VOTES_OF_FOUND})
     WHERE created_at >= ${since(sort)}) AS sort_key FROM (${found}) f`;
