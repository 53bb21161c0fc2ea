/** Surveys and their questions in words, for the team. */
import type { Option, Question, Questions } from "../../model/survey-answers.ts";
import { pointsOf } from "../../model/survey-answers.ts";
import { number } from "../frame/words.ts";

export const SURVEYS = "/account/surveys";

export const KINDS: Record<Question["kind"], string> = {
  choice: "Choose one",
  choices: "Choose several",
  scale: "Scale",
  text: "Text",
};

export const OTHER = "Something else";
export const ANONYMOUS =
  "Nobody, not even your team, can tell who answered what. It can’t be changed once the survey has been open.";

/** "120 of 340", and "1 of 1". */
export const ofThem = (count: number, all: number): string => `${number(count)} of ${number(all)}`;

/** "51%". Nothing for a share of nobody. */
export const share = (count: number, all: number): string => (all === 0 ? "" : `${Math.round((100 * count) / all)}%`);

/** An answer of a question, by the value that the totals have for it. */
export function answerInWords(question: Question, value: string): string {
  if (value === "*") return OTHER;
  if (!("options" in question)) return value;
  return question.options.find(({ id }: Option) => id === value)?.label ?? value;
}

/** "1 (Not at all)". */
const pointInWords = (question: Extract<Question, { kind: "scale" }>, point: number): string => {
  const [first, last] = [question.from, question.to];
  const meaning = point === first ? question.lowLabel : point === last ? question.highLabel : "";
  return meaning === "" ? String(point) : `${point} (${meaning})`;
};

/** The values of a question that can be chosen, as texts, with what people read. */
export const choicesOf = (question: Question): readonly (readonly [value: string, label: string])[] => {
  if (question.kind === "scale")
    return pointsOf(question).map((point) => [String(point), pointInWords(question, point)] as const);
  return "options" in question ? question.options.map(({ id, label }) => [id, label] as const) : [];
};

/** "Only after “Dark mode” or “Night buses” in question 1". Undefined for a question that everybody sees. */
export function conditionInWords({ showIf }: Question, questions: Questions): string | undefined {
  if (showIf === null) return undefined;
  const place = questions.findIndex(({ id }) => id === showIf.question);
  const source = questions[place];
  if (source === undefined) return undefined;
  const answers =
    source.kind === "scale"
      ? pointsInWords(showIf.anyOf.map(Number))
      : showIf.anyOf.map((id) => `“${answerInWords(source, String(id))}”`);
  const listed = new Intl.ListFormat("en", { type: "disjunction" }).format(answers);
  return `Only after ${listed} in question ${place + 1}`;
}

/** "0 to 6" instead of seven points. */
function pointsInWords(points: readonly number[]): readonly string[] {
  const [first, last] = [Math.min(...points), Math.max(...points)];
  const isRange = points.length > 2 && last - first === points.length - 1;
  return isRange ? [`${first} to ${last}`] : points.map(String);
}

/** An idea as an option: its identifier has capitals, and that of an option has none. */
const AS_OPTION = /^idea-((?:[0-9a-f]{2}){12})$/;
export const optionOfIdea = (id: string): string =>
  `idea-${Array.from(id, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`;
export function ideaOfOption(option: string): string | undefined {
  const [, letters] = AS_OPTION.exec(option) ?? [];
  return letters?.replace(/../g, (code) => String.fromCharCode(Number.parseInt(code, 16)));
}
