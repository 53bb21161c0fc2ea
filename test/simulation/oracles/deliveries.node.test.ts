import { expect, test } from "vitest";
import type { History, HistoryEvent } from "../history.ts";
import { deliveredInOrder, oneDelivery } from "./deliveries.ts";
import { ACCOUNT, account, history, proposal, world, wrote } from "./seen/hand-made.ts";

const A = "0prop0000001";
const URL = "https://receiver.example/";
const webhook = { id: "0hook0000001", account_id: ACCOUNT, url: URL, state: "active" };
/** A webhook, and then a proposal and its status. What was before it is not delivered. */
const committed = [
  wrote(10, "webhooks", webhook),
  wrote(100, "proposals", proposal(A, { status: "planned" })),
  wrote(200, "proposals", proposal(A), proposal(A, { status: "planned" })),
];
let requests = 0;
/** Received at `from`, and answered after 10 ms. */
const received = (from: number, id: string, type: string, status: number | null = 204): readonly HistoryEvent[] => {
  const request = ++requests;
  return [
    { kind: "received", at: from, request, url: URL, id, body: { type, proposalId: A } },
    { kind: "received-answered", at: from + 10, request, url: URL, id, status },
  ];
};
const settled = (state = "active"): History["settled"] => ({
  "0": { accounts: [account()], webhooks: [{ ...webhook, state }] },
});
const found = (
  oracle: typeof deliveredInOrder,
  events: readonly (readonly HistoryEvent[])[],
  rows = settled(),
): number => oracle.check(history([...world, ...committed, ...events], rows)).length;
const created = (from: number, status?: number | null) => received(from, "chg_1", "proposal.created", status);
const changed = (from: number, status?: number | null) => received(from, "chg_2", "proposal.status-changed", status);

test("each change, in order, again until it was answered 2xx, and a test in between", () => {
  const test = received(400, "test_1", "webhook.test", 500);
  expect(found(deliveredInOrder, [created(300, 503), test, created(500), created(600), changed(700)])).toBe(0);
});

test("a change that is passed over, one that is missing, and an order that did not happen", () => {
  expect(found(deliveredInOrder, [created(300, 503), changed(400)])).toBe(1);
  expect(found(deliveredInOrder, [created(300, null), changed(400)])).toBe(1);
  expect(found(deliveredInOrder, [created(300)])).toBe(1);
  expect(found(deliveredInOrder, [created(300), changed(400, 503)])).toBe(1);
  expect(found(deliveredInOrder, [])).toBe(1);
  expect(found(deliveredInOrder, [changed(300), created(400)])).toBe(1);
  expect(found(deliveredInOrder, [created(300), changed(400), created(500)])).toBe(1);
  // Sent before it was made.
  expect(found(deliveredInOrder, [created(110), changed(150)])).toBe(1);
});

test("one that is not active need not have everything, and has it in order all the same", () => {
  expect(found(deliveredInOrder, [created(300)], settled("paused"))).toBe(0);
  expect(found(deliveredInOrder, [changed(300)], settled("paused"))).toBe(1);
});

test("one webhook-id is one change", () => {
  const other = received(400, "chg_1", "proposal.status-changed");
  expect(found(deliveredInOrder, [created(300), other], settled("paused"))).toBe(1);
});

test("one attempt at a time", () => {
  expect(found(oneDelivery, [created(300), created(310)])).toBe(0);
  expect(found(oneDelivery, [created(300), created(309)])).toBe(1);
});
