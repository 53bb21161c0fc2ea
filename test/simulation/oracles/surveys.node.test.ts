import { expect, test } from "vitest";
import type { Committed, History, HistoryEvent, Oracle, Row } from "../history.ts";
import { answersKept } from "./answers-kept.ts";
import { budgets } from "./budgets.ts";
import { oneResponse } from "./one-response.ts";
import {
  asked,
  history,
  KEY,
  PANELIST,
  panelist,
  SURVEY,
  stored,
  survey,
  surveyResponse,
  TOKEN,
  world,
  wrote,
} from "./seen/hand-made.ts";
import { slices } from "./slices.ts";
import { surveyTotals } from "./survey-totals.ts";

type Event = HistoryEvent | readonly HistoryEvent[];
const OTHER = "0pan00000002";

const found = (oracle: Oracle, events: readonly Event[], settled: History["settled"] = {}): number =>
  oracle.check(history([...world, ...events], settled)).length;

/** A commit of several rows: table, before, after. */
const together = (
  at: number,
  changes: readonly (readonly [string, Row | null, Row | null])[],
  call?: number,
): Committed => ({
  ...wrote(at, "", null, null, call),
  changes: changes.map(([table, before, after]) => ({ table, before, after })),
});
const path = `/surveys/${SURVEY}/response`;
const put = (call: number, at: number, answers: object, status = 200) =>
  asked(
    call,
    [at, at + 10],
    { operation: "answerSurvey", method: "PUT", path, headers: { authorization: TOKEN }, body: { answers } },
    status,
  );
const take = (call: number, at: number) =>
  asked(
    call,
    [at, at + 10],
    { operation: "deleteResponse", method: "DELETE", path, headers: { authorization: TOKEN } },
    204,
  );
const opened = wrote(50, "surveys", survey());

test("a survey counts the responses that there are, at every commit and settled", () => {
  const one = survey({ responses: 1, totals: '{"how=3":1,"how":1}' });
  const answer = (after: Row) =>
    together(100, [
      ["surveys", survey(), after],
      ["survey_responses", null, surveyResponse(3)],
    ]);
  expect(found(surveyTotals, [opened, answer(one)])).toBe(0);
  expect(found(surveyTotals, [opened, answer({ ...one, responses: 2 })])).toBe(1);
  expect(found(surveyTotals, [opened, answer({ ...one, totals: '{"how":1}' })])).toBe(1);
  expect(found(surveyTotals, [opened, answer({ ...one, totals: '{"how=3":1,"how":1,"how=4":0}' })])).toBe(1);
  expect(found(surveyTotals, [opened, wrote(100, "survey_responses", surveyResponse(3))])).toBe(2);
  // A change counts in place of the one from before.
  const change = (totals: string) =>
    together(200, [
      ["surveys", one, { ...one, totals }],
      ["survey_responses", surveyResponse(3), surveyResponse(4)],
    ]);
  expect(found(surveyTotals, [opened, answer(one), change('{"how":1,"how=4":1}')])).toBe(0);
  expect(found(surveyTotals, [opened, answer(one), change('{"how":1,"how=3":1,"how=4":1}')])).toBe(1);
  const settled = (responses: readonly Row[]) => ({ "0": { surveys: [one], survey_responses: responses } });
  expect(found(surveyTotals, [opened, answer(one)], settled([surveyResponse(3)]))).toBe(0);
  expect(found(surveyTotals, [opened, answer(one)], settled([]))).toBe(2);
});

test("a deleted survey counts nothing any more", () => {
  const one = survey({ responses: 1, totals: '{"how":1,"how=3":1}' });
  const answer = together(100, [
    ["surveys", survey(), one],
    ["survey_responses", null, surveyResponse(3)],
  ]);
  const deleted = [wrote(200, "surveys", null, one), wrote(300, "survey_responses", null, surveyResponse(3))];
  expect(found(surveyTotals, [opened, answer, ...deleted])).toBe(0);
});

test("a survey has no more responses than it may have, but an anonymous one that a lower maximum has closed", () => {
  const two = { responses: 2, totals: '{"how":2,"how=3":2}', max_responses: 1 };
  const answers = (more: Row) => [
    opened,
    together(100, [
      ["survey_responses", null, surveyResponse(3)],
      ["survey_responses", null, surveyResponse(3, { respondent: OTHER })],
      ["surveys", survey(), survey({ ...two, ...more })],
    ]),
  ];
  expect(found(surveyTotals, answers({ max_responses: 2 }))).toBe(0);
  expect(found(surveyTotals, answers({}))).toBe(1);
  expect(found(surveyTotals, answers({ status: "CLOSED" }))).toBe(1);
  expect(found(surveyTotals, answers({ anonymous: 1 }))).toBe(1);
  expect(found(surveyTotals, answers({ anonymous: 1, status: "CLOSED" }))).toBe(0);
});

