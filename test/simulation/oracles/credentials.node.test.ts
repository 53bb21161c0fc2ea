import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { HistoryEvent, Oracle } from "../history.ts";
import { expiry } from "./expiry.ts";
import { narrowing } from "./key-changes.ts";
import { revocation, unconfirmedRevocation } from "./key-revocation.ts";
import { rotation } from "./key-rotation.ts";
import { newToken } from "./new-token.ts";
import { panelistIdOf } from "./seen/credentials.ts";
import {
  ACCOUNT,
  account,
  apiKey,
  asked,
  changelog,
  fault,
  history,
  IDEA_BANK,
  ideaBank,
  KEY,
  KEY_ID,
  PANELIST,
  panelist,
  TOKEN,
  whoami,
  world,
  wrote,
} from "./seen/hand-made.ts";
import { resumption, suspension } from "./suspension.ts";
import { tokensEnd } from "./tokens-end.ts";
import { visitorsOnlyRead } from "./visitors.ts";

const found = (oracle: Oracle, ...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  oracle.check(history([...world, ...events])).length;

const revoke = (call: number, [from, to]: readonly [number, number], status = 200) => [
  wrote(from + 1, "api_keys", apiKey({ revoked_at: 1 }), apiKey(), call),
  ...asked(
    call,
    [from, to],
    { operation: "revokeApiKey", method: "DELETE", path: `/account/api/keys/${KEY_ID}` },
    status,
  ),
];
const use = (call: number, from: number, to: number, status = 200, key = KEY) =>
  asked(call, [from, to], { headers: { "x-api-key": key } }, status);

test("a revoked key is refused from the owner's answer on; what was under way may pass", () => {
  expect(found(revocation, revoke(1, [100, 200]), use(2, 199, 300), use(3, 201, 300, 401), use(4, 210, 300, 429))).toBe(
    0,
  );
  expect(found(revocation, revoke(1, [100, 200]), use(2, 201, 300))).toBe(1);
  expect(found(revocation, revoke(1, [100, 200]), use(2, 60_300, 60_400, 429))).toBe(1);
});
test("a key that the operator has revoked is refused from the answer on", () => {
  const revocationBy = (answered: number) => [
    wrote(101, "api_keys", apiKey({ revoked_at: 1 }), apiKey(), 1),
    ...asked(
      1,
      [100, answered],
      { operation: "revokeKeyAsOperator", method: "DELETE", path: `/operator/keys/${KEY_ID}` },
      200,
    ),
  ];
  expect(found(revocation, revocationBy(200), use(2, 199, 300), use(3, 201, 300, 401))).toBe(0);
  expect(found(revocation, revocationBy(200), use(2, 201, 300))).toBe(1);
});

test("a revocation that was answered 503 holds after five minutes", () => {
  expect(found(unconfirmedRevocation, revoke(1, [100, 200], 503), use(2, 250_000, 250_100))).toBe(0);
  expect(found(unconfirmedRevocation, revoke(1, [100, 200], 503), use(2, 302_000, 302_100))).toBe(1);
});

const secret = (letter: string) => KEY.replaceAll("S", letter);
const rotate = (call: number, at: number, key: string, graceSeconds: number) =>
  asked(
    call,
    [at, at + 10],
    { operation: "rotateApiKey", method: "POST", path: `/account/api/keys/${KEY_ID}/rotate`, body: { graceSeconds } },
    201,
    { body: { key, warning: null } },
  );
test("without grace the old secret ends with the answer", () => {
  expect(
    found(rotation, rotate(1, 100, secret("A"), 0), use(2, 120, 130, 401), use(3, 120, 130, 200, secret("A"))),
  ).toBe(0);
  expect(found(rotation, rotate(1, 100, secret("A"), 0), use(2, 120, 130))).toBe(1);
});
test("with grace the old secret works for it and no longer, an older one not at all", () => {
  expect(found(rotation, rotate(1, 100, secret("A"), 3600), use(2, 3_500_000, 3_500_100))).toBe(0);
  expect(found(rotation, rotate(1, 100, secret("A"), 3600), use(2, 3_603_000, 3_603_100))).toBe(1);
  const thrice = [
    ...rotate(1, 100, secret("A"), 3600),
    ...rotate(2, 200, secret("B"), 3600),
    ...rotate(3, 300, secret("C"), 3600),
  ];
  const between = use(5, 250, 260, 200, secret("B"));
  expect(found(rotation, thrice, between, use(4, 400, 410, 200, secret("B")))).toBe(0);
  expect(found(rotation, thrice, between, use(4, 400, 410, 200, secret("A")))).toBe(1);
  // Until a newer one is used, it is the one in use.
  expect(found(rotation, thrice, use(4, 400, 410, 200, secret("A")))).toBe(0);
});
test("of two rotations at once the one that was committed first has the older secret", () => {
  const rotated = (call: number, at: number) => wrote(at, "api_keys", apiKey({ rotated_at: at }), apiKey(), call);
  const atOnce = [
    ...rotate(1, 100, secret("A"), 0),
    rotated(1, 108),
    ...rotate(2, 100, secret("B"), 0),
    rotated(2, 106),
  ];
  const third = [...rotate(3, 200, secret("C"), 3600), rotated(3, 205)];
  const between = use(5, 150, 160, 200, secret("A"));
  expect(found(rotation, atOnce, between, third, use(4, 300, 310, 200, secret("A")))).toBe(0);
  expect(found(rotation, atOnce, between, third, use(4, 300, 310, 200, secret("B")))).toBe(1);
});

const setStatus = (call: number, at: number, status: string) => [
  wrote(at + 5, "accounts", account({ status }), account(), call),
  ...asked(
    call,
    [at, at + 10],
    { operation: "setAccountStatus", method: "PUT", path: "/operator/account-status", body: { status } },
    200,
    { body: { accountId: ACCOUNT, status } },
  ),
];
test("a suspended account's keys are refused until it is resumed, then admitted", () => {
  const both = [...setStatus(1, 100, "suspended"), ...setStatus(2, 500, "active")];
  expect(found(suspension, both, use(3, 200, 210, 403), use(4, 490, 520), use(5, 600, 610))).toBe(0);
  expect(found(suspension, both, use(3, 200, 210))).toBe(1);
  expect(found(resumption, both, use(3, 200, 210, 403), use(5, 600, 610))).toBe(0);
  expect(found(resumption, both, use(3, 600, 610, 403))).toBe(1);
});

const issue = (call: number, at: number, lifetimeSeconds = 60) =>
  asked(
    call,
    [at, at + 10],
    {
      operation: "issueToken",
      method: "POST",
      path: `/tenant/ideabanks/${IDEA_BANK}/tokens`,
      headers: whoami.headers ?? {},
      body: { panelistId: PANELIST, lifetimeSeconds },
    },
    201,
    { body: { token: TOKEN, panelistId: PANELIST } },
  );
const view = (call: number, at: number, status: number, more: object = {}) =>
  asked(
    call,
    [at, at + 10],
    { ...changelog, ...more },
    status,
    status === 404 ? { body: { error: "idea-bank-not-found" } } : { body: { items: [] } },
  );

test("an expired token is refused", () => {
  expect(found(expiry, issue(1, 100), view(2, 60_500, 200), view(3, 62_000, 401))).toBe(0);
  expect(found(expiry, issue(1, 100), view(3, 62_000, 200))).toBe(1);
});
test("an expired key is refused", () => {
  const made = asked(
    1,
    [100, 200],
    { operation: "createApiKey", method: "POST", path: "/account/api/keys", body: { expiresInDays: 1 } },
    201,
    { body: { apiKey: { id: KEY_ID }, key: KEY } },
  );
  expect(found(expiry, made, use(2, 86_400_000, 86_400_100), use(3, 86_403_000, 86_403_100, 401))).toBe(0);
  expect(found(expiry, made, use(3, 86_403_000, 86_403_100))).toBe(1);
});

test("a new token is never refused while its panelist is active and its idea bank open", () => {
  expect(found(newToken, issue(1, 100), view(2, 200, 200), view(3, 300, 503))).toBe(0);
  expect(found(newToken, issue(1, 100), view(2, 200, 401))).toBe(1);
  expect(found(newToken, issue(1, 100), view(2, 200, 404))).toBe(1);
  expect(found(newToken, issue(1, 100), fault("d1", 150, 400), view(2, 200, 401))).toBe(1);
});
test("the replay of a lost answer has the token of the first request, and what revoked that one explains a refusal", () => {
  const revoked = wrote(150, "panelists", panelist({ tokens_revoked_at: 5 }), panelist());
  const withKey = { headers: { ...whoami.headers, "idempotency-key": "k" }, operation: "issueToken", method: "POST" };
  const path = `/tenant/ideabanks/${IDEA_BANK}/tokens`;
  const lost = asked(9, [50, 60], { ...withKey, path }, 201).slice(0, 1);
  const replay = asked(1, [200, 210], { ...withKey, path }, 201, { body: { token: TOKEN, panelistId: PANELIST } });
  expect(found(newToken, revoked, replay, view(2, 300, 401))).toBe(1);
  expect(found(newToken, lost, revoked, replay, view(2, 300, 401))).toBe(0);
});
test("a revocation, an end of its life, a closed idea bank explain a refusal", () => {
  const revoked = wrote(190, "panelists", panelist({ tokens_revoked_at: 5 }), panelist());
  expect(found(newToken, issue(1, 100), revoked, view(2, 200, 401))).toBe(0);
  expect(found(newToken, issue(1, 100), view(2, 60_050, 401))).toBe(0);
  expect(
    found(
      newToken,
      issue(1, 100),
      wrote(205, "idea_banks", ideaBank({ status: "CLOSED" }), ideaBank()),
      view(2, 200, 404),
    ),
  ).toBe(0);
});

const end = (call: number, at: number) => [
  wrote(at + 5, "panelists", panelist({ tokens_revoked_at: 5 }), panelist(), call),
  ...asked(
    call,
    [at, at + 10],
    {
      operation: "revokeTokens",
      method: "DELETE",
      path: `/tenant/panelists/${PANELIST}/tokens`,
      headers: whoami.headers ?? {},
      isolate: "a",
    },
    204,
  ),
];
test("revoked tokens end at once in the isolate that revoked them, D1 up or down", () => {
  expect(found(tokensEnd, end(1, 100), view(2, 111, 401), view(3, 108, 200))).toBe(0);
  expect(found(tokensEnd, end(1, 100), view(2, 111, 200))).toBe(1);
  expect(found(tokensEnd, end(1, 100), fault("d1", 109, 900), view(2, 111, 200))).toBe(1);
});
test("revoked tokens end within 11 seconds elsewhere, in 5 minutes while D1 does not answer", () => {
  expect(
    found(tokensEnd, end(1, 100), view(2, 11_000, 200, { isolate: "b" }), view(3, 12_000, 401, { isolate: "b" })),
  ).toBe(0);
  expect(found(tokensEnd, end(1, 100), view(2, 11_200, 200, { isolate: "b" }))).toBe(1);
  expect(found(tokensEnd, end(1, 100), fault("d1", 109, 900_000), view(2, 11_200, 200, { isolate: "b" }))).toBe(0);
  expect(found(tokensEnd, end(1, 100), fault("d1", 109, 900_000), view(2, 301_000, 200, { isolate: "b" }))).toBe(1);
});
test("revoked tokens end later by as much as an isolate's clock has stepped back meanwhile", () => {
  const step = { kind: "clock-stepped", at: 5_000, where: "b", by: -5_000 } as const;
  expect(found(tokensEnd, end(1, 100), step, view(2, 16_000, 200, { isolate: "b" }))).toBe(0);
  expect(found(tokensEnd, end(1, 100), step, view(2, 16_200, 200, { isolate: "b" }))).toBe(1);
  expect(found(tokensEnd, end(1, 100), step, view(2, 111, 200))).toBe(1);
});
test("a token that was issued after the revocation is another one", () => {
  expect(found(tokensEnd, end(1, 100), issue(2, 200), view(3, 300, 200))).toBe(0);
});

const change = (call: number, from: number, to: number, body: object, status = 200) =>
  asked(
    call,
    [from, to],
    { operation: "changeApiKey", method: "PATCH", path: `/account/api/keys/${KEY_ID}`, body },
    status,
  );
const narrowed = (...events: Parameters<typeof history>[0]) => narrowing.check(history([...world, ...events])).length;

test("a paused key, or one that is allowed elsewhere, that is admitted after the owner's answer breaks narrowing", () => {
  for (const body of [{ paused: true }, { allowedAddresses: ["198.51.100.0/24"] }]) {
    expect(narrowed(change(1, 1_000, 2_000, body), asked(2, [2_001, 2_010], whoami, 200))).toBe(1);
    expect(narrowed(change(1, 1_000, 2_000, body), asked(2, [2_001, 2_010], whoami, 403))).toBe(0);
    expect(narrowed(change(1, 1_000, 2_000, body), asked(2, [1_999, 2_010], whoami, 200))).toBe(0);
    expect(narrowed(change(1, 1_000, 2_000, body, 503), asked(2, [2_001, 2_010], whoami, 200))).toBe(0);
  }
});
test("a key that is being resumed meanwhile, or is again, may be admitted", () => {
  const [pause, late] = [change(1, 1_000, 2_000, { paused: true }), asked(3, [2_600, 2_610], whoami, 200)];
  expect(narrowed(pause, change(2, 2_500, 3_500, { paused: false }), late)).toBe(0);
  expect(narrowed(pause, change(2, 1_500, 1_900, { paused: false }), late)).toBe(0);
  expect(narrowed(pause, change(2, 500, 900, { paused: false }), late)).toBe(1);
  expect(narrowed(pause, change(2, 2_500, 3_500, { limit: 5 }), late)).toBe(1);
});
test("a write with a scope that was taken away breaks narrowing", () => {
  const write = { ...whoami, operation: "createPanelist", method: "POST", path: "/tenant/panelists" };
  const written = wrote(2_005, "panelists", { id: PANELIST, account_id: ACCOUNT }, null, 2);
  const less = change(1, 1_000, 2_000, { scopes: ["surveys:read"] });
  expect(narrowed(less, asked(2, [2_001, 2_010], write, 201), written)).toBe(1);
  expect(narrowed(less, asked(2, [2_001, 2_010], write, 403))).toBe(0);
});

const VISITOR = `ibv_${IDEA_BANK}${"v".repeat(28)}`;
const asVisitor = { headers: { authorization: VISITOR } };
const endVisitors = (call: number, at: number) => [
  wrote(at + 5, "idea_banks", ideaBank({ visitor_tokens_ended_at: 5 }), ideaBank(), call),
  ...asked(
    call,
    [at, at + 10],
    { ...whoami, operation: "endVisitorTokens", path: `/tenant/ideabanks/${IDEA_BANK}/visitor-tokens`, isolate: "a" },
    204,
  ),
];
test("visitors' tokens end at once where that was asked for, and within 11 seconds elsewhere; a new one works", () => {
  const elsewhere = { ...asVisitor, isolate: "b" };
  expect(found(tokensEnd, endVisitors(1, 100), view(2, 11_000, 200, elsewhere), view(3, 111, 401, asVisitor))).toBe(0);
  expect(found(tokensEnd, endVisitors(1, 100), view(2, 111, 200, asVisitor))).toBe(1);
  expect(found(tokensEnd, endVisitors(1, 100), view(2, 11_200, 200, elsewhere))).toBe(1);
  const made = asked(
    1,
    [100, 110],
    { ...whoami, operation: "issueToken", path: `/tenant/ideabanks/${IDEA_BANK}/tokens`, body: { visitor: true } },
    201,
    { body: { token: VISITOR, panelistId: null } },
  );
  expect(found(newToken, made, view(2, 200, 401, asVisitor))).toBe(1);
  expect(found(newToken, made, endVisitors(3, 150), view(2, 200, 401, asVisitor))).toBe(0);
});

test("a visitor's write is refused, and commits nothing", () => {
  const vote = { operation: "vote", method: "PUT", path: "/ideabank/proposals/0p/vote", ...asVisitor };
  expect(found(visitorsOnlyRead, asked(1, [100, 110], vote, 403), view(2, 200, 200, asVisitor))).toBe(0);
  expect(found(visitorsOnlyRead, asked(1, [100, 110], vote, 200))).toBe(1);
  const committed = wrote(105, "panelists", panelist({ active: 0 }), panelist(), 1);
  expect(found(visitorsOnlyRead, committed, asked(1, [100, 110], vote, 403))).toBe(1);
});

/** As a tenant's server does: by the secret that an answer has shown. */
const KID = `${IDEA_BANK}.${ACCOUNT}.1.abcdefgh`;
const shownSecret = asked(
  9,
  [1, 2],
  { ...whoami, operation: "getSigningSecret", path: `/tenant/ideabanks/${IDEA_BANK}/signing-secret` },
  200,
  { body: { kid: KID, secret: "ibs_secret" } },
);
const sign = (iat: number, secret = "ibs_secret") => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: IDEA_BANK, sub: "customer-42", iat, exp: iat + 3_600 };
  const signed = `${part({ alg: "HS256", kid: KID })}.${part(claims)}`;
  return { headers: { authorization: `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}` } };
};
test("what a tenant's server has signed works at once, until its person or its secret ends", () => {
  const bank = ideaBank({ signing_epoch: 1 });
  const rotated = (until: number) =>
    wrote(5_000, "idea_banks", ideaBank({ signing_epoch: 2, signing_previous_until: until }), bank);
  const signed = sign(3);
  const before = wrote(3, "idea_banks", bank, ideaBank());
  expect(found(newToken, shownSecret, before, view(2, 4_000, 401, signed))).toBe(1);
  expect(found(newToken, shownSecret, before, rotated(5_000), view(2, 20_000, 401, signed))).toBe(0);
  expect(found(newToken, shownSecret, before, view(2, 4_000, 401, sign(3, "another")))).toBe(0);
  expect(found(tokensEnd, shownSecret, before, rotated(5_000), view(2, 15_900, 200, signed))).toBe(0);
  expect(found(tokensEnd, shownSecret, before, rotated(5_000), view(2, 16_100, 200, signed))).toBe(1);
  expect(found(tokensEnd, shownSecret, before, rotated(9_000), view(2, 19_900, 200, signed))).toBe(0);
  expect(found(tokensEnd, shownSecret, before, rotated(9_000), view(2, 20_100, 200, signed))).toBe(1);
  const twice = (older: string | null) =>
    wrote(
      6_000,
      "idea_banks",
      ideaBank({ signing_epoch: 3, signing_previous_until: 9_000, signing_older: older }),
      bank,
    );
  expect(found(tokensEnd, shownSecret, before, twice("[[1,9000]]"), view(2, 19_900, 200, signed))).toBe(0);
  expect(found(tokensEnd, shownSecret, before, twice("[[1,9000]]"), view(2, 20_100, 200, signed))).toBe(1);
  expect(found(tokensEnd, shownSecret, before, twice(null), view(2, 17_100, 200, signed))).toBe(1);
});
test("whose tokens are revoked by externalId may have had no row", () => {
  const id = panelistIdOf(sign(1).headers.authorization);
  const made = wrote(5_000, "panelists", panelist({ id, tokens_revoked_at: 5_000 }), null);
  expect(found(tokensEnd, shownSecret, made, view(2, 15_900, 200, sign(1)))).toBe(0);
  expect(found(tokensEnd, shownSecret, made, view(2, 16_100, 200, sign(1)))).toBe(1);
  // Who comes back after a deletion keeps that one's time.
  const back = wrote(9_000, "panelists", panelist({ id, tokens_revoked_at: 5_000 }), null);
  expect(found(tokensEnd, shownSecret, back, view(2, 30_000, 200, sign(8)))).toBe(0);
  const row = panelist({ id, tokens_revoked_at: 5_400 });
  const gone = [wrote(1_000, "panelists", panelist({ id })), wrote(5_400, "panelists", row, panelist({ id }))];
  const soon = [wrote(5_400, "panelists", null, row), wrote(6_300, "panelists", row, null)];
  expect(found(tokensEnd, shownSecret, gone, soon, view(2, 17_500, 200, sign(5)))).toBe(0);
});
