import { expect, test } from "vitest";
import type { Committed, HistoryEvent, Row } from "../history.ts";
import { approval } from "./approval.ts";
import { ACCOUNT, asked, history, IDEA_BANK, ideaBank, proposal, world, wrote } from "./seen/hand-made.ts";

const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  approval.check(history([...world, ...events])).length;

const [A, B] = ["0prop0000001", "0prop0000002"];
const client = "owner owner@example.com";
const pending = (id: string, more: Row = {}) => proposal(id, { visibility: "pending", ...more });
const waiting = wrote(1_000, "proposals", pending(A));
const look = (ids: readonly string[], more = "", path = "/account/ideas?visibility=pending") =>
  asked(1, [2_000, 2_100], { client, operation: "listPending", path }, 200, {
    body: ids.map((id) => `<input name="ids" value="${IDEA_BANK}-${id}-1"/>`).join("") + more,
  });

test("the page has what waits, and nothing else", () => {
  expect(found(waiting, look([A]))).toBe(0);
  expect(found(waiting, look([]))).toBe(1);
  expect(found(waiting, look([], '<a href="?cursor=x">'))).toBe(0);
  expect(found(waiting, wrote(1_100, "proposals", proposal(B)), look([A, B]))).toBe(1);
  const foreign = wrote(1_100, "proposals", pending(B, { account_id: "0acct0000002" }));
  expect(found(waiting, foreign, look([A]))).toBe(0);
  expect(found(waiting, foreign, look([A, B]))).toBe(1);
  expect(found(waiting, wrote(1_100, "idea_banks", null, ideaBank()), look([]))).toBe(0);
  // Decided meanwhile: with it or without.
  const decided = wrote(2_050, "proposals", proposal(A), pending(A));
  for (const ids of [[A], []]) expect(found(waiting, decided, look(ids))).toBe(0);
  const merged = wrote(1_100, "proposals", pending(A, { duplicate_of: B }), pending(A));
  expect(found(waiting, merged, look([A]))).toBe(1);
});

const PATH = `/account/idea-banks/${IDEA_BANK}/ideas/${A}`;
const decide = (call: number, status: number, body: object = { do: "approve" }, headers = {}) =>
  asked(call, [3_000, 3_100], { client, operation: "decide", method: "POST", path: PATH, body, headers }, status);
const decides = (call: number, at: number, after: Row, before = pending(A), actor = "tenant"): Committed => ({
  ...wrote(at, "proposals", after, before, call),
  changes: [
    { table: "proposals", before, after },
    { table: "change_log", before: null, after: { account_id: ACCOUNT, number: at, proposal_id: A, actor } },
  ],
});

test("a decision is made once, as it was asked for, by the tenant", () => {
  expect(found(waiting, decides(1, 3_050, proposal(A)), decide(1, 303))).toBe(0);
  expect(found(waiting, decide(1, 303))).toBe(1);
  expect(found(waiting, decides(1, 3_050, pending(A, { visibility: "hidden" })), decide(1, 303))).toBe(1);
  expect(found(waiting, decides(1, 3_050, proposal(A), pending(A), "panelist"), decide(1, 303))).toBe(1);
  const answered = { do: "approve", response: " Soon. " };
  expect(found(waiting, decides(1, 3_050, proposal(A)), decide(1, 303, answered))).toBe(1);
  expect(found(waiting, decides(1, 3_050, proposal(A, { response: "Soon." })), decide(1, 303, answered))).toBe(0);
  const first = [decides(1, 3_050, proposal(A)), decide(1, 303)] as const;
  const merge = { into: B };
  expect(found(waiting, ...first, decide(2, 404, merge))).toBe(0);
  const second = decides(2, 3_060, proposal(A, { duplicate_of: B }), proposal(A));
  expect(found(waiting, ...first, second, decide(2, 303, merge))).toBe(1);
});

test("what waits all the time is decided about", () => {
  expect(found(waiting, decide(1, 404))).toBe(1);
  expect(found(waiting, decide(1, 503))).toBe(0);
  const request = { client, operation: "decide", method: "POST", path: PATH, body: { do: "hide" } };
  const said = (body: string) => asked(1, [3_000, 3_100], request, 400, { body });
  expect(found(waiting, said("This idea is no longer waiting for approval."))).toBe(1);
  expect(found(waiting, said("This idea was edited since you saw it."))).toBe(0);
  const target = wrote(1_100, "proposals", proposal(B));
  expect(found(waiting, target, decide(1, 404, { into: B }))).toBe(1);
  expect(found(waiting, decide(1, 404, { into: B }))).toBe(0);
  expect(found(waiting, decide(1, 404, { into: A }))).toBe(0);
  const elsewhere = wrote(1_100, "proposals", proposal(B, { idea_bank_id: `${IDEA_BANK.slice(0, -1)}2` }));
  expect(found(waiting, elsewhere, decide(1, 404, { into: B }))).toBe(0);
});

test("nothing is decided from another site", () => {
  const headers = { "sec-fetch-site": "cross-site" };
  expect(found(waiting, decide(1, 403, {}, headers))).toBe(0);
  expect(found(waiting, decide(1, 404, {}, headers))).toBe(2);
  expect(found(waiting, decides(1, 3_050, proposal(A)), decide(1, 303, { do: "approve" }, headers))).toBe(2);
});
