import { expect, test } from "vitest";
import type { HistoryEvent } from "../history.ts";
import { members } from "./members.ts";
import { ACCOUNT, account, asked, history, world, wrote } from "./seen/hand-made.ts";

const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  members.check(history([...world, ...events])).length;
const EMAIL = "colleague@example.com";
const row = { id: "0memb0000001", account_id: ACCOUNT, email: EMAIL, added_by: "owner@example.com", created_at: 1 };
const added = wrote(1_000, "members", row);
const removed = wrote(5_000, "members", null, row);
const acts = (at: number, status: number, client = `owner ${EMAIL}`, until = at + 10) =>
  asked(1, [at, until], { client, operation: "listApiKeys", path: `/account/api/keys?account=${ACCOUNT}` }, status);

test("a member can do everything, from the answer on", () => {
  expect(found(added, acts(2_000, 200))).toBe(0);
  expect(found(added, acts(2_000, 503))).toBe(0);
  expect(found(added, acts(2_000, 403))).toBe(1);
  expect(found(added, acts(900, 403, undefined, 1_100))).toBe(0);
  expect(found(acts(2_000, 200, "owner owner@example.com"))).toBe(0);
  expect(found(acts(2_000, 403, "owner owner@example.com"))).toBe(1);
  const suspended = wrote(1_500, "accounts", account({ status: "suspended" }), account());
  expect(found(added, suspended, acts(2_000, 403))).toBe(0);
});
test("who was removed, or never added, can do nothing", () => {
  expect(found(added, removed, acts(6_000, 403))).toBe(0);
  expect(found(added, removed, acts(6_000, 200))).toBe(1);
  expect(found(added, removed, acts(4_990, 200, undefined, 5_010))).toBe(0);
  expect(found(acts(2_000, 200))).toBe(1);
  const left = wrote(1_500, "accounts", account({ owner_email: ACCOUNT }), account());
  expect(found(added, left, acts(2_000, 200, "owner owner@example.com"))).toBe(1);
});
test("an account has a member at each commit", () => {
  const left = wrote(1_500, "accounts", account({ owner_email: ACCOUNT }), account());
  expect(found(added, left)).toBe(0);
  expect(found(left)).toBe(1);
  expect(found(added, left, removed)).toBe(1);
});
