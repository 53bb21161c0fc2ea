/**
 * The questions of a survey, and answers to them: which questions are shown, what is wrong with an answer, what it counts for, what the
 * counts say. Pure and without schemas, because the Worker and the element `<idea-bank-survey>` share it.
 */

/** The question is shown if an earlier one has one of these answers: identifiers of options, or points of a scale. */
type ShowIf = { readonly question: string; readonly anyOf: readonly (string | number)[] };
/** `exclusive`: whoever chooses it chooses nothing else, such as "None of these". */
export type Option = { readonly id: string; readonly label: string; readonly exclusive: boolean };

type Asked = {
  readonly id: string;
  readonly title: string;
  readonly help: string;
  readonly required: boolean;
  readonly showIf: ShowIf | null;
};
export type Choice = Asked & { readonly kind: "choice"; readonly options: readonly Option[]; readonly other: boolean };
export type Choices = Asked & {
  readonly kind: "choices";
  readonly options: readonly Option[];
  readonly other: boolean;
  readonly atLeast: number;
  /** Null for as many as there are. */
  readonly atMost: number | null;
};
/** The integers `from` to `to`. */
export type Scale = Asked & {
  readonly kind: "scale";
  readonly from: number;
  readonly to: number;
  readonly nps: boolean;
  readonly stars: boolean;
  readonly lowLabel: string;
  readonly highLabel: string;
};
export type Text = Asked & { readonly kind: "text"; readonly long: boolean };
export type Question = Choice | Choices | Scale | Text;
export type Questions = readonly Question[];

export const QUESTION_KINDS = ["choice", "choices", "scale", "text"] as const satisfies readonly Question["kind"][];

/** What somebody wrote instead of choosing an option. */
export type Other = { readonly other: string };
type Chosen = string | Other;
export type Answer = Chosen | number | readonly Chosen[];
/** By the identifiers of the questions. */
export type Answers = Readonly<Record<string, Answer>>;

export const MAX_TEXT = 5_000;
export const MAX_OTHER = 200;
/** Bytes of a response, as JSON. */
export const MAX_RESPONSE = 32 * 1_024;

export type Fault = { readonly path: string; readonly message: string };

/** An identifier may be `constructor`, which every object inherits. */
const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const isOther = (value: unknown): value is Other =>
  typeof value === "object" && value !== null && "other" in value && typeof value.other === "string";

/** Whether somebody has answered at all. An empty text and an empty list are no answer; 0 is one. */
export function isAnswered(answer: unknown): answer is Answer {
  if (typeof answer === "string") return answer.trim() !== "";
  return answer !== undefined && answer !== null && !(Array.isArray(answer) && answer.length === 0);
}

const meets = (answer: Answer, { anyOf }: ShowIf): boolean =>
  (Array.isArray(answer) ? answer : [answer]).some((one) => anyOf.includes(one));

/** The questions that are shown with these answers, in their order. A question that is hidden or not answered shows no other. */
export function shownQuestions(questions: Questions, answers: Readonly<Record<string, unknown>>): Questions {
  const shown = new Set<string>();
  return questions.filter(({ id, showIf }) => {
    if (showIf !== null) {
      const answer = own(answers, showIf.question);
      if (!shown.has(showIf.question) || !isAnswered(answer) || !meets(answer, showIf)) return false;
    }
    shown.add(id);
    return true;
  });
}

const lengthOf = (text: string): number => [...text].length;

function faultOfOther(value: Other, allowed: boolean): string | undefined {
  if (!allowed) return "must be one of the options, because this question takes no other answer";
  if (value.other.trim() === "") return "must say what, in `other`";
  return lengthOf(value.other) > MAX_OTHER ? `must have at most ${MAX_OTHER} characters in \`other\`` : undefined;
}

function faultOfChosen(value: unknown, { options, other }: Choice | Choices): string | undefined {
  if (isOther(value)) return faultOfOther(value, other);
  if (options.some(({ id }) => id === value)) return undefined;
  return `must be one of ${options.map(({ id }) => id).join(", ")}${other ? ', or {"other": "…"}' : ""}`;
}

