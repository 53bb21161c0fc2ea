/** The questions of a survey, to read before answering. */
import { h } from "#h";
import type { Question, Questions } from "../../worker/model/survey-answers.ts";
import type { SurveyWords } from "./labels.ts";

/** What can be answered: of a text nothing is said. */
function choicesOf(question: Question, words: SurveyWords): readonly string[] {
  if ("options" in question)
    return [...question.options.map(({ label }) => label), ...(question.other ? [words.say("other")] : [])];
  if (question.kind === "text") return [];
  const { from, to, lowLabel, highLabel } = question;
  return [`${words.number(from)} ${lowLabel}`.trim(), `${words.number(to)} ${highLabel}`.trim()];
}

export const questionList = (questions: Questions, words: SurveyWords): HTMLElement =>
  h(
    "dl",
    { class: "summary", part: "summary" },
    ...questions.flatMap((question) => [
      h("dt", { dir: "auto" }, question.title),
      ...choicesOf(question, words).map((choice) => h("dd", {}, h("span", { dir: "auto", class: "given" }, choice))),
    ]),
  );
