/**
 * What other services of the platform are answered: over a service binding, and over HTTP with the operator's secret. The same as this
 * API would answer, and counted once.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { KeyTerms } from "../../../src/worker/access/answers.ts";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";
import type { KeyAnswer, TokenAnswer } from "../../../src/worker/model/access.ts";
import { signingSecretOf } from "../../../src/worker/model/signed-token.ts";
import { badApiKeys, badTokens } from "../../support/authentication-cases.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { hangStores, holdTimers } from "../../support/hang.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { OPERATOR_SECRET, withSecret } from "../../support/operator.ts";
import { seenOf } from "../../support/seen.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { addAccount, addApiKey, addIdeaBank, signingKeys } from "../../support/world.ts";

const START = 1_900_000_000_000;
const SECOND = START / 1000;

async function post<Answer>(isolate: Isolate, path: string, body: object): Promise<Answer> {
  const response = await isolate.request(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json<Answer>();
}

/** A body over HTTP has 64 KiB at most. */
const fits = (way: string) => (each: { readonly title: string }) => way !== "HTTP" || each.title !== "100 KB";

/** The two ways to ask. */
const WAYS = {
  "a service binding": (isolate: Isolate) => ({
    admit: (key: string | null, terms?: KeyTerms) => isolate.ask((access) => access.admit(key, terms)),
    panelist: (token: string | null) => isolate.ask((access) => access.panelist(token)),
  }),
  HTTP: (isolate: Isolate) => ({
    admit: (key: string | null, terms?: KeyTerms) =>
      post<KeyAnswer>(isolate, "/operator/verify-key", { key, ...terms }),
    panelist: (token: string | null) => post<TokenAnswer>(isolate, "/operator/verify-token", { token }),
  }),
} as const;

function createScene(way: keyof typeof WAYS) {
  const { env: counted, counts } = countStores(withSecret);
  const isolate = createIsolate(counted);
  const costOf = async (ask: () => Promise<unknown>) => {
    const before = { ...counts };
    await ask();
    return { d1: counts.d1 - before.d1, gate: counts.gate - before.gate };
  };
  return { isolate, counts, costOf, ...WAYS[way](isolate) };
}

/** What HTTP answers: the problem, and its headers. */
async function overHttp(isolate: Isolate, path: string, headers: Record<string, string>) {
  const response = await isolate.request(path, { headers });
  return { problem: await response.json(), retryAfter: response.headers.get("Retry-After") };
}
const shownOf = (answer: KeyAnswer | TokenAnswer) => ({
  problem: answer.problem,
  retryAfter: answer.headers["Retry-After"] ?? null,
});

