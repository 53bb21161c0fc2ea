/** What somebody has answered in a survey, in the words of its questions and options. Pure. */
import type { Answer, Answers, Question, Questions } from "./survey-answers.ts";

type LabeledAnswer = { readonly question: string; readonly answer: string | number | readonly string[] };

/** An answer to a question that the survey does not have any more stands under its identifier. */
export const labeledAnswers = (questions: Questions, answers: Answers): readonly LabeledAnswer[] =>
  Object.entries(answers).map(([id, answer]) => {
    const question = questions.find((each) => each.id === id);
    return { question: question?.title ?? id, answer: labelOf(question, answer) };
  });

function labelOf(question: Question | undefined, answer: Answer): LabeledAnswer["answer"] {
  if (typeof answer === "number" || (typeof answer === "string" && question?.kind === "text")) return answer;
  const options = question !== undefined && "options" in question ? question.options : [];
  const labels = [answer].flat().map((chosen) => {
    if (typeof chosen === "object") return chosen.other;
    return options.find(({ id }) => id === chosen)?.label ?? String(chosen);
  });
  return Array.isArray(answer) ? labels : (labels[0] ?? "");
}
