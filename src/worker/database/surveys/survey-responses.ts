/**
 * Responses, as the tenant reads them. Their totals are in the survey's row: nothing is counted when it is read, except for those who gave
 * one answer.
 */
import type { Page, PageRequest } from "../../model/pagination.ts";
import { ANONYMOUS_STEP } from "../../model/survey.ts";
import type { Questions, Totals } from "../../model/survey-answers.ts";
import type { PersonResponse, SurveyResponse, SurveyText } from "../../model/survey-response.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, pageValues, toPage } from "../pagination.ts";
import { RESPONSES, STATUS, STAYS } from "./surveys.ts";

/** A search looks at so many of the newest responses, or texts. */
const LOOKED_AT = 5_000;

type OwnSurvey = { readonly accountId: string; readonly surveyId: string };
/** A key of the totals: only responses that count for it. */
type Matching = { readonly key?: string | undefined };

/** What a reader of responses must know of the survey. */
type AskedSurvey = {
  readonly questions: Questions;
  readonly title: string;
  readonly anonymous: boolean;
  readonly isClosed: boolean;
  readonly responses: number;
};
type AskedRow = { title: string; questions: string; anonymous: number; status: string; responses: number };

const OWN = `surveys.id = :surveyId AND surveys.account_id = :accountId AND ${STAYS}`;
const ASKED = `title, questions, anonymous, ${STATUS} AS status, ${RESPONSES} AS responses`;

const toAsked = ({ title, questions, anonymous, status, responses }: AskedRow): AskedSurvey => ({
  ...{ title, responses, questions: JSON.parse(questions), anonymous: anonymous === 1, isClosed: status === "CLOSED" },
});

const selectAsked = (own: OwnSurvey) => prepare<AskedRow>(`SELECT ${ASKED} FROM surveys WHERE ${OWN}`, own);

export const RESPONSE_COLUMNS = "respondent AS id, answers, r.created_at, r.updated_at";
export type ResponseRow = { id: string; answers: string; created_at: number; updated_at: number; fit?: number };