describe.each(["a service binding", "HTTP"] as const)("over %s", (way) => {
  it("a good key is admitted with its tenant, its scopes and what is left, and one request is counted", async () => {
    freeze(START);
    const { admit, isolate } = createScene(way);
    const key = await addApiKey({ limit: 3, scopes: ["surveys:read"] });
    expect(await admit(key.text, { scope: "surveys:read" })).toEqual({
      ok: true,
      problem: null,
      headers: { "RateLimit-Policy": '"api-key";q=3;w=60', RateLimit: '"api-key";r=2;t=60' },
      apiKeyId: key.id,
      accountId: key.accountId,
      scopes: ["surveys:read"],
    });
    const whoami = await isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    expect(whoami.headers.get("RateLimit")).toBe('"api-key";r=1;t=60');
    expect(await admit(key.text)).toMatchObject({ ok: true, headers: { RateLimit: '"api-key";r=0;t=60' } });
    expect(shownOf(await admit(key.text))).toEqual(
      await overHttp(isolate, "/tenant/whoami", { "X-API-Key": key.text }),
    );
    expect((await admit(key.text)).headers["Retry-After"]).toBe("60");
  });

  it.each(badApiKeys.filter(fits(way)))("$title is refused as the tenant API refuses it", async ({ io, header }) => {
    vi.spyOn(console, "debug").mockImplementation(() => {});
    const { admit, isolate, costOf } = createScene(way);
    // As the runtime hands a header over: trimmed.
    const key = (await header())?.trim();
    expect(await costOf(() => admit(key ?? null))).toEqual({ d1: 0, gate: io ? 1 : 0 });
    const refused = await overHttp(isolate, "/tenant/whoami", key ? { "X-API-Key": key } : {});
    expect(shownOf(await admit(key ?? null))).toEqual(refused);
    expect(refused.problem).toMatchObject({ status: 401, error: "unauthorized" });
  });

  it("a key without the scope is 403, and is counted; a suspended account, a pause, and another address, too", async () => {
    freeze(START);
    const { admit } = createScene(way);
    const suspended = await addAccount({ status: "suspended" });
    const [narrow, closed, limited] = [
      await addApiKey({ scopes: ["surveys:read"], limit: 5 }),
      await addApiKey({ accountId: suspended }),
      await addApiKey({}),
    ];
    await databaseOf(limited.id)
      .prepare("UPDATE api_keys SET allowed_addresses = ?2 WHERE id = ?1")
      .bind(limited.id, JSON.stringify(["203.0.113.0/24"]))
      .run();
    const refused = { ok: false, problem: { status: 403, error: "forbidden" } };
    expect(await admit(narrow.text, { scope: "surveys:write" })).toMatchObject({
      ...refused,
      headers: { RateLimit: '"api-key";r=4;t=60' },
      problem: { detail: "The API key lacks the scope surveys:write." },
    });
    expect(await admit(closed.text)).toMatchObject({ ...refused, problem: { reason: "suspended" } });
    for (const address of ["198.51.100.9", "x", null, undefined])
      expect(await admit(limited.text, { address })).toMatchObject({ ...refused, problem: { reason: "address" } });
    expect(await admit(limited.text, { address: "203.0.113.7" })).toMatchObject({ ok: true });
  });

  it("the owner sees what it was used for", async () => {
    const { admit } = createScene(way);
    const key = await addApiKey();
    await admit(key.text, { address: "203.0.113.7" });
    const { used, operations } = await seenOf(key.id);
    expect(used).toMatchObject({ operation: "verifyKey", network: "203.0.113.0/24" });
    expect(operations).toEqual({ verifyKey: 1 });
  });

  it("an address that is none is as good as no address: it is not kept, however long it is", {
    tags: "slow",
  }, async () => {
    const { admit } = createScene(way);
    const key = await addApiKey({ revokedAt: Date.now() - 1 });
    expect(await admit(key.text, { address: "9".repeat(50_000) })).toMatchObject({ problem: { reason: "revoked" } });
    const kept = () =>
      databaseOf(key.id).prepare("SELECT address FROM audit_events WHERE api_key_id = ?1").bind(key.id).all();
    await expect.poll(async () => (await kept()).results).toEqual([{ address: null }]);
  });

  it("a key in busy use is decided by a lease, also one that a request over HTTP has brought", {
    tags: "slow",
  }, async () => {
    env.LEASE_SECONDS = "1";
    const { admit, isolate, costOf } = createScene(way);
    const key = await addApiKey({ limit: 10_000 });
    const send = () => isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    while ((await costOf(send)).gate > 0);
    expect(await admit(key.text)).toMatchObject({ ok: true });
    for (;;) if ((await costOf(() => admit(key.text))).gate === 0) break;
  });

  it("a key over its limit is refused from memory, whoever has learnt it", async () => {
    freeze(START);
    const { admit, isolate, costOf } = createScene(way);
    const key = await addApiKey({ limit: 1 });
    await admit(key.text);
    await admit(key.text);
    expect(await costOf(() => admit(key.text))).toEqual({ d1: 0, gate: 0 });
    const whoami = () => isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    expect(await costOf(whoami)).toEqual({ d1: 0, gate: 0 });
  });

  it("a token of each kind is answered with its claims and capabilities, from the view that the changelog uses", async () => {
    freeze(START);
    const { panelist, isolate } = createScene(way);
    const bank = await addIdeaBank();
    await databaseOf(bank.id).prepare("UPDATE idea_banks SET voting_enabled = 0 WHERE id = ?1").bind(bank.id).run();
    const { id: ideaBankId, accountId, panelistId } = bank;
    const times = { issuedAt: SECOND - 20, expiresAt: SECOND + 100 };
    const shown = { issuedAt: "2030-03-17T17:46:20.000Z", expiresAt: "2030-03-17T17:48:20.000Z" };
    const { kid, secret } = await signingSecretOf({ ideaBankId, accountId, accountEpoch: 0, epoch: 1 }, signingKeys);
    const claims = { iss: ideaBankId, sub: "customer-42", iat: times.issuedAt, exp: times.expiresAt };
    const tokens = {
      panelist: await issueToken({ ideaBankId, panelistId, ...times }, signingKeys),
      visitor: await issueToken({ ideaBankId, panelistId: null, ...times }, signingKeys),
      signed: await signJwt({ alg: "HS256", kid }, claims, secret),
    };
    const capabilities = { canViewChangelog: true, canViewProposals: true, canSubmitProposals: true, canVote: false };
    const common = { ok: true, problem: null, headers: {}, ideaBankId, accountId, ...shown, name: expect.any(String) };
    const ofPanelist = { ...common, capabilities: { ...capabilities, canComment: true, canAnswerSurveys: true } };
    expect(await panelist(tokens.panelist)).toEqual({ ...ofPanelist, panelistId });
    expect(await panelist(tokens.signed)).toEqual({ ...ofPanelist, panelistId: expect.stringMatching(/^\w{12}$/) });
    expect(await panelist(tokens.visitor)).toEqual({
      ...common,
      panelistId: null,
      capabilities: { ...capabilities, canSubmitProposals: false, canComment: false, canAnswerSurveys: false },
    });
    for (const token of Object.values(tokens)) {
      const answer = await isolate.request("/ideabank", { headers: { Authorization: token } });
      const { name, capabilities } = await answer.json<{ name: string; capabilities: object }>();
      expect(await panelist(token)).toMatchObject({ name, capabilities });
    }
  });

  it.each(badTokens.filter(fits(way)))("$title is refused as the panelist API refuses it", async ({ header }) => {
    vi.spyOn(console, "debug").mockImplementation(() => {});
    const { panelist, isolate, costOf } = createScene(way);
    const token = (await header())?.trim();
    expect(await costOf(() => panelist(token ?? null))).toEqual({ d1: 0, gate: 0 });
    const refused = await overHttp(isolate, "/ideabank", token ? { Authorization: token } : {});
    expect(shownOf(await panelist(token ?? null))).toEqual(refused);
    expect(refused.problem).toMatchObject({ status: 401, error: "unauthorized" });
  });

  it("a token with its scheme is no token: a service takes it out of the header", async () => {
    const { panelist } = createScene(way);
    expect(await panelist(`Bearer ${(await addIdeaBank()).token}`)).toMatchObject({ ok: false });
  });

  it("a revoked token is refused, and a closed idea bank and one that is gone are the same", async () => {
    const { panelist } = createScene(way);
    const [closed, gone, revoked] = [await addIdeaBank({ status: "CLOSED" }), await addIdeaBank(), await addIdeaBank()];
    await databaseOf(gone.id).prepare("DELETE FROM idea_banks WHERE id = ?1").bind(gone.id).run();
    await databaseOf(revoked.id)
      .prepare("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1")
      .bind(revoked.panelistId, Date.now() + 1_000)
      .run();
    for (const { token } of [closed, gone]) {
      const answer = await panelist(token);
      if (!answer.ok) throw new Error("refused");
      expect([answer.name, ...Object.values(answer.capabilities)]).toEqual([null, ...Array(6).fill(false)]);
    }
    expect(await panelist(revoked.token)).toMatchObject({ ok: false, problem: { error: "unauthorized" } });
  });

  it("a store that is down is 503 with Retry-After, and is not thrown", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const isolate = createIsolate(failStores(withSecret, "d1", "gate"));
    const { admit, panelist } = WAYS[way](isolate);
    const [key, bank] = [await addApiKey(), await addIdeaBank()];
    const down = { ok: false, headers: { "Retry-After": "5" }, problem: { status: 503, error: "service-unavailable" } };
    expect(await admit(key.text)).toMatchObject(down);
    expect(await panelist(bank.token)).toMatchObject(down);
  });

  it("a store that hangs is answered within ten seconds", { tags: "slow" }, async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const bank = await addIdeaBank();
    holdTimers();
    const hanging = hangStores(withSecret, "d1");
    const answered = vi.fn();
    const answer = WAYS[way](createIsolate(hanging.env)).panelist(bank.token).finally(answered);
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toMatchObject({ ok: false, problem: { status: 503 } });
  });
});

