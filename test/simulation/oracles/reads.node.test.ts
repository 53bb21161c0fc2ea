import { expect, test } from "vitest";
import type { HistoryEvent, Oracle } from "../history.ts";
import { closedIsMissing } from "./closed-is-missing.ts";
import { etags } from "./etags.ts";
import { capabilitiesFresh, changelogFresh, proposalsFresh } from "./freshness.ts";
import { nobodyIdentified, nothingInternal, shownOnce } from "./nothing-internal.ts";
import { consistencyTokens, readYourWrites } from "./read-your-writes.ts";
import {
  ACCOUNT,
  asked,
  changelog,
  fault,
  history,
  IDEA_BANK,
  ideaBank,
  KEY,
  PANELIST,
  panelist,
  proposal,
  stored,
  TOKEN,
  world,
  wrote,
} from "./seen/hand-made.ts";

const found = (oracle: Oracle, ...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  oracle.check(history([...world, ...events])).length;
const [A, B] = ["0prop0000001", "0prop0000002"];
const entry = (id: string, seconds: number) => ({
  title: `Title of ${id.slice(-1)}`,
  description: "Text",
  lastModified: seconds,
});
const one = wrote(1_000, "proposals", proposal(A));
const two = wrote(50_000, "proposals", proposal(B, { last_activity_at: 9_000 }));
const shows = (
  call: number,
  at: number,
  items: readonly object[],
  more: object = {},
  headers: Record<string, string> = {},
) => asked(call, [at, at + 10], { ...changelog, ...more }, 200, { body: { items }, headers });
const closed = (call: number, at: number, headers: Record<string, string> = {}) =>
  asked(call, [at, at + 10], changelog, 404, { body: { error: "idea-bank-not-found" }, headers });

test("a changelog is the state of one moment of the last 11 seconds", () => {
  expect(
    found(changelogFresh, one, two, shows(1, 60_000, [entry(A, 1)]), shows(2, 60_000, [entry(B, 9), entry(A, 1)])),
  ).toBe(0);
  expect(found(changelogFresh, one, two, shows(1, 61_100, [entry(A, 1)]))).toBe(1);
  expect(found(changelogFresh, one, two, shows(1, 49_900, [entry(B, 9), entry(A, 1)]))).toBe(1);
  expect(found(changelogFresh, one, two, shows(1, 55_000, [entry(A, 1), entry(B, 9)]))).toBe(1);
  expect(found(changelogFresh, one, two, shows(1, 55_000, [entry(B, 9)]))).toBe(1);
});
test("it is older by as much as its isolate's clock has stepped back meanwhile", () => {
  const step = (at: number, more: object = {}) =>
    ({ kind: "clock-stepped", at, where: "a", by: -5_000, ...more }) as const;
  const late = shows(1, 65_900, [entry(A, 1)]);
  expect(found(changelogFresh, one, two, step(55_000), late)).toBe(0);
  expect(found(changelogFresh, one, two, step(55_000), shows(1, 66_100, [entry(A, 1)]))).toBe(1);
  for (const other of [step(66_000), step(49_800), step(55_000, { where: "b" }), step(55_000, { by: 5_000 })])
    expect(found(changelogFresh, one, two, other, late)).toBe(1);
});
test("while D1 does not answer it is at most 5 minutes old", () => {
  const down = fault("d1", 50_500, 900_000);
  expect(found(changelogFresh, one, two, down, shows(1, 340_000, [entry(A, 1)]))).toBe(0);
  expect(found(changelogFresh, one, two, down, shows(1, 351_000, [entry(A, 1)]))).toBe(1);
});
test("what is not public, not implemented, merged, or past the maximum is not in it", () => {
  const others = [{ visibility: "hidden" }, { status: "planned" }, { duplicate_of: A }].map((more, i) =>
    wrote(2_000 + i, "proposals", proposal(`0prop000001${i}`, more)),
  );
  expect(found(changelogFresh, one, others, shows(1, 60_000, [entry(A, 1)]))).toBe(0);
  const small = wrote(51_000, "idea_banks", ideaBank({ changelog_max_entries: 1 }), ideaBank());
  expect(found(changelogFresh, one, two, small, shows(1, 70_000, [entry(B, 9)]))).toBe(0);
  expect(found(changelogFresh, one, two, small, shows(1, 70_000, [entry(B, 9), entry(A, 1)]))).toBe(1);
});
test("the gate is canViewChangelog: internal shows, closed does not", () => {
  const internal = wrote(1_500, "idea_banks", ideaBank({ internal: 1 }), ideaBank());
  const shut = wrote(20_000, "idea_banks", ideaBank({ status: "CLOSED" }), ideaBank());
  expect(found(changelogFresh, one, internal, shows(1, 60_000, [entry(A, 1)]))).toBe(0);
  expect(found(changelogFresh, one, internal, closed(1, 60_000))).toBe(1);
  expect(found(changelogFresh, one, shut, closed(1, 60_000))).toBe(0);
  expect(found(changelogFresh, one, shut, shows(1, 60_000, [entry(A, 1)]))).toBe(1);
});
test("a 304 names the ETag of an allowed state", () => {
  const first = shows(1, 2_000, [entry(A, 1)], {}, { etag: '"a"' });
  const again = (at: number) =>
    asked(2, [at, at + 10], { ...changelog, headers: { ...changelog.headers, "if-none-match": '"a"' } }, 304);
  expect(found(changelogFresh, one, two, first, again(60_000))).toBe(0);
  expect(found(changelogFresh, one, two, first, again(61_100))).toBe(1);
});

test("one ETag names one body, and one unchanged body has one ETag", () => {
  const tagged = (call: number, at: number, items: readonly object[], etag: string) =>
    shows(call, at, items, {}, { etag });
  const both = [entry(B, 9), entry(A, 1)];
  expect(found(etags, one, two, tagged(1, 2_000, [entry(A, 1)], '"a"'), tagged(2, 55_000, both, '"b"'))).toBe(0);
  expect(found(etags, one, two, tagged(1, 2_000, [entry(A, 1)], '"a"'), tagged(2, 55_000, both, '"a"'))).toBe(1);
  expect(found(etags, one, tagged(1, 400_000, [entry(A, 1)], '"a"'), tagged(2, 410_000, [entry(A, 1)], '"b"'))).toBe(1);
  expect(found(etags, one, shows(1, 2_000, [entry(A, 1)]))).toBe(1);
});

const access = (call: number, at: number, name: string | null, open: boolean) =>
  asked(call, [at, at + 10], { ...changelog, operation: "getCapabilities", path: "/ideabank" }, 200, {
    body: {
      name,
      capabilities: {
        canViewChangelog: open,
        canViewProposals: open,
        canSubmitProposals: open,
        canVote: open,
        canComment: open,
        canAnswerSurveys: open,
      },
    },
  });
test("capabilities are those of one moment of the last 11 seconds", () => {
  const shut = wrote(20_000, "idea_banks", ideaBank({ status: "CLOSED" }), ideaBank());
  expect(found(capabilitiesFresh, shut, access(1, 30_000, "Ideas", true), access(2, 30_000, null, false))).toBe(0);
  expect(found(capabilitiesFresh, shut, access(1, 31_100, "Ideas", true))).toBe(1);
});

const seen = (id: string, more: object = {}) => ({
  id,
  title: `Title of ${id.slice(-1)}`,
  description: "Text",
  status: "implemented",
  tags: [],
  votes: 0,
  comments: 0,
  voted: false,
  mine: false,
  author: null,
  visibility: "public",
  response: null,
  duplicateOf: null,
  createdAt: new Date(1_000).toISOString(),
  lastActivityAt: new Date(1_000).toISOString(),
  ...more,
});
const list = (call: number, at: number, items: readonly object[], path = "/ideabank/proposals") =>
  asked(call, [at, at + 10], { ...changelog, operation: "listPanelistProposals", path }, 200, { body: { items } });
test("a list of proposals is that of one moment, in the order of its sort", () => {
  const other = wrote(2_000, "proposals", proposal(B, { created_at: 2_000, votes: 0 }));
  const vote = wrote(30_000, "votes", {
    proposal_id: A,
    panelist_id: PANELIST,
    account_id: "0acct0000001",
    idea_bank_id: IDEA_BANK,
  });
  const counted = wrote(30_000, "proposals", proposal(A, { votes: 1 }), proposal(A));
  const whole = { ...vote, changes: [...vote.changes, ...counted.changes] };
  const voted = seen(A, { votes: 1, voted: true });
  expect(
    found(proposalsFresh, one, other, whole, list(1, 35_000, [seen(B), seen(A)]), list(2, 50_000, [seen(B), voted])),
  ).toBe(0);
  expect(
    found(proposalsFresh, one, other, whole, list(1, 50_000, [voted, seen(B)], "/ideabank/proposals?sort=top")),
  ).toBe(0);
  expect(found(proposalsFresh, one, other, whole, list(1, 50_000, [voted, seen(B)]))).toBe(1);
  expect(found(proposalsFresh, one, other, whole, list(1, 35_000, [seen(B), seen(A, { votes: 1 })]))).toBe(1);
  expect(found(proposalsFresh, one, other, whole, list(1, 50_000, [seen(B), seen(A)]))).toBe(1);
});

test("a Consistency-Token is answered from what includes its write, in any isolate", () => {
  const write = [
    { ...two, call: 7 },
    ...asked(
      7,
      [49_000, 50_100],
      { ...changelog, operation: "submitProposal", method: "POST", path: "/ideabank/proposals" },
      201,
      { headers: { "consistency-token": "x" } },
    ),
  ];
  const read = (items: readonly object[], token: string) =>
    shows(8, 52_000, items, { isolate: "b", headers: { authorization: TOKEN, "consistency-token": token } });
  expect(found(readYourWrites, one, write, read([entry(B, 9), entry(A, 1)], "x"))).toBe(0);
  expect(found(readYourWrites, one, write, read([entry(A, 1)], "other"))).toBe(0);
  expect(found(readYourWrites, one, write, read([entry(A, 1)], "x"))).toBe(1);
  // A delivery that follows the write and somebody else's is no part of it.
  const another = wrote(50_020, "proposals", proposal("0prop0000003", { last_activity_at: 10_000 }));
  const delivery = { ...wrote(50_040, "webhooks", { id: "0hook0000001", account_id: ACCOUNT }), call: 7 };
  expect(found(readYourWrites, one, write, another, delivery, read([entry(B, 9), entry(A, 1)], "x"))).toBe(0);
  expect(found(readYourWrites, one, write, another, delivery, read([entry(A, 1)], "x"))).toBe(1);
  // The next isolate of a machine has its clock: five seconds ahead, its tokens are ignored.
  const step = (where: string): HistoryEvent => ({ kind: "clock-stepped", at: 500, where, by: 5_000 });
  const later = write.map((event) => (event.kind === "sent" ? { ...event, isolate: "1.2" } : event));
  expect(found(readYourWrites, step("1.1"), one, later, read([entry(A, 1)], "x"))).toBe(0);
  expect(found(readYourWrites, step("0.1"), one, later, read([entry(A, 1)], "x"))).toBe(1);
  for (const [down, broken] of [
    [fault("d1", 51_000, 53_000), 0],
    [{ ...fault("d1", 51_000, 53_000)[0], part: "replica" } as HistoryEvent, 1],
  ] as const)
    expect(found(readYourWrites, one, write, down, read([entry(A, 1)], "x"))).toBe(broken);
  expect(found(consistencyTokens, one, write)).toBe(0);
  const without = write.map((event) => (event.kind === "answered" ? { ...event, headers: {} } : event));
  expect(found(consistencyTokens, one, without)).toBe(1);
  const down = fault("d1", 20_000, 30_000);
  const call = (at: number, isolate = "a") => stored(9, at, "d1", "0", { isolate });
  expect(found(consistencyTokens, one, without, down, call(29_000))).toBe(0);
  expect(found(consistencyTokens, one, without, down, call(29_000), call(39_000), call(48_500))).toBe(0);
  expect(found(consistencyTokens, one, without, down, call(29_000), call(40_100))).toBe(1);
  expect(found(consistencyTokens, one, without, down, call(29_000, "b"))).toBe(1);
  const replica = down.map((event) => ({ ...event, part: "replica" })) as HistoryEvent[];
  expect(found(consistencyTokens, one, without, replica, call(29_000))).toBe(1);
});

test("closed and missing idea banks have the same bytes", () => {
  expect(found(closedIsMissing, closed(1, 100, { "x-request-id": "a" }), closed(2, 200, { "x-request-id": "b" }))).toBe(
    0,
  );
  expect(found(closedIsMissing, closed(1, 100), closed(2, 200, { etag: '"a"' }))).toBe(1);
});
test("a changelog has three fields, and no identifier", () => {
  expect(found(nothingInternal, one, shows(1, 2_000, [entry(A, 1)], {}, { etag: '"x"', "x-request-id": A }))).toBe(0);
  expect(found(nothingInternal, one, shows(1, 2_000, [{ ...entry(A, 1), votes: 1 }]))).toBe(1);
  expect(found(nothingInternal, one, shows(1, 2_000, [entry(A, 1)], {}, { etag: `"${IDEA_BANK}-1"` }))).toBe(1);
});
test("no panelist is shown who another one is", () => {
  const named = wrote(5, "panelists", panelist({ external_id: "customer-42", display_name: "Ann" }), panelist());
  expect(found(nobodyIdentified, one, named, list(1, 2_000, [seen(A, { author: "Ann" })]))).toBe(0);
  expect(found(nobodyIdentified, one, named, list(1, 2_000, [seen(A, { author: "customer-42" })]))).toBe(1);
  expect(found(nobodyIdentified, one, named, list(1, 2_000, [seen(A, { by: PANELIST })]))).toBe(1);
});
test("a key is shown by one answer, and no row holds it", () => {
  const made = (call: number, operation: string) =>
    asked(call, [100 * call, 100 * call + 10], { operation, method: "POST" }, 201, { body: { key: KEY } });
  expect(found(shownOnce, made(1, "createApiKey"))).toBe(0);
  expect(found(shownOnce, made(1, "createApiKey"), made(2, "createApiKey"))).toBe(1);
  expect(found(shownOnce, made(1, "listApiKeys"))).toBe(1);
  expect(found(shownOnce, wrote(100, "idempotency_keys", { account_id: "0acct0000001", key: "k", outcome: KEY }))).toBe(
    1,
  );
});
