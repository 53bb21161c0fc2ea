import type { Row } from "../../history.ts";
import { type Call, field, segmentAfter, text } from "./calls.ts";
import { panelistIdOf, tokenOf } from "./credentials.ts";

/** As far as it decides which answers are kept. */
type Question = {
  readonly id: string;
  readonly showIf: { readonly question: string; readonly anyOf: readonly unknown[] } | null;
};
type Answers = Readonly<Record<string, unknown>>;

export const surveyIdOf = (call: Call): string => segmentAfter(call, "surveys") ?? "";

/** Whose response a request is about: the panelist who sends it, or whom the tenant's answer names. */
export const respondentOf = (call: Call): string | undefined => {
  const token = tokenOf(call);
  return token === undefined ? text(call.answer?.body, "panelistId") : panelistIdOf(token);
};

/** What is kept of the answers that a request sends, as text: not those to questions that the others hide. */
export function keptOf(survey: Row, call: Call): string {
  const questions = JSON.parse(String(survey.questions)) as readonly Question[];
  const sent = (field(call.body, "answers") ?? {}) as Answers;
  const kept: Record<string, unknown> = {};
  for (const { id, showIf } of questions) {
    const isShown = showIf === null || showIf.anyOf.includes(kept[showIf.question]);
    if (isShown && sent[id] !== undefined) kept[id] = sent[id];
  }
  return textOf(kept);
}

const textOf = (answers: Answers): string =>
  JSON.stringify(Object.entries(answers).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** A stored response's, to compare with `keptOf`. */
export const answersIn = (response: Row): string => textOf(JSON.parse(String(response.answers)) as Answers);

/**
 * Whether a survey takes a response at a time: one that is full takes changes of those who have answered. An anonymous one that is full
 * does not, as nobody can tell any more whose response is whose.
 */
export const takes = (survey: Row | null, hasAnswered: boolean, now: number): boolean =>
  survey !== null &&
  (survey.status === "OPEN" || (survey.full === 1 && survey.anonymous === 0 && hasAnswered)) &&
  (survey.closes_at === null || Number(survey.closes_at) > now);
