/** Answers to read: beside those of another tab, or to copy when they cannot be sent. */
import { type Answers, isAnswered, type Question, type Questions } from "../../worker/model/survey-answers.ts";
import { h } from "../shared/h.ts";
import { isOther } from "./answers.ts";
import type { SurveyWords } from "./labels.ts";

/** An answer in words. */
function answerText(question: Question, answers: Answers, words: SurveyWords): string {
  const answer = answers[question.id];
  if (!isAnswered(answer)) return words.say("noAnswer");
  if (typeof answer === "number") return words.number(answer);
  const labels = new Map("options" in question ? question.options.map(({ id, label }) => [id, label]) : []);
  const texts = [answer].flat().map((value) => (isOther(value) ? value.other : (labels.get(value) ?? value)));
  return new Intl.ListFormat(words.locale).format(texts);
}

/** The questions with their answers; of several sets, each with its name. */
export const summary = (
  questions: Questions,
  sets: readonly { readonly name?: string; readonly answers: Answers }[],
  words: SurveyWords,
): HTMLElement =>
  h(
    "dl",
    { class: "summary", part: "summary" },
    ...questions.flatMap((question) => [
      h("dt", { dir: "auto" }, question.title),
      ...sets.map(({ name, answers }) =>
        h(
          "dd",
          {},
          name && h("span", { class: "muted small" }, name),
          h("span", { dir: "auto", class: "given" }, answerText(question, answers, words)),
        ),
      ),
    ]),
  );

/** The same as one text. */
export const summaryText = (questions: Questions, answers: Answers, words: SurveyWords): string =>
  questions.map((question) => `${question.title}\n${answerText(question, answers, words)}`).join("\n\n");
