/** The responses of a survey as a CSV file: a line for each, columns in the order of the questions. Pure. */
import { toCsvLine, uniqueTitles } from "./csv.ts";
import type { Answer, Answers, Other, Question, Questions } from "./survey-answers.ts";
import type { SurveyResponse } from "./survey-response.ts";

type Cell = string | number;
type Column = { readonly id: string; readonly title: string; cell(answers: Answers): Cell };

const answerTo = (answers: Answers, id: string): Answer | undefined =>
  Object.hasOwn(answers, id) ? answers[id] : undefined;
const isOther = (value: unknown): value is Other => typeof value === "object" && value !== null && "other" in value;
const chosenOf = (answer: Answer | undefined): readonly unknown[] =>
  answer === undefined ? [] : Array.isArray(answer) ? answer : [answer];
const otherOf = (answer: Answer | undefined): string => chosenOf(answer).find(isOther)?.other ?? "";

/** Of `choices` there is a column for each option: 1 if it was chosen, 0 if not, nothing if the question was not answered. */
function columnsOf(question: Question, labels: boolean): readonly Column[] {
  const { id, title, kind } = question;
  const answerOf = (answers: Answers) => answerTo(answers, id);
  const whole = { id, title: labels ? title : id };
  const other = {
    id: `${id}.other`,
    title: labels ? `${title}: Other` : `${id}.other`,
    cell: (answers: Answers) => otherOf(answerOf(answers)),
  };
  switch (kind) {
    case "choice": {
      const labelOf = (value: unknown) =>
        question.options.find((option) => option.id === value)?.label ?? String(value);
      const cell = (answers: Answers): Cell => {
        const answer = answerOf(answers);
        if (answer === undefined || isOther(answer)) return "";
        return labels ? labelOf(answer) : String(answer);
      };
      return [{ ...whole, cell }, ...(question.other ? [other] : [])];
    }
    case "choices":
      return [
        ...question.options.map((option) => ({
          id: `${id}.${option.id}`,
          title: labels ? `${title}: ${option.label}` : `${id}.${option.id}`,
          cell: (answers: Answers): Cell => {
            const answer = answerOf(answers);
            return answer === undefined ? "" : Number(chosenOf(answer).includes(option.id));
          },
        })),
        ...(question.other ? [other] : []),
      ];
    case "scale":
      return [{ ...whole, cell: (answers) => (answerOf(answers) as number | undefined) ?? "" }];
    case "text":
      return [{ ...whole, cell: (answers) => (answerOf(answers) as string | undefined) ?? "" }];
  }
}

/** `2026-11-28 17:00:00`, which spreadsheets read as a time. */
const toTime = (timestamp: string): string => timestamp.slice(0, 19).replace("T", " ");

/** The columns are fixed with the first line. `labels`: titles and labels instead of identifiers. */
export function surveyCsv(questions: Questions, labels: boolean) {
  const columns: readonly Column[] = questions.flatMap((question) => columnsOf(question, labels));
  const fixed = [
    { id: "panelistId", title: labels ? "Panelist" : "panelistId" },
    { id: "createdAt", title: labels ? "Answered (UTC)" : "createdAt (UTC)" },
    { id: "updatedAt", title: labels ? "Changed (UTC)" : "updatedAt (UTC)" },
  ];
  return {
    title: toCsvLine(uniqueTitles([...fixed, ...columns])),
    line: ({ panelistId, createdAt, updatedAt, answers }: SurveyResponse): string =>
      toCsvLine([
        ...[panelistId, toTime(createdAt), toTime(updatedAt)],
        ...columns.map(({ cell }) => cell(answers as Answers)),
      ]),
  };
}
