/**
 * Deletes the contents of deleted idea banks, proposals, surveys and panelists, in slices. The request that deletes one makes it
 * inaccessible and deletes the first slice, which is mostly the only one. The scheduled job does the rest.
 *
 * Every statement finds its rows by an index that begins with the deleted row. Safe to repeat, and to run twice at the same time.
 */
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { type AccountReference, accountOf } from "../idempotency.ts";
import { AT_ONCE, BY_THE_JOB, type SlicePosition, startPosition } from "../slices.ts";
import { deleteOfAnonymous } from "../surveys/anonymous-leavers.ts";

/**
 * True unless everything that the panelist in the column `author` wrote was deleted, with the panelist or without. Its proposals and comments are hidden
 * by this, because they can be more than one request may change. A list checks it after its LIMIT (`stays` of `toPage`): so a page has
 * less than its limit meanwhile, and reads no more than that.
 */
export const authorStays = (author: string): string =>
  `NOT EXISTS (SELECT 1 FROM panelists e WHERE e.id = ${author} AND e.deletes_content = 1)`;

/** A slice looks at this many proposals. */
const PROPOSALS = 100;
/** Each has up to 164 terms, so fewer of them go at once. */
const AT_MOST_IDEAS = ":rows / 2";

/**
 * The first proposals in the idea bank. Merged ones come first, because a proposal is deleted after those that were merged into
 * it.
 */
const FIRST = `SELECT id FROM (SELECT id FROM proposals WHERE idea_bank_id = :id AND duplicate_of IS NOT NULL
  UNION ALL SELECT id FROM proposals WHERE idea_bank_id = :id AND duplicate_of IS NULL) LIMIT ${PROPOSALS}`;
/** The first proposals, except those whose merge is still moving votes, or earlier merged proposals, to its target. */
const STILL = `SELECT f.id FROM (${FIRST}) f WHERE NOT EXISTS (SELECT 1 FROM merges WHERE source_id = f.id)`;
const NONE_LEFT = `NOT EXISTS (SELECT 1 FROM proposals WHERE idea_bank_id = :id AND duplicate_of IS NULL)
  AND NOT EXISTS (SELECT 1 FROM proposals WHERE idea_bank_id = :id AND duplicate_of IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM surveys WHERE idea_bank_id = :id)
  AND NOT EXISTS (SELECT 1 FROM survey_responses WHERE survey_id = :id)
  AND NOT EXISTS (SELECT 1 FROM survey_texts WHERE survey_id = :id) AND NOT EXISTS (SELECT 1 FROM survey_former WHERE survey_id = :id)`;

