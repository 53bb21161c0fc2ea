/**
 * Surveys as their panelists see and answer them. What is open, to whom, and whether an answer is accepted is decided by the statement that
 * reads or writes.
 */
import type { Answers, Counted, Questions } from "../../model/survey-answers.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import {
  type AccessRow,
  makePanelist,
  type PanelistAccess,
  permitted,
  permittedWithoutRow,
  selectAccess,
  type TokenClaims,
  toAccess,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { votesOnTheWay } from "../proposals/merges.ts";
import { deleteTexts, type Place, type WrittenText, writeTexts } from "./survey-texts.ts";
import { NOT_OVER } from "./surveys.ts";

/** The hash of a person for an anonymous survey (credentials/anonymous-respondent.ts). */
export type Respondent = { readonly surveyId: string; readonly respondent: string };

/** A survey as it must be known before an answer can be judged. `salt` is null unless it is anonymous and open. */
export type KnownSurvey = {
  readonly id: string;
  readonly revision: number;
  readonly anonymous: boolean;
  readonly salt: string | null;
  readonly questions: Questions;
};

type OwnResponse = {
  readonly answers: Answers;
  /** Changes with each write. */
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** `answerable`: whether this person may answer it now, or change the answer. */
export type SeenSurvey = KnownSurvey & {
  readonly title: string;
  readonly description: string;
  readonly thanks: string;
  readonly editable: boolean;
  readonly closesAt: string | null;
  readonly answerable: boolean;
  readonly response: OwnResponse | null;
};

type SurveyRow = {
  id: string;
  title: string;
  description: string;
  thanks: string;
  questions: string;
  anonymous: number;
  editable: number;
  closes_at: number | null;
  revision: number;
  salt: string | null;
  answerable: number;
  answers: string | null;
  response_revision: string;
  answered_at: number;
  changed_at: number;
};

/** The identifier under which the person's response to the survey `s` is stored. `:respondents` are those of anonymous surveys. */
const RESPONDENT = `iif(s.anonymous, (SELECT value ->> 'respondent' FROM json_each(:respondents)
  WHERE value ->> 'surveyId' = s.id), :panelistId)`;
const OWN = `EXISTS (SELECT 1 FROM survey_responses o WHERE o.survey_id = s.id AND o.respondent = ${RESPONDENT})`;
/** Whoever has answered a survey that its last response has closed can still change the answer. */
const OPEN = `(s.status = 'OPEN' OR s.full = 1 AND s.anonymous = 0 AND ${OWN}) AND ${NOT_OVER}`;
/** Somebody who has answered stays asked, whatever becomes of the vote and of its proposal. */
const ASKED = `(s.voters_of IS NULL OR ${OWN}
  OR EXISTS (SELECT 1 FROM votes v WHERE v.proposal_id = s.voters_of AND v.panelist_id = :panelistId)
  OR EXISTS (SELECT 1 ${votesOnTheWay("s.voters_of")}))`;
const ANSWERABLE = `${OPEN} AND ${ASKED}`;

/** Who asks. */
type Asker = { readonly ideaBankId: string; readonly panelistId: string | null };

/** (The + makes SQLite use the primary key.) */
const selectSurveys = (
  { ideaBankId, panelistId }: Asker,
  respondents: readonly Respondent[],
  which: { readonly sql: string; readonly surveyId?: string },
) =>
  prepare<SurveyRow>(
    `SELECT s.id, s.title, s.description, s.thanks, s.questions, s.anonymous, s.editable, s.closes_at, s.revision, s.salt,
       ${ANSWERABLE} AS answerable, r.answers, r.revision AS response_revision, r.created_at AS answered_at, r.updated_at AS changed_at
     FROM surveys s LEFT JOIN survey_responses r ON r.survey_id = s.id AND r.respondent = ${RESPONDENT}
     WHERE +s.idea_bank_id = :ideaBankId AND ${which.sql}`,
    { ideaBankId, panelistId, respondents: JSON.stringify(respondents), surveyId: which.surveyId },
  );

const toSeen = (row: SurveyRow): SeenSurvey => ({
  ...{ id: row.id, title: row.title, description: row.description, thanks: row.thanks, revision: row.revision },
  ...{ anonymous: row.anonymous === 1, editable: row.editable === 1, answerable: row.answerable === 1, salt: row.salt },
  questions: JSON.parse(row.questions) as Questions,
  closesAt: row.closes_at === null ? null : toTimestamp(row.closes_at),
  response:
    row.answers === null
      ? null
      : {
          answers: JSON.parse(row.answers) as Answers,
          revision: row.response_revision,
          createdAt: toTimestamp(row.answered_at),
          updatedAt: toTimestamp(row.changed_at),
        },
});

/**
 * The surveys that the person may answer now, the newest first: at most 20 are open. `respondents` are the person's hashes for anonymous
 * surveys that are known already; the response to another one is not found. One round trip.
 */
export async function listOpenSurveys(
  session: Session,
  token: TokenClaims,
  respondents: readonly Respondent[],
): Promise<{ readonly access: PanelistAccess; readonly surveys: readonly SeenSurvey[] }> {
  const rows = await session.batch({
    access: selectAccess(token),
    surveys: selectSurveys(token, respondents, {
      // Those that are full are found by the person's responses, because there can be many.
      sql: `s.id IN (SELECT id FROM surveys WHERE idea_bank_id = :ideaBankId AND status = 'OPEN' UNION ALL SELECT survey_id FROM (
          SELECT survey_id FROM survey_responses WHERE respondent = :panelistId ORDER BY created_at DESC LIMIT 100))
        AND ${ANSWERABLE} ORDER BY s.opened_at DESC, s.id DESC`,
    }),
  });
  return { access: toAccess(rows.access), surveys: rows.surveys.map(toSeen) };
}

/** One survey of the idea bank, answerable or not; null if there is none. One round trip. */
export async function loadSurveyFor(
  session: Session,
  token: TokenClaims,
  { surveyId, respondent }: { readonly surveyId: string; readonly respondent: string | undefined },
): Promise<{ readonly access: PanelistAccess; readonly survey: SeenSurvey | null }> {
  const respondents = respondent === undefined ? [] : [{ surveyId, respondent }];
  const rows = await session.batch({
    access: selectAccess(token),
    surveys: selectSurveys(token, respondents, { sql: "s.id = :surveyId", surveyId }),
  });
  return toLoaded(rows);
}

const toLoaded = (rows: { readonly access: readonly AccessRow[]; readonly surveys: readonly SurveyRow[] }) => {
  const [row] = rows.surveys;
  return { access: toAccess(rows.access), survey: row === undefined ? null : toSeen(row) };
};

/** A person for a survey. `places`: of an anonymous one. */
export type Who = { readonly respondent: string; readonly places: readonly Place[] | undefined };

/** `match`: the revision of the response that its sender has seen, `*` for any, null for none; undefined if it does not ask. */
type ResponseWrite = {
  readonly known: KnownSurvey;
  readonly who: Who;
  readonly answers: Answers;
  readonly counted: Counted;
  readonly texts: readonly WrittenText[];
  readonly revision: string;
  readonly match: string | null | undefined;
  /** Unix milliseconds; of an anonymous survey, the beginning of the day. */
  readonly now: number;
};

/** `written` is false if nothing was: `survey` tells why. The same answers again write nothing. */
type WrittenResponse = {
  readonly access: PanelistAccess;
  readonly survey: SeenSurvey | null;
  readonly written: boolean;
};

/**
 * Who writes a response, and by what right: `from` is SQL that gives the account's id if it is allowed. `made` creates the panelist of a
 * response that is accepted, if that is needed.
 */
export type ResponseAuthor = {
  readonly asker: Asker;
  readonly values: NonNullable<Parameters<typeof prepare>[1]>;
  readonly from: string;
  readonly made?: (accepted: {
    readonly sql: string;
    readonly values: ResponseAuthor["values"];
  }) => Statement | undefined;
  readonly access?: Statement<AccessRow>;
  readonly byTenant: boolean;
};

/** A panelist, by a token. An anonymous response makes nobody. `now` is in Unix milliseconds. */
export const panelistAuthor = (
  token: TokenClaims,
  { anonymous, now }: { readonly anonymous: boolean; readonly now: number },
): ResponseAuthor => ({
  // Not the token itself: its date is in seconds, and that among the values is not.
  asker: { ideaBankId: token.ideaBankId, panelistId: token.panelistId },
  values: { ...tokenValues(token), accountId: token.signed?.accountId },
  from: `SELECT b.account_id ${(anonymous ? permittedWithoutRow : permitted)("canAnswerSurveys")}`,
  made: (also) => (anonymous ? undefined : makePanelist(token, { capability: "canAnswerSurveys", now, also })),
  access: selectAccess(token),
  byTenant: false,
});

/** One round trip. */
export async function putResponse(
  session: Session,
  { asker, from, made, access, byTenant, ...author }: ResponseAuthor,
  { known, who: { respondent, places }, answers, counted, texts, match, ...write }: ResponseWrite,
): Promise<WrittenResponse> {
  const { id: surveyId, anonymous } = known;
  const respondents = anonymous ? [{ surveyId, respondent }] : [];
  const values = {
    ...author.values,
    ...{ ...asker, surveyId, respondent, respondents: JSON.stringify(respondents), byTenant },
    ...{ answers: JSON.stringify(answers), counted: JSON.stringify(counted) },
    ...{ surveyRevision: known.revision, revision: write.revision, now: write.now },
    ...{ asksForNone: match === null, match: match ?? undefined },
  };
  const mine = "SELECT 1 FROM survey_responses m WHERE m.survey_id = :surveyId AND m.respondent = :respondent";
  const accepted = `EXISTS (SELECT 1 FROM surveys s WHERE s.id = :surveyId AND s.idea_bank_id = :ideaBankId
       AND s.revision = :surveyRevision AND ${ANSWERABLE}
       AND (s.max_responses IS NULL OR s.responses < s.max_responses OR EXISTS (${mine}))
       AND (s.editable = 1 OR NOT EXISTS (${mine})))
     AND NOT (:asksForNone AND EXISTS (${mine})) AND (:match IS NULL OR EXISTS (${mine} AND :match IN (m.revision, '*')))`;
  const rows = await session.batch({
    made: made?.({ sql: accepted, values }),
    access,
    written: prepare<{ revision: string }>(
      `INSERT INTO survey_responses
         (survey_id, respondent, account_id, answers, counted, revision, step, first_step, by_tenant, created_at, updated_at)
       SELECT :surveyId, :respondent, b.account_id, :answers, :counted, :revision, t.step + t.anonymous, t.step + t.anonymous, :byTenant,
         :now, :now
       FROM surveys t CROSS JOIN (${from}) b WHERE t.id = :surveyId AND ${accepted}
       ON CONFLICT (survey_id, respondent) DO UPDATE SET answers = excluded.answers, counted = excluded.counted,
         revision = excluded.revision, step = excluded.step, by_tenant = excluded.by_tenant, updated_at = excluded.updated_at
       WHERE survey_responses.answers <> excluded.answers RETURNING revision`,
      values,
    ),
    texts: writeTexts({ surveyId, respondent, revision: write.revision, questions: known.questions, texts, places }),
    surveys: selectSurveys(asker, respondents, { sql: "s.id = :surveyId", surveyId }),
  });
  return { ...toLoaded({ access: rows.access ?? [], surveys: rows.surveys }), written: rows.written.length > 0 };
}

/**
 * Deletes a response: a named one also after the close, which a remembered salt does not outlive. `deleted` is false if there was none. One
 * round trip.
 */
export async function deleteResponse(
  session: Session,
  { asker, from, access, byTenant, ...author }: ResponseAuthor,
  {
    surveyId,
    revision,
    who: { respondent, places },
  }: { readonly surveyId: string; readonly revision: number; readonly who: Who },
): Promise<Omit<WrittenResponse, "written"> & { readonly deleted: boolean }> {
  const respondents = places === undefined ? [] : [{ surveyId, respondent }];
  const values = { ...author.values, ...asker, surveyId, surveyRevision: revision, respondent, byTenant };
  const own = `survey_id = :surveyId AND respondent = :respondent
    AND EXISTS (SELECT 1 FROM surveys s WHERE s.id = :surveyId AND s.idea_bank_id = :ideaBankId
      AND s.revision = :surveyRevision AND (s.anonymous = 0 OR s.salt IS NOT NULL AND ${NOT_OVER})) AND EXISTS (${from})`;
  const rows = await session.batch({
    access,
    // The log of changes tells whose act it was.
    noted: prepare(`UPDATE survey_responses SET by_tenant = :byTenant WHERE ${own} AND by_tenant <> :byTenant`, values),
    deleted: prepare<{ respondent: string }>(`DELETE FROM survey_responses WHERE ${own} RETURNING respondent`, values),
    texts: deleteTexts(
      (places ?? []).map((place) => ({ ...place, surveyId })),
      {
        when: "NOT EXISTS (SELECT 1 FROM survey_responses WHERE survey_id = :surveyId AND respondent = :respondent)",
        values: { surveyId, respondent },
      },
    ),
    surveys: selectSurveys(asker, respondents, { sql: "s.id = :surveyId", surveyId }),
  });
  return { ...toLoaded({ access: rows.access ?? [], surveys: rows.surveys }), deleted: rows.deleted.length > 0 };
}
