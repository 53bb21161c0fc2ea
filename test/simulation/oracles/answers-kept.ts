import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, succeeded } from "./seen/calls.ts";
import { type Rows, rowsOf } from "./seen/rows.ts";
import { answersIn, keptOf, respondentOf, surveyIdOf } from "./seen/survey-answers.ts";

/** Whether there is a response afterwards. */
const WRITES: Readonly<Record<string, boolean>> = {
  answerSurvey: true,
  recordSurveyResponse: true,
  deleteResponse: false,
  deleteRecordedResponse: false,
};

/** Whether what a success says was so at some moment between `sent` and `answered`. True for what rows do not tell. */
function wasSo(rows: Rows, call: Call): boolean {
  const [surveyId, respondent] = [surveyIdOf(call), respondentOf(call)];
  if (respondent === undefined) return true;
  for (let moment = rows.momentAt(call.answeredAt); moment >= rows.momentAt(call.at - 1); moment--) {
    const survey = rows.row("surveys", surveyId, moment);
    // Whose response is whose in an anonymous one only its salt tells.
    if (survey?.anonymous === 1) return true;
    const response = rows.row("survey_responses", `${surveyId}/${respondent}`, moment);
    const isThere = survey !== null && response !== null && answersIn(response) === keptOf(survey, call);
    if (WRITES[call.operation] ? isThere : response === null) return true;
  }
  return false;
}

/** Who may change or delete this response: its person, the tenant for it, and what deletes the person or the survey. */
function mayChange(
  rows: Rows,
  moment: number,
  call: Call | undefined,
  { before, after }: { readonly before: Row; readonly after: Row | null },
): boolean {
  const { respondent } = before;
  const survey = rows.row("surveys", String(before.survey_id), moment);
  const panelist = rows.row("panelists", String(respondent), moment);
  if (survey === null || survey.anonymous === 1) return true;
  if (after === null && (panelist === null || panelist.deleted_at != null)) return true;
  if (call === undefined || surveyIdOf(call) !== before.survey_id || WRITES[call.operation] !== (after !== null))
    return false;
  const by = respondentOf(call);
  if (by !== undefined && by !== respondent) return false;
  return after === null || answersIn(after) === keptOf(survey, call);
}

function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const calls = callsOf(history);
  const byNumber = new Map(calls.map((call) => [call.call, call]));
  for (const call of calls) {
    if (WRITES[call.operation] === undefined || !succeeded(call) || wasSo(rows, call)) continue;
    yield {
      at: call.answeredAt,
      found: `${call.operation} of survey ${surveyIdOf(call)} was answered ${call.status}, and no commit says so`,
      calls: [call.call],
    };
  }
  for (const [moment, commit] of rows.commits.entries()) {
    for (const { table, before, after } of commit.changes) {
      if (table !== "survey_responses" || before === null || after?.answers === before.answers) continue;
      const call = commit.call === undefined ? undefined : byNumber.get(commit.call);
      if (mayChange(rows, moment, call, { before, after })) continue;
      yield {
        at: commit.at,
        found: `the response of ${before.respondent} to survey ${before.survey_id} was ${after === null ? "deleted" : "changed"} by ${call?.operation ?? "the job"}`,
        calls: call === undefined ? [] : [call.call],
      };
    }
  }
}

export const answersKept = oracle(
  {
    name: "answers-kept",
    promise: "Nothing acknowledged is lost",
    words:
      "An acknowledged response is stored as it was sent until somebody changes or deletes it, or deletes its person or its survey.",
  },
  find,
);
