/** What results have to be, counted naively from the answers of everybody, by the words of the promise. */
import { expect } from "vitest";

export type Option = { id: string; label: string };
export type Question = {
  id: string;
  kind: "scale" | "text" | "choice" | "choices";
  title: string;
  help?: string;
  required?: boolean;
  from?: number;
  to?: number;
  nps?: boolean;
  lowLabel?: string;
  highLabel?: string;
  long?: boolean;
  options?: Option[];
  other?: boolean;
  atLeast?: number;
  atMost?: number;
  showIf?: { question: string; anyOf: (string | number)[] } | null;
};
export type Answers = Record<string, unknown>;
export type Tally = {
  id: string;
  answered: number;
  skipped: number;
  notShown: number;
  mean?: number | null;
  nps?: { promoters: number; passives: number; detractors: number; score: number | null };
  points?: { value: number; count: number }[];
  options?: { id: string; count: number }[];
  other?: number;
};
export type Results = { responses: number; shown?: number; complete?: boolean; questions: Tally[] };

const isAnswered = (value: unknown): boolean =>
  !(value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0));

/** Whether one of the values is what the answer is, or is among what it has. */
const meets = (value: unknown, anyOf: readonly (string | number)[]): boolean =>
  [value].flat().some((each) => anyOf.some((one) => one === each));

export function isShown(question: Question, questions: readonly Question[], answers: Answers): boolean {
  if (question.showIf === undefined || question.showIf === null) return true;
  const { question: name, anyOf } = question.showIf;
  const source = questions.find(({ id }) => id === name);
  if (source === undefined || !isShown(source, questions, answers)) return false;
  return isAnswered(answers[name]) && meets(answers[name], anyOf);
}

/** What is stored of what was sent: nothing hidden, nothing empty. */
export const kept = (questions: readonly Question[], answers: Answers): Answers =>
  Object.fromEntries(
    questions
      .filter((question) => isAnswered(answers[question.id]) && isShown(question, questions, answers))
      .map(({ id }) => [id, answers[id]]),
  );

/** As answers stand in a list: without what is empty. */
export const withoutEmpty = (answers: Answers): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([, value]) => isAnswered(value)));

const isOther = (value: unknown): boolean => typeof value === "object" && value !== null && "other" in value;

/** Compares what the API says with what the answers say. */
export function expectTotals(
  results: Results,
  questions: readonly Question[],
  everybody: readonly Answers[],
  why = "",
) {
  expect(
    results.questions.map(({ id }) => id),
    why,
  ).toEqual(questions.map(({ id }) => id));
  for (const question of questions) {
    const tally = results.questions.find(({ id }) => id === question.id);
    const title = `${why} ${question.id}: ${JSON.stringify(tally)} of ${JSON.stringify(everybody.map((each) => each[question.id]))}`;
    if (tally === undefined) throw new Error(title);
    const seen = everybody.filter((answers) => isShown(question, questions, answers));
    const values = seen.map((answers) => answers[question.id]).filter(isAnswered);
    expect({ answered: tally.answered, skipped: tally.skipped, notShown: tally.notShown }, title).toEqual({
      answered: values.length,
      skipped: seen.length - values.length,
      notShown: everybody.length - seen.length,
    });
    if (question.kind === "scale") expectScale(tally, question, values as number[], title);
    if (question.kind === "choice" || question.kind === "choices") expectChoices(tally, question, values, title);
  }
}

function expectScale(tally: Tally, question: Question, values: readonly number[], title: string): void {
  const points = tally.points ?? [];
  for (const { value, count } of points)
    expect(count, `${title} at ${value}`).toBe(values.filter((each) => each === value).length);
  const range = Array.from(
    { length: (question.to ?? 0) - (question.from ?? 0) + 1 },
    (_, at) => at + (question.from ?? 0),
  );
  expect(
    points.map(({ value }) => value),
    title,
  ).toEqual(range);
  expectMean(tally.mean, values, title);
  if (question.nps !== true) return;
  const promoters = values.filter((value) => value >= 9).length;
  const detractors = values.filter((value) => value <= 6).length;
  const passives = values.length - promoters - detractors;
  expect(tally.nps, title).toMatchObject({ promoters, passives, detractors });
  const score = tally.nps?.score;
  if (values.length === 0) {
    expect(score, title).toBeNull();
    return;
  }
  expect(Number.isInteger(score), title).toBe(true);
  expect(Math.abs((score ?? 0) - (100 * (promoters - detractors)) / values.length), title).toBeLessThanOrEqual(
    0.5 + 1e-9,
  );
}

function expectMean(mean: number | null | undefined, values: readonly number[], title: string): void {
  if (values.length === 0) {
    expect(mean, title).toBeNull();
    return;
  }
  const exact = values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(Math.abs((mean ?? Number.NaN) - exact), title).toBeLessThanOrEqual(0.005 + 1e-9);
  expect(Number((mean ?? 0).toFixed(2)), title).toBe(mean);
}

function expectChoices(
  tally: Tally,
  { options = [], kind, other }: Question,
  values: readonly unknown[],
  title: string,
) {
  const chosen = values.flat();
  expect(
    (tally.options ?? []).map(({ id, count }) => ({ id, count })),
    title,
  ).toEqual(options.map(({ id }) => ({ id, count: chosen.filter((each) => each === id).length })));
  const others = chosen.filter(isOther).length;
  expect(tally.other ?? 0, title).toBe(others);
  if (other === true) expect(tally.other, title).toBe(others);
  const counts = (tally.options ?? []).map(({ count }) => count);
  if (kind === "choice")
    expect(
      counts.reduce((sum, count) => sum + count, others),
      title,
    ).toBe(tally.answered);
  else for (const count of [...counts, others]) expect(count, title).toBeLessThanOrEqual(tally.answered);
}
