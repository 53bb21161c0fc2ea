/** Answers while they are given (pure): what a choice makes of them, and which kept ones still fit the survey. */
import {
  type Answer,
  type Answers,
  type Choice,
  type Choices,
  isAnswered,
  type Other,
  pointsOf,
  type Question,
  type Questions,
  shownQuestions,
} from "../../worker/model/survey-answers.ts";

/** By the questions' identifiers. Those of hidden questions are among them, because a question may be shown again. */
export type Given = Record<string, Answer>;

export const isOther = (value: unknown): value is Other =>
  typeof value === "object" && value !== null && "other" in value;

type Chosen = string | Other;

/** The options of an answer. A text has none; neither has a point of a scale. */
const chosenOf = (answer: Answer | undefined): readonly Chosen[] =>
  answer === undefined || typeof answer === "number" ? [] : [answer].flat();

const isOption = (value: Chosen, option: string | null): boolean =>
  option === null ? isOther(value) : value === option;

/** Whether this option is chosen; null for the own answer. */
export const isChosen = (answer: Answer | undefined, option: string | null): boolean =>
  chosenOf(answer).some((value) => isOption(value, option));

/** The text of the own answer. */
export const otherText = (answer: Answer | undefined): string => chosenOf(answer).find(isOther)?.other ?? "";

/**
 * The answer once this option, or the own answer (null), is pressed: of several it comes or goes. An option that excludes the others
 * stands alone. They are in the order of the options, as the API has them.
 */
export function choose(question: Choice | Choices, answer: Answer | undefined, option: string | null): Answer {
  if (question.kind === "choice") return option ?? { other: otherText(answer) };
  const excludes = (id: string | null) => question.options.some((each) => each.exclusive && each.id === id);
  const isLeft = (id: string | null): boolean => {
    if (id === option) return !isChosen(answer, id);
    return isChosen(answer, id) && !excludes(option) && !excludes(id);
  };
  const ids = [...question.options.map(({ id }) => id), null];
  return ids.filter((id) => isLeft(id)).map((id) => id ?? { other: otherText(answer) });
}

/** The answer with this text as the own one. */
export const writeOther = (answer: Answer | undefined, other: string): Answer =>
  Array.isArray(answer) ? chosenOf(answer).map((each) => (isOther(each) ? { other } : each)) : { other };

/** What is sent: the answers to the questions that are shown. */
export const sendable = (questions: Questions, given: Answers): Answers =>
  Object.fromEntries(
    shownQuestions(questions, given).flatMap(({ id }) => {
      const answer = given[id];
      return isAnswered(answer) ? [[id, answer] as const] : [];
    }),
  );

function knownAnswer(question: Question, kept: unknown): Answer | undefined {
  switch (question.kind) {
    case "text":
      return typeof kept === "string" ? kept : undefined;
    case "scale":
      return pointsOf(question).find((point) => point === kept);
    default: {
      const isKnown = (value: unknown): value is Chosen =>
        isOther(value)
          ? question.other && typeof value.other === "string"
          : question.options.some(({ id }) => id === value);
      if (question.kind === "choice") return isKnown(kept) ? kept : undefined;
      return Array.isArray(kept) ? kept.filter(isKnown) : undefined;
    }
  }
}

/** What was kept, as far as the survey still has it. Nothing is guessed for what it no longer has. */
export function knownAnswers(questions: Questions, kept: unknown): Given {
  const given: Given = Object.create(null);
  const entries = new Map(Object.entries(Object(kept)));
  for (const question of questions) {
    const answer = knownAnswer(question, entries.get(question.id));
    if (isAnswered(answer)) given[question.id] = answer;
  }
  return given;
}
