/** Visitors' tokens: they read everything, write nothing, and end together. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { interceptLimits } from "../../support/limits.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { CHANGELOG, createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { newId, signingKeys } from "../../support/world.ts";

type Issued = { token: string; panelistId: string | null; expiresAt: string };
const DAY = 86_400;

async function createScene(isolate = createIsolate()) {
  const panel = await createPanel({}, isolate);
  const path = `/tenant/ideabanks/${panel.bank.id}`;
  const issue = async (body: object = {}) =>
    (await panel.tenant.send("POST", `${path}/tokens`, { visitor: true, ...body })).json<Issued>();
  const end = () => panel.tenant.send("DELETE", `${path}/visitor-tokens`);
  return { ...panel, path, issue, end };
}

const operations = operationsOf("compoundToken");
const reading = operations.filter(({ method }) => method === "GET");
const writing = operations.filter(({ method }) => method !== "GET");

describe("a visitor's token", () => {
  it("lasts 366 days, or as asked for, and not as long for a panelist", async () => {
    const { issue, panelist, tenant, path } = await createScene();
    const issued = await issue();
    expect(issued).toMatchObject({ token: expect.stringMatching(/^ibv_[0-9A-Za-z]{40}$/), panelistId: null });
    expect(Date.parse(issued.expiresAt)).toBeGreaterThan(Date.now() + 365 * DAY * 1000);
    expect(Date.parse((await issue({ lifetimeSeconds: 60 })).expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    for (const lifetimeSeconds of [59, 366 * DAY + 1])
      expect((await tenant.send("POST", `${path}/tokens`, { visitor: true, lifetimeSeconds })).status).toBe(400);
    const { id } = await panelist();
    const long = { panelistId: id, lifetimeSeconds: 90 * DAY + 1 };
    expect((await tenant.send("POST", `${path}/tokens`, long)).status).toBe(400);
  });

  it("names nobody: with a panelist, a name, or `false` it is 400", async () => {
    const { tenant, path } = await createScene();
    for (const body of [
      { visitor: true, panelistId: newId() },
      { visitor: true, externalId: "customer-42" },
      { visitor: true, displayName: "Robin" },
      { visitor: false },
      { visitor: false, externalId: "customer-42" },
    ])
      expect((await tenant.send("POST", `${path}/tokens`, body)).status, JSON.stringify(body)).toBe(400);
  });

  it("is issued for a tenant's own idea bank, once for an Idempotency-Key, and writes nothing else", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    const foreign = await mine.tenant.send("POST", `${theirs.path}/tokens`, { visitor: true });
    expect(foreign.status).toBe(403);
    const send = () =>
      mine.tenant.send("POST", `${mine.path}/tokens`, { visitor: true }, { "Idempotency-Key": "the-page" });
    const [first, second] = [await send(), await send()];
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await second.json()).toEqual(await first.json());
  });

  it.each(reading)("reads $path", async ({ path }) => {
    const { issue, isolate, propose, panelist, bank, tenant } = await createScene();
    const proposalId = await propose();
    const survey = {
      ideaBankId: bank.id,
      title: "A survey",
      status: "OPEN",
      questions: [{ kind: "text", title: "Why?" }],
    };
    const { id: surveyId } = await (await tenant.send("POST", "/tenant/surveys", survey)).json<{ id: string }>();
    const { token } = await issue();
    const read = async (authorization: string) => {
      const query = path.endsWith("/similar") ? "?title=tenant" : "";
      return sendWith(isolate, authorization)("GET", fillPath(path, { proposalId, surveyId }) + query);
    };
    const [visitors, panelists] = [await read(token), await read((await panelist()).token)];
    expect(visitors.status).toBe(200);
    const withoutCapabilities = (text: string) =>
      text.replace(/"can(Submit\w*|Vote|Comment|Answer\w*)":\w+|,"panelistC.*?}/g, "");
    expect(withoutCapabilities(await visitors.text())).toBe(withoutCapabilities(await panelists.text()));
  });

  it.each(writing)("does not write: $method $path is 403, from memory", async ({ method, path, operation }) => {
    const { env: counted, counts } = countStores(env);
    const { issue } = await createScene();
    const { token } = await issue();
    const ids = { proposalId: newId(), commentId: newId(), surveyId: newId() };
    const send = sendWith(createIsolate(counted), token);
    for (let times = 0; times < 3; times++) {
      const answer = await send(method, fillPath(path, ids), bodyOf(operation));
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ error: "sign-in-required" }),
      ]);
    }
    expect(counts).toEqual({ d1: 1, "kv.read": 0, "kv.write": 0, gate: 0 });
  });

  it("has no capability to write, and learns what a panelist could", async () => {
    const { issue, isolate, manage } = await createScene();
    await manage("PATCH", "", { votingEnabled: false });
    const access = await sendWith(isolate, (await issue()).token)("GET", "/ideabank");
    const reads = { canViewChangelog: true, canViewProposals: true, canVote: false };
    expect(await access.json()).toEqual({
      name: "An idea bank",
      capabilities: { ...reads, canSubmitProposals: false, canComment: false, canAnswerSurveys: false },
      panelistCapabilities: { ...reads, canSubmitProposals: true, canComment: true, canAnswerSurveys: true },
    });
  });

  it("sees nothing that waits for approval, and has nothing of its own", async () => {
    const { issue, isolate, panelist, manage } = await createScene();
    await manage("PATCH", "", { approvalRequired: true });
    const author = await panelist();
    const pending = await author.submit();
    const send = sendWith(isolate, (await issue()).token);
    expect((await send("GET", `${PROPOSALS}/${pending}`)).status).toBe(404);
    for (const mine of ["submitted", "voted"])
      expect(await (await send("GET", `${PROPOSALS}?mine=${mine}`)).json()).toEqual({ items: [] });
  });

  it("of an idea bank that is closed, internal, suspended or gone is answered as a panelist's", async () => {
    const { issue, isolate, bank, manage, panelist } = await createScene();
    const [visitor, other] = [sendWith(isolate, (await issue()).token), (await panelist()).send];
    freeze(Date.now() + 60_000);
    const compare = async (path: string, status: number) => {
      const [mine, theirs] = [await visitor("GET", path), await other("GET", path)];
      expect([mine.status, theirs.status], path).toEqual([status, status]);
      const texts = [await mine.text(), await theirs.text()];
      expect(texts[0]).toBe(texts[1]);
    };
    await manage("PATCH", "", { status: "CLOSED" });
    for (const [path, status] of [
      [CHANGELOG, 404],
      [PROPOSALS, 404],
      ["/ideabank", 200],
    ] as const)
      await compare(path, status);
    await databaseOf(bank.id).prepare("DELETE FROM idea_banks WHERE id = ?1").bind(bank.id).run();
    freeze(Date.now() + 120_000);
    for (const [path, status] of [
      [CHANGELOG, 404],
      [PROPOSALS, 404],
      ["/ideabank", 200],
    ] as const)
      await compare(path, status);
  });
});

describe("ending the visitors' tokens", () => {
  it("ends all that exist, at once where it was asked for, and within the freshness elsewhere; not a panelist's", {
    tags: "slow",
  }, async () => {
    const { issue, end, isolate, panelist } = await createScene();
    const elsewhere = createIsolate({ ...env, FRESHNESS_SECONDS: "0" });
    const tokens = [(await issue()).token, (await issue({ lifetimeSeconds: 60 })).token];
    const statuses = (of: typeof isolate, token: string) =>
      Promise.all(
        [CHANGELOG, "/ideabank", PROPOSALS].map(async (path) => (await sendWith(of, token)("GET", path)).status),
      );
    for (const token of tokens)
      for (const of of [isolate, elsewhere]) expect(await statuses(of, token)).toEqual([200, 200, 200]);
    expect((await end()).status).toBe(204);
    for (const token of tokens)
      for (const of of [isolate, elsewhere]) expect(await statuses(of, token)).toEqual([401, 401, 401]);
    expect(await statuses(isolate, (await panelist()).token)).toEqual([200, 200, 200]);
  });

  it.each(operations)("$method $path is 401 with one that has ended", async ({ method, path, operation }) => {
    const { issue, end, bank } = await createScene();
    const { token: revoked } = await issue();
    await end();
    const issuedAt = Math.floor(Date.now() / 1000) - 61;
    const claims = { ideaBankId: bank.id, panelistId: null, issuedAt, expiresAt: issuedAt + 60 };
    for (const token of [revoked, await issueToken(claims, signingKeys)])
      for (const ids of [{ proposalId: newId(), commentId: newId() }, {}])
        for (const body of [bodyOf(operation), operation.body && "not JSON"]) {
          const answer = await sendWith(createIsolate(), token)(method, fillPath(path, ids), body);
          expect([answer.status, await answer.json()]).toEqual([
            401,
            expect.objectContaining({ error: "unauthorized" }),
          ]);
        }
  });

  it("lets a new one work at once, everywhere; a third within a second has to wait for it", async () => {
    const { issue, end, isolate, tenant, path } = await createScene();
    const elsewhere = createIsolate();
    const { token: old } = await issue();
    expect((await sendWith(elsewhere, old)("GET", CHANGELOG)).status).toBe(200);
    await end();
    const { token } = await issue();
    for (const of of [isolate, elsewhere])
      for (const read of [CHANGELOG, PROPOSALS]) expect((await sendWith(of, token)("GET", read)).status).toBe(200);
    await databaseOf(path.slice("/tenant/ideabanks/".length))
      .prepare("UPDATE idea_banks SET visitor_tokens_ended_at = (unixepoch() + 1) * 1000")
      .run();
    expect((await tenant.send("POST", `${path}/tokens`, { visitor: true })).status).toBe(409);
  });
});

describe("attacks", () => {
  const now = () => Math.floor(Date.now() / 1000);

  it("a visitor's body under a panelist's prefix, and the reverse, are 401 without I/O", async () => {
    const { bank, issue } = await createScene();
    const { token } = await issue();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const forged = [
      token.replace("ibv_", "ibt_"),
      bank.token.replace("ibt_", "ibv_"),
      `${token}${"0".repeat(11)}`.replace("ibv_", "ibt_"),
      `ibv_${newId(bank.id)}${token.slice(16)}`,
      `${token.slice(0, 22)}zzzzz${token.slice(27)}`,
    ];
    for (const text of forged)
      for (const path of [CHANGELOG, "/ideabank", PROPOSALS])
        expect((await sendWith(isolate, text)("GET", path)).status, text).toBe(401);
    expect(counts.d1).toBe(0);
  });

  it("an expired one is 401, and one of the future", async () => {
    const { bank, isolate } = await createScene();
    for (const issuedAt of [now() - 61, now() + 30]) {
      const claims = { ideaBankId: bank.id, panelistId: null, issuedAt, expiresAt: issuedAt + 60 };
      const token = await issueToken(claims, signingKeys);
      expect((await sendWith(isolate, token)("GET", CHANGELOG)).status).toBe(401);
    }
  });

  it("its readers are limited by address and idea bank: of IPv6, the first 64 bits", async () => {
    const asked: string[] = [];
    const watched = interceptLimits(env, ({ key }, makeCall) => {
      asked.push(key);
      return makeCall();
    });
    const { issue, isolate } = await createScene(createIsolate(watched));
    const { token } = await issue();
    const read = (address: string) =>
      sendWith(isolate, token)("GET", PROPOSALS, undefined, { "CF-Connecting-IP": address });
    for (const address of [
      "192.0.2.1",
      "::ffff:192.0.2.1",
      "192.0.2.2",
      "2001:db8::1",
      "2001:db8::2",
      "2001:db8:0:1::1",
    ])
      await read(address);
    expect(new Set(asked).size).toBe(4);
    const other = await createScene(isolate);
    await sendWith(isolate, (await other.issue()).token)("GET", PROPOSALS, undefined, {
      "CF-Connecting-IP": "192.0.2.1",
    });
    expect(new Set(asked).size).toBe(5);
  });

  it("a flood of one of an idea bank that is gone costs one round trip", async () => {
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const issuedAt = now() - 60;
    const claims = { ideaBankId: newId(), panelistId: null, issuedAt, expiresAt: issuedAt + DAY };
    const token = await issueToken(claims, signingKeys);
    freeze(Date.now());
    for (let times = 0; times < 20; times++)
      expect((await sendWith(isolate, token)("GET", CHANGELOG)).status).toBe(404);
    expect(counts.d1).toBe(1);
  });
});