export const toResponse = (row: ResponseRow): SurveyResponse => ({
  panelistId: row.id,
  answers: JSON.parse(row.answers),
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

const MATCHES = "EXISTS (SELECT 1 FROM json_each(counted) WHERE value = :key)";

/** A page of a survey. */
export type OfSurvey<Item> = { readonly survey: AskedSurvey; readonly page: Page<Item> };

const toOfSurvey = <Item>([row]: readonly AskedRow[], page: () => Page<Item>): OfSurvey<Item> | null =>
  row === undefined ? null : { survey: toAsked(row), page: page() };

/**
 * Newest first; none of an anonymous survey. A page that only has some looks at the next 5,000 responses: it can be empty, and be followed by
 * another. Null for another tenant's survey. One round trip.
 */
export async function listResponses(
  session: Session,
  { request, key, ...own }: OwnSurvey & Matching & { readonly request: PageRequest },
): Promise<OfSurvey<SurveyResponse> | null> {
  const values = { ...own, ...pageValues(request), key, lookedAt: LOOKED_AT };
  const beyond = `survey_id = :surveyId AND (created_at, respondent) < (:afterKey, :afterId)
    AND EXISTS (SELECT 1 FROM surveys WHERE ${OWN} AND anonymous = 0)`;
  const newest = "ORDER BY created_at DESC, respondent DESC";
  const looked = key === undefined ? "" : `${newest} LIMIT :lookedAt`;
  const page = (selected: string, rows: string) =>
    `SELECT ${selected} FROM (SELECT * FROM survey_responses WHERE ${beyond} ${looked}) r
     WHERE ${key === undefined ? "TRUE" : MATCHES} ${newest} LIMIT ${rows}`;
  const { survey, found, last } = await session.batch({
    survey: selectAsked(own),
    found: prepare<ResponseRow>(
      `WITH ${fitOf(page("octet_length(answers) + 300 AS bytes", ":rows"))}
       ${page(`${RESPONSE_COLUMNS}, ${FIT}`, FITTING_ROWS)}`,
      values,
    ),
    last:
      key === undefined
        ? undefined
        : prepare<{ id: string; key: number }>(
            `SELECT respondent AS id, created_at AS key FROM survey_responses WHERE ${beyond} ${newest} LIMIT 1 OFFSET :lookedAt - 1`,
            values,
          ),
  });
  return toOfSurvey(survey, () => goingOn(toPage(found, { request, toItem: toResponse, keyOf: byCreation }), last));
}

/** What a person has answered in named surveys, the newest first. Null for another tenant's panelist. One round trip. */
export async function listResponsesOf(
  session: Session,
  { request, ...person }: { readonly accountId: string; readonly panelistId: string; readonly request: PageRequest },
): Promise<Page<PersonResponse> | null> {
  const values = { ...person, ...pageValues(request) };
  const page = (selected: string, rows: string) =>
    `SELECT ${selected} FROM survey_responses r WHERE respondent = :panelistId AND +account_id = :accountId
       AND EXISTS (SELECT 1 FROM surveys WHERE id = r.survey_id AND ${STAYS}) AND (created_at, survey_id) < (:afterKey, :afterId) ORDER BY created_at DESC, survey_id DESC LIMIT ${rows}`;
  const { panelist, found } = await session.batch({
    panelist: prepare(
      "SELECT 1 FROM panelists WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL",
      person,
    ),
    found: prepare<ResponseRow>(
      `WITH ${fitOf(page("octet_length(answers) + 300 AS bytes", ":rows"))}
       ${page(`survey_id AS id, answers, created_at, updated_at, ${FIT}`, FITTING_ROWS)}`,
      values,
    ),
  });
  if (panelist.length === 0) return null;
  const toItem = (row: ResponseRow): PersonResponse => {
    const { panelistId, ...response } = toResponse(row);
    return { surveyId: panelistId, ...response };
  };
  return toPage(found, { request, toItem, keyOf: byCreation });
}

/** The page, followed by what comes after the last row that was looked at. */
const goingOn = <Item>(page: Page<Item>, [last]: readonly Page<Item>["next"][] = []): Page<Item> => ({
  items: page.items,
  next: page.next ?? last,
});

/**
 * `shown` is the number of responses that `totals` counts; `complete` is false if only the newest were looked at. `tooFew`: the survey is
 * anonymous, and fewer than five people gave some answer to the question, or did not give it.
 */
export type ReadResults = {
  readonly survey: AskedSurvey;
  readonly shown: number;
  readonly totals: Totals;
  readonly responses: number;
  readonly complete: boolean;
  readonly tooFew?: boolean;
};

type TotalsRow = AskedRow & { shown: number; totals: string };
const SELECT_TOTALS = `SELECT ${ASKED}, iif(anonymous, shown_responses, surveys.responses) AS shown, iif(anonymous, shown_totals, totals) AS totals
  FROM surveys WHERE ${OWN}`;

/** One row is read. Null for another tenant's survey. */
export async function loadResults(session: Session, own: OwnSurvey): Promise<ReadResults | null> {
  const row = await session.first(prepare<TotalsRow>(SELECT_TOTALS, own));
  if (row === null) return null;
  const { shown, totals, responses } = row;
  return { survey: toAsked(row), shown, responses, totals: JSON.parse(totals), complete: true };
}

/**
 * Whether some answer to the question was given by one to four people, or not given by one to four: they would be what is left when the
 * others are taken away.
 */
function hasSmallGroup(questionId: string, totals: Totals, shown: number): boolean {
  const isSmall = (people: number) => people > 0 && people < ANONYMOUS_STEP;
  const ofQuestion = Object.entries(totals).filter(([key]) => key === questionId || key.startsWith(`${questionId}=`));
  return ofQuestion.some(([, count]) => isSmall(count) || isSmall(shown - count));
}

type MatchingRow = { matching: number; totals: string };

/**
 * The results of those who count for `key`, among the newest 5,000. Of an anonymous survey what the team sees at its last step. Null for
 * another tenant's survey. One round trip.
 */
export async function loadMatchingResults(
  session: Session,
  { key, ...own }: OwnSurvey & { readonly key: string },
): Promise<ReadResults | null> {
  const values = { ...own, key, lookedAt: LOOKED_AT + 1 };
  const rows = await session.batch({
    survey: prepare<TotalsRow>(SELECT_TOTALS, own),
    found: prepare<MatchingRow>(
      `WITH looked AS MATERIALIZED (
         SELECT counted FROM (
           SELECT r.counted, r.step, r.created_at, r.respondent FROM survey_responses r WHERE r.survey_id = :surveyId
           ORDER BY r.created_at DESC, r.respondent DESC LIMIT :lookedAt) r JOIN surveys ON ${OWN}
         WHERE surveys.anonymous = 0 OR r.step <= surveys.step
         UNION ALL
         SELECT f.counted FROM surveys JOIN survey_former f ON f.survey_id = surveys.id AND f.step = surveys.step
         WHERE ${OWN} AND surveys.anonymous = 1 LIMIT ${LOOKED_AT}),
       matching AS MATERIALIZED (SELECT counted FROM looked WHERE ${MATCHES})
       SELECT (SELECT count(*) FROM matching) AS matching,
         (SELECT json_group_object(value, n) FROM (
            SELECT e.value, count(*) AS n FROM matching CROSS JOIN json_each(matching.counted) e GROUP BY e.value)) AS totals`,
      values,
    ),
  });
  const [row] = rows.survey;
  const [found] = rows.found;
  if (row === undefined || found === undefined) return null;
  const { matching, totals } = found;
  const survey = toAsked(row);
  const [questionId = ""] = key.split("=");
  const complete = survey.responses <= LOOKED_AT;
  // Among the newest, a group can be smaller than in the totals.
  const tooFew = survey.anonymous && (!complete || hasSmallGroup(questionId, JSON.parse(row.totals), row.shown));
  return { survey, shown: matching, responses: matching, totals: JSON.parse(totals), complete, tooFew };
}

type TextRow = { id: string; key: number; text: string; fit?: number };

/** `key` needs a named survey. */
type TextPage = OwnSurvey &
  Matching & {
    readonly question: string;
    readonly q: string | undefined;
    readonly request: PageRequest;
  };

/** The place of a text in a page's cursor. Of a named response its place is its time and its panelist. */
const KINDS = {
  named: {
    place: "substr(place, 16) AS id, CAST(substr(place, 1, 15) AS INTEGER) AS key",
    beyond: "t.place < printf('%015d', :afterKey) || :afterId",
    order: "place DESC",
    direction: "descending",
  },
  anonymous: { place: "place AS id, 0 AS key", beyond: "t.place > :afterId", order: "place", direction: "ascending" },
} as const;

/** The texts of a survey of this kind; none of one of the other. */
function selectTexts(kind: keyof typeof KINDS, { question, q, key, request, ...own }: TextPage) {
  const { place, beyond, order, direction } = KINDS[kind];
  const isSearch = q !== undefined || key !== undefined;
  const values = {
    ...{ ...own, ...pageValues(request, direction), question, lookedAt: LOOKED_AT, q: q?.toLowerCase() },
    ...{ key, isSearch },
  };
  const texts = `SELECT t.place, t.text FROM surveys s JOIN survey_texts t ON t.survey_id = s.id AND t.question_id = :question
    WHERE s.id = :surveyId AND s.account_id = :accountId AND s.anonymous = ${Number(kind === "anonymous")} AND ${beyond}
      AND t.step <= s.step AND (t.until IS NULL OR t.until >= s.step)`;
  const looked = isSearch ? `ORDER BY t.${order} LIMIT :lookedAt` : "";
  const matches =
    key === undefined
      ? "TRUE"
      : `EXISTS (SELECT 1 FROM survey_responses r WHERE r.survey_id = :surveyId AND r.respondent = substr(place, 16) AND ${MATCHES})`;
  const page = (selected: string, rows: string) =>
    `SELECT ${selected} FROM (${texts} ${looked}) WHERE (:q IS NULL OR instr(lower(text), :q) > 0) AND ${matches}
     ORDER BY ${order} LIMIT ${rows}`;
  return {
    found: prepare<TextRow>(
      `WITH ${fitOf(page("octet_length(text) + 200 AS bytes", ":rows"))} ${page(`${place}, text, ${FIT}`, FITTING_ROWS)}`,
      values,
    ),
    last: prepare<{ id: string; key: number }>(
      `SELECT ${place} FROM (${texts}) WHERE :isSearch ORDER BY ${order} LIMIT 1 OFFSET :lookedAt - 1`,
      values,
    ),
  };
}

/**
 * The texts of a question: newest first; of an anonymous survey in an order of its own. With `q`, a page looks at the next 5,000. Null for
 * another tenant's survey. One round trip.
 */
export async function listTexts(session: Session, wanted: TextPage): Promise<OfSurvey<SurveyText> | null> {
  const { accountId, surveyId, request } = wanted;
  const [named, anonymous] = [selectTexts("named", wanted), selectTexts("anonymous", wanted)];
  const rows = await session.batch({
    survey: selectAsked({ accountId, surveyId }),
    named: named.found,
    lastNamed: named.last,
    anonymous: anonymous.found,
    lastAnonymous: anonymous.last,
  });
  return toOfSurvey(rows.survey, () =>
    rows.survey[0]?.anonymous === 1
      ? toTexts("anonymous", request, { found: rows.anonymous, last: rows.lastAnonymous })
      : toTexts("named", request, { found: rows.named, last: rows.lastNamed }),
  );
}

type FoundTexts = { readonly found: readonly TextRow[]; readonly last: readonly { id: string; key: number }[] };

function toTexts(kind: keyof typeof KINDS, request: PageRequest, { found, last }: FoundTexts): Page<SurveyText> {
  const toItem = ({ id, key, text }: TextRow): SurveyText => ({
    text,
    ...(kind === "named" && { panelistId: id, createdAt: toTimestamp(key) }),
  });
  return goingOn(toPage(found, { request, toItem, keyOf: ({ key }) => key }), last);
}

/** The same of a survey of the tenant that is known to be anonymous, or not. */
export async function listKnownTexts(
  session: Session,
  { anonymous, ...wanted }: TextPage & { readonly anonymous: boolean },
): Promise<Page<SurveyText>> {
  const kind = anonymous ? "anonymous" : "named";
  return toTexts(kind, wanted.request, await session.batch(selectTexts(kind, wanted)));
}
