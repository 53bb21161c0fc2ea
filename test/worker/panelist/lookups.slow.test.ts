/**
 * Requests of panelists for which memory is not enough: each asks D1, so they count against the panelist's rate of reads. A hundred
 * of the 300 in a minute at a time, so that a test need not send them all.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-banks/idea-bank-view.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { interceptLimits } from "../../support/limits.ts";
import { OPERATOR_SECRET, withSecret } from "../../support/operator.ts";
import { CHANGELOG, createPanel, sendWith } from "../../support/panel.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { fillRevocations } from "../../support/views.ts";
import { addIdeaBank, newId, tokenFor } from "../../support/world.ts";

/** A minute of the clock resets the binding, and may begin at any time: twice three requests pass at most. */
const [SENT, MOST] = [10, 6];

/** An isolate, each of whose lookups counts as a hundred; the keys of the counted ones; and its calls to D1. */
function createScene() {
  const asked: string[] = [];
  const limited = interceptLimits(withSecret, async ({ key }, makeCall) => {
    asked.push(key);
    for (let times = 1; times < 100; times++) await makeCall();
    return makeCall();
  });
  const { env: counted, counts } = countStores(limited);
  return { isolate: createIsolate(counted), asked, counts };
}

const second = () => Math.floor(Date.now() / 1000);
const block = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** Tokens that memory cannot judge: each with its holder, and the statuses that it gets until it is over the limit. */
const CASES = {
  "of a deleted idea bank": async () => {
    const { panelistId, accountId } = await addIdeaBank();
    return { token: await tokenFor(newId(accountId), panelistId, second() - 60), holder: panelistId, status: 404 };
  },
  "of an account with more than 2,000 revocations": async () => {
    const { id, panelistId, accountId } = await addIdeaBank();
    await fillRevocations(accountId, MAX_LISTED + 1);
    return { token: await tokenFor(id, panelistId, second() - 60), holder: panelistId, status: 200 };
  },
  "that is young and refused": async () => {
    const { id, panelistId } = await addIdeaBank();
    await block(panelistId);
    return { token: await tokenFor(id, panelistId), holder: panelistId, status: 401 };
  },
} as const;

