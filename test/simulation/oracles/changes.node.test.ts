import { expect, test } from "vitest";
import type { History, HistoryEvent, Row } from "../history.ts";
import { changesFollowed, changesInOrder } from "./changes.ts";
import {
  ACCOUNT,
  asked,
  history,
  IDEA_BANK,
  ideaBank,
  KEY,
  panelist,
  proposal,
  SURVEY,
  survey,
  surveyResponse,
  world,
  wrote,
} from "./seen/hand-made.ts";

const A = "0prop0000001";
const shown = (more: object = {}) => ({
  id: A,
  title: "Title of 1",
  description: "Text",
  status: "implemented",
  visibility: "public",
  duplicateOf: null,
  ...more,
});
const bank = {
  type: "ideabank.created",
  ideaBankId: IDEA_BANK,
  ideaBank: { name: "Ideas", status: "OPEN", approvalRequired: false },
};
const person = {
  type: "panelist.created",
  panelistId: panelist().id,
  panelist: { externalId: null, displayName: null, active: true },
};
const created = { type: "proposal.created", proposalId: A, proposal: shown({ status: "planned" }) };
const changed = { type: "proposal.status-changed", proposalId: A, proposal: shown() };

/** Pages that a follower got, each with its cursor, and what was committed: a proposal, and its status. */
const read = (...pages: readonly (readonly object[])[]) =>
  pages.map((items, page) =>
    asked(
      page + 1,
      [1_000 + 100 * page, 1_010 + 100 * page],
      {
        operation: "listChanges",
        client: "follower",
        path: `/tenant/changes?limit=2${page === 0 ? "" : `&after=c${page}`}`,
        headers: { "x-api-key": KEY },
      },
      200,
      { body: { items, nextCursor: `c${page + 1}` } },
    ),
  );
const committed = [
  wrote(100, "proposals", proposal(A, { status: "planned" })),
  wrote(150, "proposals", proposal(A, { status: "planned", votes: 1 }), proposal(A, { status: "planned" })),
  wrote(200, "proposals", proposal(A), proposal(A, { status: "planned" })),
];
const settled = (...proposals: Row[]): History["settled"] => ({
  "0": {
    idea_banks: [ideaBank({ approval_required: 0 })],
    panelists: [panelist({ deleted_at: null })],
    proposals,
    comments: [],
  },
});
const found = (
  oracle: typeof changesFollowed,
  pages: readonly (readonly object[])[],
  commits: readonly HistoryEvent[] = committed,
  rows = settled(proposal(A)),
) => oracle.check(history([...world, ...commits, ...read(...pages)], rows)).length;

test.for([changesInOrder, changesFollowed])("what was committed, in order, page by page: $name", (oracle) => {
  expect(found(oracle, [[bank, person], [created], [changed], []])).toBe(0);
  // It has not come to the end.
  expect(found(oracle, [[bank, person], [created]])).toBe(0);
});

test("an order that did not happen, a change that was not made, one that is shown twice or not at all", () => {
  expect(found(changesInOrder, [[bank, person, changed, created], []])).toBe(1);
  expect(found(changesInOrder, [[bank, person, created, changed, changed], []])).toBe(1);
  expect(found(changesInOrder, [[bank, person, created, { ...created, type: "proposal.updated" }, changed], []])).toBe(
    1,
  );
  expect(found(changesInOrder, [[bank, person, changed], []])).toBe(1);
  expect(found(changesInOrder, [[bank, person, created], []])).toBe(1);
});

test("a change is not shown before it was made", () => {
  const late = [...committed.slice(0, 2), wrote(1_050, "proposals", proposal(A), proposal(A, { status: "planned" }))];
  expect(found(changesInOrder, [[bank, person, created, changed], []], late)).toBe(1);
  expect(found(changesInOrder, [[bank, person, created], [changed], []], late)).toBe(0);
});

test("whoever follows holds what the lists hold", () => {
  expect(found(changesFollowed, [[bank, person, created, changed], []], committed, settled())).toBe(1);
  expect(found(changesFollowed, [[bank, person], []])).toBe(1);
  expect(found(changesFollowed, [[bank, person, created], []])).toBe(1);
  const deleted = { type: "proposal.deleted", proposalId: A, proposal: null };
  expect(found(changesFollowed, [[bank, person, created, deleted], []], committed, settled())).toBe(0);
  // In a deleted idea bank there is nothing to list.
  expect(
    found(
      changesFollowed,
      [[bank, person, created, changed], []],
      committed,
      settled(proposal(A, { idea_bank_id: A })),
    ),
  ).toBe(1);
});

test("what was in a deleted idea bank or proposal goes with it, and is not shown one by one", () => {
  const said = { id: "0comm0000001", account_id: ACCOUNT, proposal_id: A, panelist_id: null, body: "Yes." };
  const gone = proposal(A, { idea_bank_id: A });
  const withProposal = [
    ...committed,
    wrote(300, "comments", said),
    wrote(400, "proposals", gone, proposal(A)),
    wrote(500, "comments", null, said),
    wrote(600, "proposals", null, gone),
  ];
  const item = {
    type: "comment.created",
    ideaBankId: IDEA_BANK,
    commentId: said.id,
    comment: { body: said.body },
    proposalId: A,
    proposal: shown(),
  };
  const deleted = { type: "proposal.deleted", ideaBankId: IDEA_BANK, proposalId: A, proposal: null };
  const removed = { ...item, type: "comment.deleted", comment: null, proposal: null };
  for (const oracle of [changesInOrder, changesFollowed])
    expect(found(oracle, [[bank, person, created, changed, item, deleted], []], withProposal, settled())).toBe(0);
  expect(
    found(changesInOrder, [[bank, person, created, changed, item, deleted, removed], []], withProposal, settled()),
  ).toBe(1);
  const closed = { type: "ideabank.deleted", ideaBankId: IDEA_BANK, ideaBank: null };
  const withBank = [
    ...committed,
    wrote(300, "comments", said),
    wrote(400, "idea_banks", null, ideaBank({ approval_required: 0 })),
    wrote(500, "comments", null, said),
    wrote(600, "proposals", null, proposal(A)),
  ];
  const none = { "0": { idea_banks: [], panelists: [panelist({ deleted_at: null })], proposals: [], comments: [] } };
  const within = [bank, person, { ...created, ideaBankId: IDEA_BANK }, { ...changed, ideaBankId: IDEA_BANK }, item];
  for (const oracle of [changesInOrder, changesFollowed])
    expect(found(oracle, [[...within, closed], []], withBank, none)).toBe(0);
  expect(found(changesFollowed, [[...within], []], withBank, none)).toBe(3);
});