test("a person has one response to a survey", () => {
  const first = wrote(100, "survey_responses", surveyResponse(3));
  const again = wrote(200, "survey_responses", surveyResponse(4));
  expect(
    found(oneResponse, [opened, first, wrote(200, "survey_responses", surveyResponse(4, { respondent: OTHER }))]),
  ).toBe(0);
  expect(found(oneResponse, [opened, first, again])).toBe(1);
  expect(found(oneResponse, [opened, first, wrote(150, "survey_responses", null, surveyResponse(3)), again])).toBe(0);
});

test("no response is written after the commit of the close, and only full surveys of named people take changes", () => {
  const first = wrote(100, "survey_responses", surveyResponse(3));
  const closed = (more: Row = {}) => wrote(200, "surveys", survey({ status: "CLOSED", ...more }), survey());
  const other = wrote(300, "survey_responses", surveyResponse(4, { respondent: OTHER }));
  const changed = wrote(300, "survey_responses", surveyResponse(4), surveyResponse(3));
  const noted = wrote(300, "survey_responses", surveyResponse(3, { by_tenant: 1 }), surveyResponse(3));
  const gone = wrote(300, "survey_responses", null, surveyResponse(3));
  expect(found(oneResponse, [opened, first, other, changed])).toBe(0);
  for (const late of [other, changed]) expect(found(oneResponse, [opened, first, closed(), late])).toBe(1);
  for (const late of [noted, gone]) expect(found(oneResponse, [opened, first, closed(), late])).toBe(0);
  expect(found(oneResponse, [opened, first, closed({ full: 1 }), changed])).toBe(0);
  expect(found(oneResponse, [opened, first, closed({ full: 1 }), other])).toBe(1);
  expect(found(oneResponse, [opened, first, closed({ full: 1, anonymous: 1 }), changed])).toBe(1);
  // The one that fills it closes it.
  const fills = together(100, [
    ["surveys", survey(), survey({ status: "CLOSED", full: 1 })],
    ["survey_responses", null, surveyResponse(3)],
  ]);
  expect(found(oneResponse, [opened, fills])).toBe(0);
  expect(found(oneResponse, [wrote(50, "surveys", survey({ closes_at: 299 })), first, changed])).toBe(1);
  expect(found(oneResponse, [wrote(50, "surveys", survey({ closes_at: 301 })), first, changed])).toBe(0);
  expect(found(oneResponse, [wrote(50, "surveys", survey({ status: "DRAFT" })), first])).toBe(1);
  expect(found(oneResponse, [opened, first, wrote(200, "surveys", null, survey()), changed])).toBe(1);
});

test("no answer is accepted that was sent after the close, though it is the one that is stored", () => {
  const first = wrote(105, "survey_responses", surveyResponse(3), null, 1);
  const closed = (more: Row = {}) => wrote(200, "surveys", survey({ status: "CLOSED", ...more }), survey());
  expect(found(oneResponse, [opened, first, put(1, 100, { how: 3 }), closed()])).toBe(0);
  expect(found(oneResponse, [opened, first, closed(), put(2, 195, { how: 3 })])).toBe(0);
  expect(found(oneResponse, [opened, first, closed(), put(2, 300, { how: 3 })])).toBe(1);
  expect(found(oneResponse, [opened, first, closed(), put(2, 300, { how: 3 }, 404)])).toBe(0);
  expect(found(oneResponse, [opened, first, closed({ full: 1 }), put(2, 300, { how: 3 })])).toBe(0);
});

test("an acknowledged answer is stored as it was sent, without what was hidden", () => {
  const write = (row: Row) => wrote(105, "survey_responses", row, null, 1);
  const why = (how: number) => surveyResponse(how, { answers: JSON.stringify({ how, why: "Slow" }) });
  expect(found(answersKept, [opened, write(surveyResponse(3)), put(1, 100, { how: 3 })])).toBe(0);
  expect(found(answersKept, [opened, write(surveyResponse(3)), put(1, 100, { how: 3, why: "Slow" })])).toBe(0);
  expect(found(answersKept, [opened, write(why(1)), put(1, 100, { why: "Slow", how: 1 })])).toBe(0);
  expect(found(answersKept, [opened, write(surveyResponse(1)), put(1, 100, { how: 1, why: "Slow" })])).toBe(1);
  expect(found(answersKept, [opened, write(why(3)), put(1, 100, { how: 3, why: "Slow" })])).toBe(1);
  expect(found(answersKept, [opened, put(1, 100, { how: 3 })])).toBe(1);
  expect(found(answersKept, [opened, put(1, 100, { how: 3 }, 503)])).toBe(0);
  const lost: Event[] = [opened, write(surveyResponse(3)), put(1, 100, { how: 3 }), put(2, 300, { how: 4 })];
  expect(found(answersKept, lost)).toBe(1);
  // The same again writes nothing. Of an anonymous one rows do not tell whose it is.
  expect(found(answersKept, [opened, write(surveyResponse(3)), put(1, 100, { how: 3 }), put(2, 300, { how: 3 })])).toBe(
    0,
  );
  expect(found(answersKept, [wrote(50, "surveys", survey({ anonymous: 1 })), put(1, 100, { how: 3 })])).toBe(0);
});

