import { expect, test } from "vitest";
import type { HistoryEvent, Row } from "../history.ts";
import { externalIds } from "./external-ids.ts";
import { asked, history, IDEA_BANK, KEY, proposal, world, wrote } from "./seen/hand-made.ts";

const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  externalIds.check(history([...world, ...events])).length;

const [A, B] = ["0prop0000001", "0prop0000002"];
const ID = "SYNC-é";
const PROPOSALS = `/tenant/ideabanks/${IDEA_BANK}/proposals`;
const row = (id: string, more: Row = {}) => proposal(id, { title: "Buses", external_id: ID, ...more });
const made = wrote(1_000, "proposals", row(A));
const headers = { "x-api-key": KEY };
const put = (call: number, from: number, status: number, id = A, sent: object = { title: "Buses" }) =>
  asked(
    call,
    [from, from + 100],
    {
      operation: "upsertProposal",
      method: "PUT",
      path: `${PROPOSALS}/by-external-id/${encodeURIComponent(ID.normalize("NFD"))}`,
      headers,
      body: sent,
    },
    status,
    { body: status === 409 ? { error: "conflict" } : { id } },
  );

test("an idea bank has one proposal for an id, which is composed", () => {
  expect(found(made, wrote(1_100, "proposals", row(B, { external_id: "other" })))).toBe(0);
  expect(found(made, wrote(1_100, "proposals", row(B, { idea_bank_id: "0bank0000002" })))).toBe(0);
  expect(found(made, wrote(1_100, "proposals", row(B)))).toBe(1);
  // Deleted, and made again.
  expect(
    found(made, wrote(1_100, "proposals", row(A, { idea_bank_id: A }), row(A)), wrote(1_200, "proposals", row(B))),
  ).toBe(0);
  expect(found(wrote(1_100, "proposals", row(B, { external_id: ID.normalize("NFD") })))).toBe(1);
});

test("a PUT says whether it made the proposal, and writes what it is asked for", () => {
  const creates = wrote(1_050, "proposals", row(A), null, 1);
  expect(found(creates, put(1, 1_000, 201), put(2, 1_040, 200))).toBe(0);
  expect(found(creates, put(1, 1_000, 200))).toBe(1);
  expect(found(creates, put(1, 1_000, 201), put(2, 1_040, 201))).toBe(1);
  expect(found(creates, put(1, 1_000, 201), put(2, 1_040, 200, B))).toBe(1);
  const sent = { title: "Buses", status: "planned", tags: ["Bus"], metadata: { b: "1", a: "2" }, response: null };
  expect(found(made, put(1, 2_000, 200, A, sent))).toBe(1);
  const after = row(A, { status: "planned", tags: '["Bus"]', metadata: '{"a":"2","b":"1"}' });
  expect(found(made, wrote(2_050, "proposals", after, row(A), 1), put(1, 2_000, 200, A, sent))).toBe(0);
});

test("the same again changes nothing, and what it does not name stays", () => {
  const writes = (more: Row) => wrote(2_050, "proposals", row(A, more), row(A), 1);
  expect(found(made, writes({ words: '["buses"] ' }), put(1, 2_000, 200))).toBe(0);
  expect(found(made, writes({ last_activity_at: 2_050 }), put(1, 2_000, 200))).toBe(1);
  expect(found(made, wrote(2_050, "change_log", { id: 1 }, null, 1), put(1, 2_000, 200))).toBe(1);
  const other = put(1, 2_000, 200, A, { title: "Trains" });
  expect(found(made, writes({ title: "Trains", last_activity_at: 2_050 }), other)).toBe(0);
  expect(found(made, writes({ title: "Trains", description: "" }), other)).toBe(1);
});

test("a conflict needs a proposal that has the id", () => {
  expect(found(made, put(1, 2_000, 409))).toBe(1);
  const merged = wrote(1_500, "proposals", row(A, { duplicate_of: B }), row(A));
  const target = wrote(1_600, "proposals", proposal(B, { idea_bank_id: B }));
  expect(found(made, merged, target, put(1, 2_000, 409))).toBe(0);
  const create = asked(
    1,
    [2_000, 2_100],
    { operation: "createProposal", method: "POST", path: PROPOSALS, headers, body: { title: "Buses", externalId: ID } },
    409,
    { body: { error: "conflict" } },
  );
  expect(found(made, create)).toBe(0);
  expect(found(create)).toBe(1);
});

test("a list by an id shows what has it", () => {
  const list = (items: readonly object[]) =>
    asked(
      1,
      [2_000, 2_100],
      { operation: "listProposals", path: `${PROPOSALS}?externalId=${encodeURIComponent(ID)}`, headers },
      200,
      { body: { items } },
    );
  expect(found(made, list([{ id: A, externalId: ID }]))).toBe(0);
  expect(found(made, list([]))).toBe(0);
  expect(found(made, list([{ id: B, externalId: "other" }]))).toBe(1);
  expect(found(made, list([{ externalId: ID }, { externalId: ID }]))).toBe(1);
});