test("a comment's change shows its proposal, too", () => {
  const said = { id: "0comm0000001", account_id: ACCOUNT, proposal_id: A, panelist_id: null, body: "Yes." };
  const commits = [...committed, wrote(300, "comments", said)];
  const rows = { "0": { ...settled(proposal(A))["0"], comments: [said] } };
  const item = {
    type: "comment.created",
    commentId: said.id,
    comment: { body: said.body },
    proposalId: A,
    proposal: shown(),
  };
  expect(found(changesFollowed, [[bank, person, created, item], []], commits, rows)).toBe(0);
  expect(found(changesInOrder, [[bank, person, created, changed, item], []], commits, rows)).toBe(0);
});

const asks = { ideaBankId: IDEA_BANK, title: "How is it?", status: "OPEN", editable: true, maxResponses: null };
const surveyed = { type: "survey.created", surveyId: SURVEY, survey: asks };
const responded = {
  type: "survey-response.created",
  ...{ surveyId: SURVEY, panelistId: panelist().id, response: { answers: { how: 3 } } },
};
const answered = [...committed, wrote(300, "surveys", survey()), wrote(310, "survey_responses", surveyResponse(3))];
const items = [bank, person, created, changed, surveyed];
const withSurvey = (rows: Readonly<Record<string, readonly Row[]>>): History["settled"] => ({
  "0": { ...settled(proposal(A))["0"], surveys: [survey()], survey_responses: [], ...rows },
});

test("a survey and its responses are followed", () => {
  const there = withSurvey({ survey_responses: [surveyResponse(3)] });
  for (const oracle of [changesInOrder, changesFollowed]) {
    expect(found(oracle, [[...items, responded], []], answered, there)).toBe(0);
    expect(found(oracle, [items, []], answered, there)).toBe(1);
  }
  const changes = [...answered, wrote(400, "survey_responses", surveyResponse(4), surveyResponse(3))];
  const updated = { ...responded, type: "survey-response.updated", response: { answers: { how: 4 } } };
  const four = withSurvey({ survey_responses: [surveyResponse(4)] });
  for (const oracle of [changesInOrder, changesFollowed]) {
    expect(found(oracle, [[...items, responded, updated], []], changes, four)).toBe(0);
    expect(found(oracle, [[...items, responded], []], changes, four)).toBe(1);
  }
  // Its counts are no change of it, and its close is one.
  const counts = [...answered, wrote(400, "surveys", survey({ responses: 1 }), survey())];
  expect(found(changesInOrder, [[...items, responded], []], counts, there)).toBe(0);
  const closes = [...answered, wrote(400, "surveys", survey({ status: "CLOSED" }), survey())];
  expect(found(changesInOrder, [[...items, responded], []], closes, there)).toBe(1);
});

test("the responses of a deleted panelist or survey go with it, also when the person has come back", () => {
  const gone = (table: string, at: number, before: Row) => wrote(at, table, null, before);
  const leaves = [
    ...answered,
    wrote(400, "panelists", panelist({ deleted_at: 1 }), panelist({ deleted_at: null })),
    gone("survey_responses", 410, surveyResponse(3)),
    gone("panelists", 420, panelist({ deleted_at: 1 })),
    wrote(500, "panelists", panelist({ deleted_at: null })),
  ];
  const left = [...items, responded, { ...person, type: "panelist.deleted" }, person];
  for (const oracle of [changesInOrder, changesFollowed])
    expect(found(oracle, [left, []], leaves, withSurvey({}))).toBe(0);
  const removed = { ...responded, type: "survey-response.deleted", response: null };
  expect(found(changesInOrder, [[...left, removed], []], leaves, withSurvey({}))).toBe(1);
  const deleted = [...answered, gone("surveys", 400, survey()), gone("survey_responses", 410, surveyResponse(3))];
  const without = [...items, responded, { type: "survey.deleted", surveyId: SURVEY, survey: null }];
  for (const oracle of [changesInOrder, changesFollowed])
    expect(found(oracle, [without, []], deleted, withSurvey({ surveys: [] }))).toBe(0);
});

test("of an anonymous survey each step is logged, and no response", () => {
  const named = { anonymous: 1, step: 0 };
  const steps = [
    ...committed,
    wrote(300, "surveys", survey(named)),
    wrote(310, "survey_responses", surveyResponse(3, { respondent: "hash" })),
    wrote(320, "surveys", survey({ ...named, step: 1 }), survey(named)),
  ];
  const step = { type: "survey-response.created", surveyId: SURVEY };
  expect(found(changesInOrder, [[...items, step], []], steps, withSurvey({}))).toBe(0);
  expect(found(changesInOrder, [items, []], steps, withSurvey({}))).toBe(1);
  expect(found(changesInOrder, [[...items, responded, step], []], steps, withSurvey({}))).toBe(1);
});