function faultOfChoices(answer: unknown, question: Choices): string | undefined {
  if (!Array.isArray(answer)) return "must be a list of options";
  const fault = answer.map((value) => faultOfChosen(value, question)).find((found) => found !== undefined);
  if (fault !== undefined) return fault;
  const keys = answer.map((value) => (isOther(value) ? OTHER : value));
  if (new Set(keys).size < keys.length) return "must not have the same option twice";
  const { atLeast, atMost, options } = question;
  if (answer.length > 1 && options.some(({ id, exclusive }) => exclusive && answer.includes(id)))
    return `must not have other options beside ${options.find(({ id, exclusive }) => exclusive && answer.includes(id))?.id}`;
  if (atMost !== null && answer.length > atMost) return `must have at most ${atMost} of the options`;
  const isExclusive = options.some(({ id, exclusive }) => exclusive && id === answer[0]);
  return answer.length < atLeast && !isExclusive ? `must have at least ${atLeast} of the options` : undefined;
}

function faultOfAnswer(answer: unknown, question: Question): string | undefined {
  switch (question.kind) {
    case "choice":
      return Array.isArray(answer) ? "must be one option" : faultOfChosen(answer, question);
    case "choices":
      return faultOfChoices(answer, question);
    case "scale": {
      const { from, to } = question;
      const isPoint = typeof answer === "number" && Number.isInteger(answer) && answer >= from && answer <= to;
      return isPoint ? undefined : `must be an integer from ${from} to ${to}`;
    }
    case "text":
      if (typeof answer !== "string") return "must be a text";
      return lengthOf(answer) > MAX_TEXT ? `must have at most ${MAX_TEXT} characters` : undefined;
  }
}

/** What a question without an answer has wrong, if anything. */
const faultOfNone = ({ required }: Question): string | undefined =>
  required ? "is required, because the question is shown" : undefined;

const inOrder = (answer: Answer, question: Question): Answer => {
  if (question.kind !== "choices" || !Array.isArray(answer)) return answer;
  const placeOf = (value: Chosen) =>
    isOther(value) ? question.options.length : question.options.findIndex(({ id }) => id === value);
  return [...answer].sort((one, another) => placeOf(one) - placeOf(another));
};

/**
 * The answers that count, in the order of the questions: those to questions that are shown. Answers to hidden questions are dropped, and
 * choices are put into the order of the options, so that the same answers are the same text. `faults` names each question with a fault.
 */
export function readAnswers(
  questions: Questions,
  sent: Readonly<Record<string, unknown>>,
): { readonly answers: Answers; readonly faults: readonly Fault[] } {
  const known = new Set(questions.map(({ id }) => id));
  const faults: Fault[] = Object.keys(sent)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: `answers.${id}`, message: "is not a question of this survey" }));
  const answers: Record<string, Answer> = {};
  for (const question of shownQuestions(questions, sent)) {
    const answer = own(sent, question.id);
    const message = isAnswered(answer) ? faultOfAnswer(answer, question) : faultOfNone(question);
    if (message !== undefined) faults.push({ path: `answers.${question.id}`, message });
    else if (isAnswered(answer)) answers[question.id] = inOrder(answer, question);
  }
  return { answers, faults };
}

/**
 * What a response counts for, as keys of the totals: `next` for an answer to the question `next`, `next?` for a question that was shown
 * and skipped, `next=dark` for an option or a point of a scale, `next=*` for another answer.
 */
export type Counted = readonly string[];
export type Totals = Readonly<Record<string, number>>;

const OTHER = "*";
export const valueKey = (question: string, value: string | number): string => `${question}=${value}`;
export const otherKey = (question: string): string => valueKey(question, OTHER);
const skippedKey = (question: string): string => `${question}?`;

export const countedOf = (questions: Questions, answers: Answers): Counted =>
  shownQuestions(questions, answers).flatMap(({ id, kind }) => {
    const answer = own(answers, id);
    if (!isAnswered(answer)) return [skippedKey(id)];
    if (kind === "text") return [id];
    const values: readonly (Chosen | number)[] = Array.isArray(answer) ? answer : [answer as Chosen | number];
    return [id, ...values.map((value) => (isOther(value) ? otherKey(id) : valueKey(id, value)))];
  });

/** The texts of a response: answers to text questions, and what was written instead of an option. */
export const textsOf = (
  questions: Questions,
  answers: Answers,
): readonly { readonly questionId: string; readonly text: string }[] =>
  questions.flatMap(({ id, kind }) => {
    const answer = own(answers, id);
    if (answer === undefined) return [];
    if (kind === "text") return typeof answer === "string" ? [{ questionId: id, text: answer }] : [];
    const other = (Array.isArray(answer) ? answer : [answer]).find(isOther);
    return other === undefined ? [] : [{ questionId: id, text: other.other }];
  });

/** The questions that can have a text. */
export const hasTexts = (question: Question): boolean =>
  question.kind === "text" || (question.kind !== "scale" && question.other);

