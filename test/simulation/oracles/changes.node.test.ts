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
