import { expect, test } from "vitest";
import type { History, HistoryEvent, Oracle } from "../history.ts";
import { acknowledged, nothingLost, retriesAreSafe } from "./acknowledged.ts";
import { activeKeys } from "./active-keys.ts";
import { counters } from "./counters.ts";
import {
  ACCOUNT,
  account,
  apiKey,
  asked,
  history,
  KEY,
  KEY_ID,
  PANELIST,
  proposal,
  stored,
  TOKEN,
  whoami,
  world,
  wrote,
} from "./seen/hand-made.ts";
import { slices } from "./slices.ts";
import { storage } from "./storage.ts";
import { oneAccount, oneDatabase, tenants } from "./tenants.ts";

const found = (
  oracle: Oracle,
  events: readonly (HistoryEvent | readonly HistoryEvent[])[],
  settled: History["settled"] = {},
): number => oracle.check(history([...world, ...events], settled)).length;
const A = "0prop0000001";
const create = (
  call: number,
  at: number,
  id: string,
  more: { replayed?: boolean; title?: string; author?: string } = {},
) =>
  asked(
    call,
    [at, at + 10],
    {
      operation: "createProposal",
      method: "POST",
      path: "/tenant/ideabanks/0bank0000001/proposals",
      headers: { "x-api-key": KEY, "idempotency-key": "k" },
      body: { title: more.title ?? "T" },
    },
    201,
    { body: { id, author: more.author ?? null }, headers: more.replayed ? { "idempotency-replayed": "true" } : {} },
  );

