import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { groupBy } from "./seen/calls.ts";
import { rowsOf } from "./seen/rows.ts";

/** What responses count for: how many there are, and how many name each key. */
class Recount {
  responses = 0;
  readonly #totals = new Map<string, number>();

  add({ counted }: Row, by: number): void {
    this.responses += by;
    for (const key of JSON.parse(String(counted)) as readonly string[]) {
      const total = (this.#totals.get(key) ?? 0) + by;
      if (total === 0) this.#totals.delete(key);
      else this.#totals.set(key, total);
    }
  }

  totals(): string {
    return inOrder([...this.#totals]);
  }
}

const inOrder = (totals: readonly (readonly [string, unknown])[]): string =>
  JSON.stringify(Object.fromEntries(totals.toSorted(([one], [other]) => (one < other ? -1 : 1))));

/** What is wrong with a survey that has these responses. */
function* wrong(survey: Row, recount: Recount): Iterable<string> {
  if (survey.responses !== recount.responses)
    yield `survey ${survey.id} says ${survey.responses} responses, and has ${recount.responses}`;
  const said = inOrder(Object.entries(JSON.parse(String(survey.totals)) as Readonly<Record<string, unknown>>));
  if (said !== recount.totals())
    yield `survey ${survey.id} says the totals ${said}, and its responses are ${recount.totals()}`;
  // A maximum below the responses of an anonymous one that nobody has been shown closes it: to refuse it would tell how many there are.
  const isClosed = survey.anonymous === 1 && survey.status === "CLOSED";
  if (survey.max_responses !== null && recount.responses > Number(survey.max_responses) && !isClosed)
    yield `survey ${survey.id} has ${recount.responses} responses, and may have ${survey.max_responses}`;
}

/** At every commit, for the surveys that it touches, and in the settled tables. A deleted survey counts nothing any more. */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const recounts = new Map<string, Recount>();
  const of = (id: string): Recount => {
    const recount = recounts.get(id) ?? new Recount();
    recounts.set(id, recount);
    return recount;
  };
  const add = (row: Row | null, by: number): void => {
    if (row !== null) of(String(row.survey_id)).add(row, by);
  };
  for (const key of rows.keys("survey_responses")) add(rows.row("survey_responses", key, -1), 1);
  for (const [moment, commit] of rows.commits.entries()) {
    const touched = new Set<string>();
    for (const { table, before, after } of commit.changes) {
      if (table === "survey_responses") {
        add(before, -1);
        add(after, 1);
        touched.add(String((after ?? before)?.survey_id));
      } else if (table === "surveys" && after !== null) touched.add(String(after.id));
    }
    for (const id of touched) {
      const survey = rows.row("surveys", id, moment);
      if (survey === null) continue;
      const calls = commit.call === undefined ? [] : [commit.call];
      for (const found of wrong(survey, of(id))) yield { at: commit.at, found, calls };
    }
  }
  for (const tables of Object.values(history.settled)) {
    const settled = groupBy(tables.survey_responses ?? [], (row) => String(row.survey_id));
    for (const survey of tables.surveys ?? []) {
      const recount = new Recount();
      for (const row of settled.get(String(survey.id)) ?? []) recount.add(row, 1);
      for (const found of wrong(survey, recount)) yield { at: Infinity, found: `settled: ${found}`, calls: [] };
    }
  }
}

export const surveyTotals = oracle(
  {
    name: "totals-agree",
    promise: "True results",
    words:
      "At every commit the number and the totals of a survey's responses are a recount of them, and there are never more than it may have.",
  },
  find,
);