export type NpsResult = {
  readonly promoters: number;
  readonly passives: number;
  readonly detractors: number;
  /** -100 to 100, rounded; null without an answer. */
  readonly score: number | null;
};
export type QuestionResult = {
  readonly id: string;
  readonly answered: number;
  readonly skipped: number;
  readonly notShown: number;
  readonly options?: readonly { readonly id: string; readonly count: number }[];
  readonly other?: number;
  readonly points?: readonly { readonly value: number; readonly count: number }[];
  /** Rounded to two decimals; null without an answer. */
  readonly mean?: number | null;
  readonly nps?: NpsResult;
};

export const pointsOf = ({ from, to }: Pick<Scale, "from" | "to">): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Promoters chose 9 or 10, passives 7 or 8, detractors 0 to 6; the score is the difference of their shares. */
function npsOf(countOf: (point: number) => number, answered: number): NpsResult {
  const sum = (from: number, to: number) => pointsOf({ from, to }).reduce((all, point) => all + countOf(point), 0);
  const [detractors, passives, promoters] = [sum(0, 6), sum(7, 8), sum(9, 10)];
  const score = answered === 0 ? null : Math.round((100 * (promoters - detractors)) / answered) + 0;
  return { promoters, passives, detractors, score };
}

/** The results of the questions, in their order. `responses` is the number of responses that `totals` counts. */
export const resultsOf = (questions: Questions, totals: Totals, responses: number): readonly QuestionResult[] =>
  questions.map((question) => {
    const { id } = question;
    const countOf = (key: string) => own(totals, key) ?? 0;
    const [answered, skipped] = [countOf(id), countOf(skippedKey(id))];
    const every = { id, answered, skipped, notShown: responses - answered - skipped };
    switch (question.kind) {
      case "text":
        return every;
      case "scale": {
        const countAt = (point: number) => countOf(valueKey(id, point));
        const points = pointsOf(question).map((value) => ({ value, count: countAt(value) }));
        const sum = points.reduce((all, { value, count }) => all + value * count, 0);
        const mean = answered === 0 ? null : Math.round((100 * sum) / answered) / 100;
        return { ...every, mean, ...(question.nps && { nps: npsOf(countAt, answered) }), points };
      }
      default: {
        const options = question.options.map((option) => ({ id: option.id, count: countOf(valueKey(id, option.id)) }));
        return { ...every, options, ...(question.other && { other: countOf(otherKey(id)) }) };
      }
    }
  });

/** What a change would do to the meaning of answers that may exist: what was there stays, in its order, and what is new comes after it. */
export function meaningFaults(before: Questions, after: Questions): readonly Fault[] {
  const faults: Fault[] = [];
  before.forEach((was, index) => {
    const place = after.findIndex(({ id }) => id === was.id);
    const is = after[place];
    const refuse = (message: string) =>
      faults.push({ path: `questions.${place < 0 ? index : place}`, message: `${was.id}: ${message}` });
    if (is === undefined) refuse("cannot be removed, because the survey has been open");
    else if (place !== index) refuse("cannot be moved, because the survey has been open");
    else for (const message of meaningFaultsOf(was, is)) refuse(message);
  });
  after.slice(before.length).forEach(({ id, required }, index) => {
    if (required && !before.some((was) => was.id === id))
      faults.push({
        path: `questions.${before.length + index}`,
        message: `${id}: cannot be required, because the survey has been open`,
      });
  });
  return faults;
}

function* meaningFaultsOf(was: Question, is: Question): Generator<string> {
  const fixed = (name: string) => `cannot change ${name}, because the survey has been open`;
  if (was.kind !== is.kind) return yield fixed("`kind`");
  if (was.required !== is.required) yield fixed("`required`");
  if (JSON.stringify(was.showIf) !== JSON.stringify(is.showIf)) yield fixed("`showIf`");
  if (was.kind === "scale" && is.kind === "scale")
    for (const name of ["from", "to", "nps"] as const) if (was[name] !== is[name]) yield fixed(`\`${name}\``);
  if (was.kind === "choices" && is.kind === "choices")
    for (const name of ["atLeast", "atMost"] as const) if (was[name] !== is[name]) yield fixed(`\`${name}\``);
  if ("options" in was && "options" in is) {
    if (was.other && !is.other) yield fixed("`other`");
    for (const [index, { id, exclusive }] of was.options.entries()) {
      const option = is.options[index];
      if (option?.id !== id) yield `its option ${id} cannot be removed or moved, because the survey has been open`;
      else if (option.exclusive !== exclusive) yield `its option ${id} ${fixed("`exclusive`")}`;
    }
  }
}