test("what was acknowledged is written", () => {
  const row = proposal(A, { title: "T" });
  expect(found(acknowledged, [wrote(105, "proposals", row, null, 1), create(1, 100, A)])).toBe(0);
  expect(found(acknowledged, [wrote(105, "proposals", proposal(A), null, 1), create(1, 100, A)])).toBe(1);
  expect(found(acknowledged, [create(1, 100, A)])).toBe(1);
  const revoke = asked(
    2,
    [200, 210],
    { operation: "revokeApiKey", method: "DELETE", path: `/account/api/keys/${KEY_ID}` },
    200,
  );
  expect(found(acknowledged, [revoke])).toBe(1);
  expect(found(acknowledged, [wrote(205, "api_keys", apiKey({ revoked_at: 1 }), apiKey(), 2), revoke])).toBe(0);
});
test("the settled rows are what the commits left", () => {
  const write = wrote(105, "proposals", proposal(A));
  expect(found(nothingLost, [write], { "0": { proposals: [proposal(A)] } })).toBe(0);
  expect(found(nothingLost, [write], { "0": { proposals: [] } })).toBe(1);
  expect(found(nothingLost, [write], { "0": { proposals: [proposal(A, { title: "Other" })] } })).toBe(1);
});
test("an Idempotency-Key does its work once", () => {
  const write = wrote(105, "proposals", proposal(A), null, 1);
  expect(found(retriesAreSafe, [write, create(1, 100, A), create(2, 200, A, { replayed: true })])).toBe(0);
  // Who was renamed meanwhile has the present name.
  const renamed = create(2, 200, A, { replayed: true, author: "Another" });
  expect(found(retriesAreSafe, [write, create(1, 100, A), renamed])).toBe(0);
  expect(found(retriesAreSafe, [write, create(1, 100, A), create(2, 200, "0prop0000002", { replayed: true })])).toBe(1);
  expect(found(retriesAreSafe, [write, create(1, 100, A), create(2, 200, A)])).toBe(1);
  expect(found(retriesAreSafe, [write, create(1, 100, A), create(2, 200, A, { replayed: true, title: "U" })])).toBe(1);
  expect(
    found(retriesAreSafe, [
      write,
      wrote(205, "proposals", proposal("0prop0000002"), null, 2),
      create(1, 100, A),
      create(2, 200, A, { replayed: true }),
    ]),
  ).toBe(1);
});
test("counters agree with rows at every commit and settled", () => {
  const vote = {
    proposal_id: A,
    panelist_id: "0pan00000001",
    account_id: "0acct0000001",
    idea_bank_id: "0bank0000001",
  };
  const whole = {
    ...wrote(300, "votes", vote),
    changes: [
      { table: "votes", before: null, after: vote },
      { table: "proposals", before: proposal(A), after: proposal(A, { votes: 1 }) },
    ],
  };
  const made = wrote(105, "proposals", proposal(A));
  expect(found(counters, [made, whole], { "0": { proposals: [proposal(A, { votes: 1 })], votes: [vote] } })).toBe(0);
  expect(found(counters, [made, wrote(300, "votes", vote)])).toBe(1);
  expect(found(counters, [made, whole], { "0": { proposals: [proposal(A, { votes: 1 })], votes: [] } })).toBe(1);
});
test("a vote that is on its way to another proposal counts there, until it is taken back", () => {
  const B = "0prop0000002";
  const vote = { proposal_id: A, panelist_id: PANELIST, account_id: "0acct0000001" };
  const merge = { source_id: A, target_id: B, account_id: "0acct0000001" };
  const merging = [wrote(100, "votes", vote), wrote(110, "merges", merge)];
  const path = `/ideabank/proposals/${B}/vote`;
  const change = (operation: string, at: number) =>
    asked(1, [at, at + 10], { operation, method: "PUT", path, headers: { authorization: TOKEN } }, 200);
  expect(found(acknowledged, [...merging, change("vote", 200)])).toBe(0);
  expect(found(acknowledged, [...merging, change("unvote", 200)])).toBe(1);
  expect(found(acknowledged, [...merging, wrote(205, "votes", null, vote), change("unvote", 200)])).toBe(0);
  const moved = { ...vote, proposal_id: B };
  expect(
    found(nothingLost, [...merging, wrote(205, "votes", moved, vote)], { "0": { votes: [moved], merges: [merge] } }),
  ).toBe(0);
});
test("what is deleted is gone at once, though it may be stored for a while", () => {
  const path = `/tenant/ideabanks/0bank0000001/proposals/${A}`;
  const deleted = asked(1, [200, 210], { operation: "deleteProposal", method: "DELETE", path }, 204);
  const made = wrote(105, "proposals", proposal(A));
  expect(
    found(acknowledged, [made, wrote(205, "proposals", proposal(A, { idea_bank_id: A }), proposal(A)), deleted]),
  ).toBe(0);
  expect(found(acknowledged, [made, deleted])).toBe(1);
});
test("an account has at most four active keys, and no fewer when one is refused", () => {
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => wrote(200 + i, "api_keys", apiKey({ id: `0key0000010${i}` }), null, 1));
  const owner = { client: "owner", operation: "createApiKey", method: "POST", path: "/account/api/keys" };
  const made = asked(1, [190, 290], owner, 201);
  const refused = asked(2, [300, 310], owner, 409, { body: { error: "api-key-limit-reached" } });
  expect(found(activeKeys, [...keys(3), made, refused])).toBe(0);
  expect(found(activeKeys, keys(4))).toBe(1);
  expect(found(activeKeys, [...keys(2), made, refused])).toBe(1);
});
test("stored bytes grow with what is added, and a refusal needs a full account", () => {
  const grow = (bytes: number) => {
    const write = wrote(300, "proposals", proposal(A));
    return {
      ...write,
      changes: [...write.changes, { table: "accounts", before: account(), after: account({ stored_bytes: bytes }) }],
    };
  };
  const refused = asked(
    1,
    [400, 410],
    { ...whoami, operation: "createProposal", method: "POST", path: "/tenant/ideabanks/0bank0000001/proposals" },
    409,
    { body: { error: "quota-exceeded" } },
  );
  expect(found(storage, [grow(900_000), refused])).toBe(0);
  expect(found(storage, [grow(0)])).toBe(1);
  expect(found(storage, [grow(1_000_001)])).toBe(1);
  expect(found(storage, [refused])).toBe(1);
});
test("what an owner's Idempotency-Key keeps is no part of the stored bytes; a tenant's is; an owner is refused nothing", () => {
  const keeps = (key: string, bytes: number) => {
    const write = wrote(300, "idempotency_keys", { account_id: ACCOUNT, key, outcome: "{}" });
    return {
      ...write,
      changes: [...write.changes, { table: "accounts", before: account(), after: account({ stored_bytes: bytes }) }],
    };
  };
  expect(found(storage, [keeps("account 4f", 0)])).toBe(0);
  expect(found(storage, [keeps("4f", 0)])).toBe(1);
  expect(found(storage, [keeps("4f", 170)])).toBe(0);
  const rotates = { operation: "rotateApiKey", method: "POST", path: `/account/api/keys/${KEY_ID}/rotate` };
  expect(found(storage, asked(1, [400, 410], rotates, 409, { body: { error: "quota-exceeded" } }))).toBe(1);
});