/** The first rows of a deleted survey in one of its tables. */
const ofSurvey = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE survey_id = :id LIMIT :rows)`;

const OF_IDEA_BANK = [
  // The external id is cleared, because the tenant may have given it to another proposal since.
  `UPDATE proposals SET idea_bank_id = :id, external_id = NULL WHERE id IN (
     SELECT d.id FROM (${STILL}) f CROSS JOIN proposals d ON d.duplicate_of = f.id WHERE d.idea_bank_id <> :id LIMIT :rows)`,
  `DELETE FROM votes WHERE (proposal_id, panelist_id) IN (
     SELECT v.proposal_id, v.panelist_id FROM (${STILL}) f CROSS JOIN votes v ON v.proposal_id = f.id LIMIT :rows)`,
  `DELETE FROM comments WHERE id IN (
     SELECT c.id FROM (${FIRST}) f CROSS JOIN comments c ON c.proposal_id = f.id LIMIT :rows)`,
  `DELETE FROM proposal_steps WHERE (proposal_id, number) IN (
     SELECT s.proposal_id, s.number FROM (${FIRST}) f CROSS JOIN proposal_steps s ON s.proposal_id = f.id LIMIT :rows)`,
  `DELETE FROM notes WHERE id IN (SELECT n.id FROM (${FIRST}) f CROSS JOIN notes n ON n.proposal_id = f.id LIMIT :rows)`,
  `DELETE FROM proposals WHERE id IN (
     SELECT f.id FROM (${STILL}) f WHERE NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = f.id)
       AND NOT EXISTS (SELECT 1 FROM comments WHERE proposal_id = f.id)
       AND NOT EXISTS (SELECT 1 FROM notes WHERE proposal_id = f.id)
       AND NOT EXISTS (SELECT 1 FROM proposal_steps WHERE proposal_id = f.id)
       AND NOT EXISTS (SELECT 1 FROM merges WHERE target_id = f.id)
       AND NOT EXISTS (SELECT 1 FROM proposals WHERE duplicate_of = f.id) LIMIT ${AT_MOST_IDEAS})`,
  `DELETE FROM surveys WHERE id IN (SELECT id FROM surveys WHERE idea_bank_id = :id LIMIT :rows)`,
  ofSurvey("survey_responses", "survey_id, respondent"),
  ofSurvey("survey_texts", "survey_id, question_id, place, step"),
  ofSurvey("survey_former", "survey_id, step, id"),
  `DELETE FROM deleted_idea_banks WHERE id = :id AND ${NONE_LEFT}`,
];

/** The condition that the panelist `:id` of `:accountId` stays, and what it wrote is deleted. */
const IS_CLEARED = `EXISTS (SELECT 1 FROM panelists WHERE id = :id AND account_id = :accountId AND deleted_at IS NULL
  AND deletes_content = 1)`;

/** The condition that the panelist `:id` of `:accountId` is deleted in this way. */
const IS_DELETED = `EXISTS (SELECT 1 FROM panelists WHERE id = :id AND account_id = :accountId AND deleted_at IS NOT NULL
  AND deletes_content = :deletesContent)`;

const OWN_PROPOSALS = "SELECT id FROM proposals WHERE author_id = :id";
const OWN_COMMENTS = "SELECT id FROM comments WHERE panelist_id = :id LIMIT :rows";
const OWN_STEPS = "SELECT proposal_id, number FROM proposal_steps WHERE author_id = :id LIMIT :rows";
const OWN_EVENTS = "SELECT id FROM audit_events WHERE author_id = :id LIMIT :rows";
/** The words in an event that are its author's. What was done stays. */
const WORDS = ["before", "after"].flatMap((side) => [`'$.${side}.title'`, `'$.${side}.description'`]);

/** The `changes` of a step of a proposal's history, without the words of its author. */
export const WITHOUT_WORDS = "json_replace(changes, '$.title', json('[]'), '$.description', json('[]'))";

/** The account has an open anonymous survey, in which only the salt tells what the panelist has answered: deleteOfAnonymous. */
const HAS_SALTS = "EXISTS (SELECT 1 FROM surveys WHERE account_id = :accountId AND salt IS NOT NULL)";

const contentsOfPanelist = (deletesContent: boolean): readonly string[] => [
  `DELETE FROM votes WHERE (proposal_id, panelist_id) IN (
     SELECT proposal_id, panelist_id FROM votes WHERE panelist_id = :id LIMIT :rows)`,
  `DELETE FROM survey_responses WHERE (survey_id, respondent) IN (
     SELECT survey_id, respondent FROM survey_responses WHERE respondent = :id LIMIT :rows)`,
  `DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE panelist_id = :id LIMIT :rows)`,
  ...(deletesContent
    ? [
        `UPDATE proposals SET idea_bank_id = id, author_id = NULL, external_id = NULL
         WHERE id IN (${OWN_PROPOSALS} AND idea_bank_id <> id LIMIT ${AT_MOST_IDEAS})`,
        `UPDATE proposals SET author_id = NULL WHERE id IN (${OWN_PROPOSALS} LIMIT :rows) AND idea_bank_id = id`,
        `DELETE FROM comments WHERE id IN (${OWN_COMMENTS})`,
        `UPDATE audit_events SET author_id = NULL, api_key_name = '', changes = json_remove(changes, ${WORDS}) WHERE id IN (${OWN_EVENTS})`,
      ]
    : [
        `UPDATE proposals SET author_id = NULL WHERE id IN (${OWN_PROPOSALS} LIMIT :rows)`,
        `UPDATE comments SET panelist_id = NULL WHERE id IN (${OWN_COMMENTS})`,
        `UPDATE audit_events SET author_id = NULL WHERE id IN (${OWN_EVENTS})`,
      ]),
  // Nobody needs what the texts were once: so the words go from the history in any case.
  `UPDATE proposal_steps SET author_id = NULL, changes = ${WITHOUT_WORDS} WHERE (proposal_id, number) IN (${OWN_STEPS})`,
];

const NOTHING_LEFT = `id = :id AND NOT EXISTS (SELECT 1 FROM votes WHERE panelist_id = :id)
     AND NOT EXISTS (SELECT 1 FROM survey_responses WHERE respondent = :id)
     AND NOT EXISTS (SELECT 1 FROM notes WHERE panelist_id = :id)
     AND NOT EXISTS (SELECT 1 FROM proposals WHERE author_id = :id)
     AND NOT EXISTS (SELECT 1 FROM comments WHERE panelist_id = :id)
     AND NOT EXISTS (SELECT 1 FROM audit_events WHERE author_id = :id)
     AND NOT EXISTS (SELECT 1 FROM proposal_steps WHERE author_id = :id)`;

/** One slice of a deleted idea bank, or of a deleted proposal. Does nothing for one that is not deleted, or is another account's. */
export const deleteOfIdeaBank = (account: AccountReference, id: string, rows = AT_ONCE): Statement[] =>
  OF_IDEA_BANK.map((sql) => {
    const isDeleted = `EXISTS (SELECT 1 FROM deleted_idea_banks WHERE id = :id AND account_id = ${accountOf(account)})`;
    return prepare(`${sql} AND ${isDeleted}`, { ...account, id, rows });
  });

/** A panelist who was deleted: proposals and comments stay without an author, unless the deletion includes them. */
type DeletedPanelist = { readonly accountId: string; readonly id: string; readonly deletesContent: boolean };
/** A panelist who stays, without anything that it wrote. */
type ClearedPanelist = Omit<DeletedPanelist, "deletesContent">;

type Slice = { readonly rows?: number; readonly anonymous?: readonly Statement[] };

const isDeleted = (panelist: DeletedPanelist | ClearedPanelist): panelist is DeletedPanelist =>
  "deletesContent" in panelist;
const conditionOf = (panelist: DeletedPanelist | ClearedPanelist) => (isDeleted(panelist) ? IS_DELETED : IS_CLEARED);

/**
 * One slice of a panelist who was deleted or cleared in this way. Its end waits for the responses to anonymous surveys, unless `anonymous`
 * deletes them.
 */
export const deleteOfPanelist = (
  panelist: DeletedPanelist | ClearedPanelist,
  { rows = AT_ONCE, anonymous }: Slice = {},
): Statement[] => {
  const condition = conditionOf(panelist);
  const end = isDeleted(panelist) ? "DELETE FROM panelists" : "UPDATE panelists SET deletes_content = 0";
  const waits = anonymous === undefined ? ` AND NOT ${HAS_SALTS}` : "";
  return [
    ...(anonymous ?? []),
    ...contentsOfPanelist(isDeleted(panelist) ? panelist.deletesContent : true).map((sql) =>
      prepare(`${sql} AND ${condition}`, { ...panelist, rows }),
    ),
    prepare(`${end} WHERE ${NOTHING_LEFT} AND ${condition}${waits}`, { ...panelist, rows }),
  ];
};

/** The same, with the responses to anonymous surveys. One round trip comes before it. */
export const deleteAllOfPanelist = async (
  session: Session,
  panelist: DeletedPanelist | ClearedPanelist,
  rows: number,
): Promise<Statement[]> => {
  const { accountId, id } = panelist;
  const which = { when: conditionOf(panelist), values: { ...panelist } };
  return deleteOfPanelist(panelist, {
    rows,
    anonymous: await deleteOfAnonymous(session, { accountId, panelistId: id }, which),
  });
};

/** `at`: when, in Unix milliseconds. */
type Deleted = { readonly id: string; readonly account_id: string; readonly at: number };

/** Runs one slice of the row whose turn it is. False when nothing is left. */
async function runSlice<Row extends Deleted>(
  session: Session,
  {
    from,
    time = "deleted_at",
    only = "TRUE",
    position,
    statements,
  }: {
    /** The columns, and the table. */
    readonly from: string;
    /** The column with the time of the deletion, and which of the rows that have one: an index is in this order. */
    readonly time?: string;
    readonly only?: string;
    readonly position: SlicePosition;
    readonly statements: (deleted: Row) => Statement[] | Promise<Statement[]>;
  },
): Promise<boolean> {
  const nextOf = (condition: string) =>
    `SELECT * FROM (SELECT ${time} AS at, ${from} WHERE ${only} AND ${condition} ORDER BY ${time}, id LIMIT 1)`;
  const next = `${nextOf(`${time} > 0 AND (${time}, id) > (:at, :id)`)} UNION ALL ${nextOf(`${time} > 0`)} LIMIT 1`;
  const found = await session.first(prepare<Row>(next, position));
  if (found === null) return false;
  Object.assign(position, { at: found.at, id: found.id });
  await session.batch({ slice: await statements(found) });
  return true;
}

/** One slice of the idea bank or proposal whose turn it is, the earliest deletion first. False when nothing is left. */
export const deleteLeftovers = (session: Session, position = startPosition()): Promise<boolean> =>
  runSlice(session, {
    from: "id, account_id FROM deleted_idea_banks",
    position,
    statements: ({ id, account_id }: Deleted) => deleteOfIdeaBank({ accountId: account_id }, id, BY_THE_JOB),
  });

/** One slice of the panelist that was deleted first. False when nothing is left. */
export const deletePanelistLeftovers = (session: Session, position = startPosition()): Promise<boolean> =>
  runSlice(session, {
    from: "id, account_id, deletes_content FROM panelists",
    position,
    statements: ({ id, account_id, deletes_content }: Deleted & { readonly deletes_content: number }) =>
      deleteAllOfPanelist(session, { accountId: account_id, id, deletesContent: deletes_content === 1 }, BY_THE_JOB),
  });

/** One slice of the panelist that was cleared first. False when nothing is left. */
export const deleteClearedLeftovers = (session: Session, position = startPosition()): Promise<boolean> =>
  runSlice(session, {
    from: "id, account_id FROM panelists",
    time: "cleared_at",
    only: "deletes_content = 1 AND deleted_at IS NULL",
    position,
    statements: ({ id, account_id }: Deleted) =>
      deleteAllOfPanelist(session, { accountId: account_id, id }, BY_THE_JOB),
  });