test("an answer that was taken back is gone", () => {
  const first: Event[] = [opened, wrote(105, "survey_responses", surveyResponse(3), null, 1), put(1, 100, { how: 3 })];
  const gone = wrote(305, "survey_responses", null, surveyResponse(3), 2);
  expect(found(answersKept, [...first, gone, take(2, 300)])).toBe(0);
  expect(found(answersKept, [...first, take(2, 300)])).toBe(1);
});

test("a response stays until its person or the tenant changes it, or it goes with one of them or with its survey", () => {
  const first: Event[] = [opened, wrote(105, "survey_responses", surveyResponse(3), null, 1), put(1, 100, { how: 3 })];
  const changed = (call?: number) => wrote(305, "survey_responses", surveyResponse(4), surveyResponse(3), call);
  const gone = wrote(305, "survey_responses", null, surveyResponse(3));
  expect(found(answersKept, [...first, changed(2), put(2, 300, { how: 4 })])).toBe(0);
  expect(found(answersKept, [...first, changed(2), put(2, 300, { how: 4 }, 503)])).toBe(0);
  expect(found(answersKept, [...first, changed(2), put(2, 300, { how: 5 }, 503)])).toBe(1);
  expect(found(answersKept, [...first, changed()])).toBe(1);
  expect(found(answersKept, [...first, gone])).toBe(1);
  const edit = { operation: "updateSurvey", method: "PATCH", path: `/tenant/surveys/${SURVEY}`, body: { title: "T" } };
  expect(found(answersKept, [...first, { ...gone, call: 2 }, asked(2, [300, 310], edit, 200)])).toBe(1);
  const recorded = (panelistId: string) =>
    asked(
      2,
      [300, 310],
      {
        operation: "recordSurveyResponse",
        method: "PUT",
        path: `/tenant/surveys/${SURVEY}/responses/by-external-id/a`,
        headers: { "x-api-key": KEY },
        body: { answers: { how: 4 } },
      },
      200,
      { body: { panelistId } },
    );
  expect(found(answersKept, [...first, changed(2), recorded(PANELIST)])).toBe(0);
  expect(found(answersKept, [...first, changed(2), recorded(OTHER)])).toBe(2);
  const leaves = wrote(200, "panelists", panelist({ deleted_at: 1 }), panelist({ deleted_at: null }));
  expect(found(answersKept, [...first, leaves, gone])).toBe(0);
  expect(found(answersKept, [...first, leaves, changed()])).toBe(1);
  expect(found(answersKept, [...first, wrote(200, "surveys", null, survey()), gone])).toBe(0);
});

test("nothing is left of a deleted survey, and no survey of a deleted idea bank", () => {
  const ended = (tables: History["settled"][string]) => found(slices, [], { "0": tables });
  const whole = {
    idea_banks: [{ id: "0b" }],
    surveys: [
      { id: "0s", idea_bank_id: "0b" },
      { id: "0t", idea_bank_id: null },
    ],
  };
  expect(ended({ ...whole, survey_responses: [{ survey_id: "0s" }], survey_texts: [{ survey_id: "0s" }] })).toBe(0);
  expect(ended({ ...whole, survey_responses: [{ survey_id: "0x" }], survey_texts: [{ survey_id: "0x" }] })).toBe(2);
  expect(ended({ ...whole, idea_banks: [] })).toBe(1);
});

test("an answer is two round trips, and three where the survey has changed or its person's hash is not known", () => {
  const trips = (count: number) => [
    put(1, 50_000, { how: 3 }, 404),
    ...Array.from({ length: count }, (_, index) => stored(1, 50_001 + index, "d1", "0", { to: "primary" })),
  ];
  const old = (more: Row = {}) => wrote(-100_000, "surveys", survey(more));
  expect(found(budgets, [old(), ...trips(2)])).toBe(0);
  expect(found(budgets, [old(), ...trips(3)])).toBe(1);
  expect(found(budgets, [old({ anonymous: 1 }), ...trips(3)])).toBe(0);
  expect(found(budgets, [old(), wrote(40_000, "surveys", survey({ revision: 2 }), survey()), ...trips(3)])).toBe(0);
  expect(found(budgets, [old(), wrote(40_000, "surveys", survey({ responses: 2 }), survey()), ...trips(3)])).toBe(1);
});