const foreign = [
  wrote(1, "accounts", account({ id: "0acct0000002", owner_email: "b@example.com" })),
  wrote(2, "proposals", proposal("0prop0000009", { account_id: "0acct0000002" })),
];
test("no answer, no success and no commit of one tenant is another's", () => {
  const read = (id: string, status: number, body: object) =>
    asked(
      1,
      [100, 110],
      { ...whoami, operation: "getProposal", path: `/tenant/ideabanks/0bank0000001/proposals/${id}` },
      status,
      { body },
    );
  expect(found(tenants, [...foreign, wrote(3, "proposals", proposal(A)), read(A, 200, { id: A })])).toBe(0);
  expect(found(tenants, [...foreign, read("0prop0000009", 403, {})])).toBe(0);
  expect(found(tenants, [...foreign, read(A, 200, { id: "0prop0000009" })])).toBe(1);
  expect(found(tenants, [...foreign, read("0prop0000009", 200, {})])).toBe(1);
  expect(
    found(tenants, [
      ...foreign,
      read(A, 403, {}),
      wrote(105, "proposals", null, proposal("0prop0000009", { account_id: "0acct0000002" }), 1),
    ]),
  ).toBe(1);
});
test("a request asks its credential's database alone", () => {
  const use = asked(1, [100, 110], whoami, 200);
  expect(found(oneDatabase, [use, stored(1, 105, "d1", "0")])).toBe(0);
  expect(found(oneDatabase, [use, stored(1, 105, "d1", "1")])).toBe(1);
});
test("an owner has one account, in whichever database, and the directory names it", () => {
  const second = account({ id: "1acct0000001" });
  expect(
    found(oneAccount, foreign, { "0": { owners: [{ email: "b@example.com", account_id: "0acct0000002" }] } }),
  ).toBe(0);
  expect(found(oneAccount, [wrote(100, "accounts", second)])).toBe(1);
  expect(found(oneAccount, [], { "1": { accounts: [second] } })).toBe(1);
  expect(
    found(oneAccount, foreign, { "0": { owners: [{ email: "b@example.com", account_id: "0acct0000009" }] } }),
  ).toBe(1);
});

test("what was deleted or merged is not left half done", () => {
  const ended = (tables: History["settled"][string]) => found(slices, [], { "0": tables });
  const panelist = { id: "0p", deleted_at: null };
  const whole = {
    idea_banks: [{ id: "0b" }],
    proposals: [{ id: A, idea_bank_id: "0b" }],
    comments: [{ id: "0c", proposal_id: A }],
    votes: [{ proposal_id: A, panelist_id: "0p" }],
    panelists: [panelist],
    merges: [],
  };
  expect(ended(whole)).toBe(0);
  expect(ended({ ...whole, idea_banks: [] })).toBe(1);
  expect(ended({ ...whole, proposals: [] })).toBe(2);
  expect(ended({ ...whole, panelists: [] })).toBe(1);
  expect(ended({ ...whole, panelists: [{ ...panelist, deleted_at: 1 }] })).toBe(1);
  expect(ended({ ...whole, merges: [{ source_id: A }] })).toBe(1);
});