describe("over a service binding, where types are a promise of the caller alone,", () => {
  it("what is no text is no credential, and an unknown scope is a missing one", async () => {
    vi.spyOn(console, "debug").mockImplementation(() => {});
    const isolate = createIsolate();
    const key = await addApiKey();
    for (const odd of [undefined, 7, {}, [key.text], { toString: () => key.text }]) {
      const [asKey, asToken] = await isolate.ask(async (access) => [
        await Reflect.apply(access.admit, access, [odd]),
        await Reflect.apply(access.panelist, access, [odd]),
      ]);
      expect([asKey, asToken]).toMatchObject([{ problem: { status: 401 } }, { problem: { status: 401 } }]);
    }
    const withScope = (terms: unknown) =>
      isolate.ask((access) => Reflect.apply(access.admit, access, [key.text, terms])) as Promise<KeyAnswer>;
    expect(await withScope({ scope: "everything" })).toMatchObject({ problem: { status: 403 } });
    expect(await withScope({ scope: "__proto__" })).toMatchObject({ problem: { status: 403 } });
    expect(await withScope(null)).toMatchObject({ ok: true });
    expect(await withScope({ address: 7 })).toMatchObject({ ok: true });
  });
});

describe("over HTTP", () => {
  it("a question that breaks its rules is 400, and nothing is counted", async () => {
    const { isolate, counts } = createScene("HTTP");
    const send = async (path: string, body: unknown) =>
      (
        await isolate.request(path, {
          method: "POST",
          headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" },
          body: JSON.stringify(body),
        })
      ).status;
    const { text } = await addApiKey();
    for (const body of [
      {},
      [],
      null,
      { key: 7 },
      { key: text, scope: "everything" },
      { key: text, address: 7 },
      { key: text, more: 1 },
    ])
      expect([body, await send("/operator/verify-key", body)]).toEqual([body, 400]);
    for (const body of [{}, { token: 7 }, { token: text, scope: null }])
      expect([body, await send("/operator/verify-token", body)]).toEqual([body, 400]);
    expect(await send("/operator/verify-token", { token: "x".repeat(64 * 1024) })).toBe(413);
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
  });

  it("a flood of forged credentials calls no store, and costs a log line a second", { tags: "slow" }, async () => {
    freeze(START);
    const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
    const { isolate, counts } = createScene("HTTP");
    const { admit, panelist } = WAYS.HTTP(isolate);
    for (let times = 0; times < 200; times++) {
      await admit(`ibk_${String(times).padStart(47, "0")}`);
      await panelist(`ibt_${String(times).padStart(51, "0")}`);
    }
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
    expect(debug.mock.calls.length).toBeLessThanOrEqual(2);
  });
});
