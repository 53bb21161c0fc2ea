import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf } from "./seen/calls.ts";
import { rowKey, rowsOf } from "./seen/rows.ts";
import { respondentOf, surveyIdOf, takes } from "./seen/survey-answers.ts";

/** What the team does to a response without its answers is no answer. */
const ANSWERED = ["answers", "counted"];

/**
 * Each response is written while the survey takes it, as it was before the commit: the response that fills a survey closes it. And no
 * request is told that its answer is stored while the survey took none from its first moment to its last.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const epoch = history.epoch ?? 0;
  const there = new Map<string, number>();
  for (const key of rows.keys("survey_responses"))
    if (rows.row("survey_responses", key, -1) !== null) there.set(key, 1);
  for (const [moment, commit] of rows.commits.entries()) {
    for (const { table, before, after } of commit.changes) {
      if (table !== "survey_responses") continue;
      if (before !== null) there.set(rowKey(table, before), (there.get(rowKey(table, before)) ?? 1) - 1);
      if (after === null) continue;
      const key = rowKey(table, after);
      const report = (found: string): Finding => ({
        at: commit.at,
        found,
        calls: commit.call === undefined ? [] : [commit.call],
      });
      const count = (there.get(key) ?? 0) + 1;
      there.set(key, count);
      if (count > 1) yield report(`${after.respondent} has ${count} responses to survey ${after.survey_id}`);
      if (before !== null && ANSWERED.every((column) => before[column] === after[column])) continue;
      const survey = rows.row("surveys", String(after.survey_id), moment - 1);
      if (takes(survey, before !== null, epoch + commit.at)) continue;
      yield report(
        `${after.respondent} answered survey ${after.survey_id}, which was ${survey === null ? "gone" : "closed"}`,
      );
    }
  }
  for (const call of callsOf(history)) {
    if (call.operation !== "answerSurvey" || call.status !== 200) continue;
    const surveyId = surveyIdOf(call);
    const key = `${surveyId}/${respondentOf(call)}`;
    let isTaken = false;
    for (let moment = rows.momentAt(call.answeredAt); moment >= rows.momentAt(call.at - 1); moment--) {
      const hasAnswered = rows.row("survey_responses", key, moment) !== null;
      isTaken ||= takes(rows.row("surveys", surveyId, moment), hasAnswered, epoch + call.at);
    }
    if (!isTaken)
      yield {
        at: call.answeredAt,
        found: `an answer to survey ${surveyId}, which was closed, was accepted`,
        calls: [call.call],
      };
  }
}

export const oneResponse = oracle(
  {
    name: "one-response",
    promise: "One response each",
    words:
      "A person has one response to a survey, and after its close none is written or accepted, except changes by those who have answered one that is full.",
  },
  find,
);