describe.each(Object.entries(CASES))("a token %s", (_, make) => {
  it("asks D1 as often as the panelist may read, then gets 429 with Retry-After and asks nothing", async () => {
    const { token, holder, status } = await make();
    freeze(Date.now());
    const { isolate, asked, counts } = createScene();
    const send = sendWith(isolate, token);
    const statuses: number[] = [];
    for (let times = 0; times < SENT; times++) {
      const answer = await send("GET", CHANGELOG);
      statuses.push(answer.status);
      if (answer.status === 429) expect(answer.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
    }
    expect(statuses.slice(0, 3)).toEqual([status, status, status]);
    expect(statuses).toContain(429);
    // The first read brings the view, and is everybody's.
    expect(counts.d1).toBeLessThanOrEqual(MOST + 1);
    expect(new Set(asked)).toEqual(new Set([holder]));
  });

  it("is counted for a service that asks about it, too", async () => {
    const { token, status } = await make();
    freeze(Date.now());
    const { isolate, counts } = createScene();
    const problems: (number | undefined)[] = [];
    for (let times = 0; times < SENT / 2; times++) {
      const answer = await isolate.ask((access) => access.panelist(token));
      problems.push(answer.problem?.status);
      if (answer.problem?.status === 429) expect(answer.headers["Retry-After"]).toMatch(/^[1-9]\d*$/);
      const response = await isolate.request("/operator/verify-token", {
        method: "POST",
        headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" },
        body: JSON.stringify({ token }),
      });
      problems.push((await response.json<{ problem: { status: number } | null }>()).problem?.status);
    }
    expect(problems[0]).toBe(status === 401 ? 401 : undefined);
    expect(problems).toContain(429);
    expect(counts.d1).toBeLessThanOrEqual(MOST + 1);
  });
});

it("a changelog that memory answers counts nothing, and neither does a read of its view", async () => {
  const { isolate, asked } = createScene();
  const { token } = await addIdeaBank();
  freeze(Date.now());
  for (let seconds = 0; seconds < 60; seconds += 6) {
    vi.setSystemTime(Date.now() + 6_000);
    expect((await sendWith(isolate, token)("GET", CHANGELOG)).status).toBe(200);
  }
  expect(asked).toEqual([]);
});

it("a closed idea bank and one that does not exist have the same limit, so it tells nobody which one it is", async () => {
  freeze(Date.now());
  const statuses = async (token: string, path: string) => {
    const { isolate } = createScene();
    const answers = [];
    for (let times = 0; times < SENT; times++) answers.push((await sendWith(isolate, token)("GET", path)).status);
    return answers.toSorted();
  };
  for (const path of [CHANGELOG, "/ideabank"]) {
    const closed = await addIdeaBank({ status: "CLOSED" });
    const missing = await addIdeaBank();
    const tokens = await Promise.all([
      tokenFor(closed.id, closed.panelistId, second() - 60),
      tokenFor(newId(missing.accountId), missing.panelistId, second() - 60),
    ]);
    const [ofClosed, ofMissing] = [await statuses(tokens[0], path), await statuses(tokens[1], path)];
    for (const answers of [ofClosed, ofMissing])
      expect([...new Set(answers)]).toEqual([path === CHANGELOG ? 404 : 200, 429]);
  }
});

it("visitors are counted by their address", async () => {
  const { isolate, asked } = createScene();
  const panel = await createPanel({ status: "CLOSED" }, isolate);
  freeze(Date.now());
  const { token } = await (await panel.manage("POST", "/tokens", { visitor: true })).json<{ token: string }>();
  const read = async (address: string) =>
    (await sendWith(isolate, token)("GET", CHANGELOG, undefined, { "CF-Connecting-IP": address })).status;
  const statuses = [];
  for (let times = 0; times < SENT; times++) statuses.push(await read("203.0.113.7"));
  expect(statuses).toContain(429);
  expect(await read("203.0.113.8")).toBe(404);
  expect(new Set(asked).size).toBe(2);
});

it("a signed token of an account that is gone is counted by its person", async () => {
  const panel = await createPanel();
  const { kid, secret } = await (await panel.manage("GET", "/signing-secret")).json<{ kid: string; secret: string }>();
  const token = await signJwt(
    { alg: "HS256", kid },
    { iss: panel.bank.id, sub: "customer-42", iat: second(), exp: second() + 60 },
    secret,
  );
  await databaseOf(panel.bank.id).prepare("DELETE FROM accounts WHERE id = ?1").bind(panel.bank.accountId).run();
  const { isolate, counts } = createScene();
  freeze(Date.now());
  const statuses = [];
  for (let times = 0; times < SENT; times++) statuses.push((await sendWith(isolate, token)("GET", CHANGELOG)).status);
  expect(statuses[0]).toBe(404);
  expect(statuses).toContain(429);
  expect(counts.d1).toBeLessThanOrEqual(3 * MOST + 1);
});

describe("a token that is refused for good", () => {
  it("is refused from memory for a minute, and takes nothing from its panelist's rate", async () => {
    const { id, panelistId, accountId } = await addIdeaBank();
    await fillRevocations(accountId, MAX_LISTED + 1);
    const revoke = "UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1";
    await databaseOf(id).prepare(revoke).bind(panelistId, Date.now()).run();
    const token = await tokenFor(id, panelistId, second() - 60);
    const start = Date.now();
    freeze(start);
    const { isolate, asked, counts } = createScene();
    const send = async (times: number) => {
      for (let each = 0; each < times; each++)
        expect((await sendWith(isolate, token)("GET", CHANGELOG)).status).toBe(401);
    };
    await send(20);
    expect([counts.d1, asked]).toEqual([1, []]);
    vi.setSystemTime(start + 59_999);
    await send(5);
    expect(counts.d1).toBe(1);
    vi.setSystemTime(start + 60_000);
    await send(20);
    expect(counts.d1).toBe(2);
  });

  it("is only that token: a newer one of the panelist works at once", async () => {
    const panel = await createPanel();
    const { id, token } = await panel.panelist();
    await panel.tenant.send("DELETE", `/tenant/panelists/${id}/tokens`);
    expect((await sendWith(panel.isolate, token)("GET", CHANGELOG)).status).toBe(401);
    const renewed = await (await panel.manage("POST", "/tokens", { panelistId: id })).json<{ token: string }>();
    expect((await sendWith(panel.isolate, renewed.token)("GET", CHANGELOG)).status).toBe(200);
  });

  it("is not one of a person who is only blocked", async () => {
    const panel = await createPanel({}, createIsolate(env));
    const { id, token } = await panel.panelist();
    const set = (active: boolean) => panel.tenant.send("PATCH", `/tenant/panelists/${id}`, { active });
    await set(false);
    expect((await sendWith(panel.isolate, token)("GET", CHANGELOG)).status).toBe(401);
    await set(true);
    const renewed = await (await panel.manage("POST", "/tokens", { panelistId: id })).json<{ token: string }>();
    expect((await sendWith(panel.isolate, renewed.token)("GET", CHANGELOG)).status).toBe(200);
  });
});
