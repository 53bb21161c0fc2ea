/** What is wrong with an answer, as a label (pure). It finds a fault where the API does. */
import { type Answer, isAnswered, MAX_OTHER, MAX_TEXT, type Question } from "../../worker/model/survey-answers.ts";
import { isOther, otherText } from "./answers.ts";
import type { SURVEY_LABELS } from "./labels.ts";

type AnswerFault = { readonly label: keyof typeof SURVEY_LABELS; readonly count: number };

const lengthOf = (text: string): number => [...text].length;

/** Undefined for an answer that can be sent. */
export function faultOf(question: Question, answer: Answer | undefined): AnswerFault | undefined {
  const tooLong = (text: string, limit: number): AnswerFault | undefined => {
    const count = lengthOf(text) - limit;
    return count > 0 ? { label: "tooLong", count } : undefined;
  };
  if (!isAnswered(answer)) return question.required ? { label: "missing", count: 0 } : undefined;
  if (question.kind === "text") return tooLong(String(answer), MAX_TEXT);
  const chosen = Array.isArray(answer) ? answer : [answer];
  if (chosen.some(isOther)) {
    const text = otherText(answer);
    const fault = text.trim() === "" ? { label: "missingOther" as const, count: 0 } : tooLong(text, MAX_OTHER);
    if (fault) return fault;
  }
  if (question.kind !== "choices") return undefined;
  const { atLeast, atMost, options } = question;
  if (atMost !== null && chosen.length > atMost) return { label: "atMost", count: atMost };
  const isExclusive = options.some(({ id, exclusive }) => exclusive && id === chosen[0]);
  return chosen.length < atLeast && !isExclusive ? { label: "atLeast", count: atLeast } : undefined;
}
