/**
 * A request has one budget of time, however many calls to stores it makes: 10 seconds, and 12 with what follows a change. Here D1
 * answers each call, and takes its time: what needs several calls is not served, and nobody waits for them.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAccess } from "../../src/worker/access/entrypoint.ts";
import { createApp, createMemory } from "../../src/worker/app.ts";
import { modern } from "../support/agent.ts";
import { databaseOf } from "../support/databases.ts";
import { createDesk } from "../support/desk.ts";
import { withFault } from "../support/faults.ts";
import { interceptDatabases, interceptObjects } from "../support/intercept-binding.ts";
import { takeAll } from "../support/isolate.ts";
import { operationsOf } from "../support/operations.ts";
import { OPERATOR_SECRET } from "../support/operator.ts";
import { createOutageIsolate } from "../support/outage-isolate.ts";
import { addTenants } from "../support/outage-world.ts";
import { createOwner, ORIGIN } from "../support/owner.ts";
import { createSigner } from "../support/signing.ts";
import { telling as env } from "../support/told.ts";
import { VirtualTime, virtually } from "../support/virtual-time.ts";
import { addApiKey } from "../support/world.ts";

const BUDGET_MS = 12_000;
/** How long D1 takes for one call after the other, in milliseconds. */
const SLOWEST = [8_000, 9_500, 8_700];
const PACES = [{ pace: SLOWEST }, { pace: [3_500] }];

/** The real stores; D1 answers each call as slowly as `pace` says, and a gate that hangs never does. */
function slowDown(time: VirtualTime, pace: readonly number[], hasGates = true): Env {
  let calls = 0;
  const { bindings } = withFault(env, time, {});
  return {
    ...bindings,
    ...interceptDatabases(env, () => async (_, makeCall) => {
      const takesMs = pace[calls++ % pace.length] ?? 0;
      await virtually(takesMs);
      return time.call(makeCall);
    }),
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["admit", "block", "forget", "ping", "report"], (_, makeCall) =>
      hasGates ? time.call(makeCall) : new Promise(() => {}),
    ),
  };
}

beforeEach(() => {
  for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => void vi.useRealTimers());

describe("with D1 at 8 to 9.5 s a call", () => {
  const operations = [...operationsOf("apiKey"), ...operationsOf("compoundToken"), ...operationsOf("access")];

  it.each(operations)("$name answers in time, in an isolate that knows nothing", async (each) => {
    const [tenant, other] = await addTenants(2, "1");
    if (tenant === undefined || other === undefined) throw new Error("no tenants");
    const time = new VirtualTime(Date.now());
    for (const [whose, hasGates] of [
      [tenant, true],
      [other, false],
    ] as const) {
      const { answer: pending, done } = createOutageIsolate(time).call(
        each,
        whose,
        0,
        slowDown(time, SLOWEST, hasGates),
      );
      const { answer, elapsedMs } = await time.until(pending);
      expect([each.status, 503]).toContain(answer.status);
      expect(answer.status === 503).toBe(answer.retryAfter !== null);
      expect(elapsedMs).toBeLessThanOrEqual(BUDGET_MS);
      await done();
    }
  });
});

describe.each(PACES)("with D1 at $pace ms a call", ({ pace }) => {
  type Sent = readonly [path: string, init?: RequestInit];
  const json = (body: object, headers: Record<string, string>): RequestInit => ({
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

  async function createScene() {
    const desk = await createDesk();
    const signer = await createSigner();
    const signed = { Authorization: await signer.sign("customer-42") };
    const voted = `/ideabank/proposals/${await signer.propose()}`;
    const idea = await desk.panel.propose({ title: "An idea" });
    const key = await addApiKey({ accountId: desk.panel.bank.accountId });
    const person = createOwner();
    await person.page("");
    const decided = await desk.opened(`${desk.bank}/ideas/${idea}`, "Save");
    const form = (fields: Record<string, string>): RequestInit => ({
      method: "POST",
      headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams(fields),
    });
    const operator = { Authorization: `Bearer ${OPERATOR_SECRET}` };
    const pages = ["", "/ideas", "/people", "/api-keys", `/api-keys/${key.id}`, "/webhooks", "/members", "/activity"];
    const call = modern("tools/call", { name: "listIdeaBanks", arguments: {} }, { "X-API-Key": key.text });
    const sent: Record<string, Sent> = {
      "a changelog, by a signed token": ["/public/ideabank/changelog", { headers: signed }],
      "a list, by a signed token": ["/ideabank/proposals", { headers: signed }],
      "a vote, by a signed token": [`${voted}/vote`, { method: "PUT", headers: signed }],
      "a comment, by a signed token": [`${voted}/comments`, json({ body: "A comment" }, signed)],
      ...Object.fromEntries(pages.map((page): [string, Sent] => [`the page /account${page}`, [`/account${page}`]])),
      "the page of an idea": [`/account${desk.bank}/ideas/${idea}`],
      "a decision": [`/account${desk.bank}/ideas/${idea}`, form({ ...decided, status: "planned" })],
      "an agent's call": ["/mcp", json(call.body, call.headers)],
      "a revocation": [`/account/api-keys/${key.id}/revoke`, form({})],
      "a suspension": [
        "/operator/account-status",
        { ...json({ account: desk.panel.bank.accountId, status: "suspended" }, operator), method: "PUT" },
      ],
      "a sign-in that asks by an e-mail, which hangs": [
        "/operator/sign-ins",
        json({ email: person.email, subject: "customer-42" }, operator),
      ],
      "a member's move": ["/operator/moves", json({ from: person.email, to: `other-${person.email}` }, operator)],
      "a sign-in": ["/operator/sign-ins", json({ email: desk.owner.email }, operator)],
      "a leak": ["/leaks/reports", { method: "POST", body: new URLSearchParams({ key: key.text }) }],
      "the health check": ["/health"],
    };
    const app = createApp(
      async () => ({ email: desk.owner.email, actor: desk.owner.email }),
      createMemory(() => {}, takeAll),
    );
    return { sent, app, signed };
  }

  it("pages, decisions, signed tokens, agents, the operator and reports of leaks are answered in time", async () => {
    const { sent, app } = await createScene();
    const time = new VirtualTime(Date.now());
    const notices = { NOTICES: { send: () => new Promise<never>(() => {}) }, NOTICES_FROM: "boards@example.com" };
    const bindings = { ...slowDown(time, pace), ...notices, OPERATOR_SECRET };
    const took: Record<string, number> = {};
    for (const [name, [path, init]] of Object.entries(sent)) {
      const context = createExecutionContext();
      const answered = app.fetch(new Request(`${ORIGIN}${path}`, init), bindings, context);
      const { answer, elapsedMs } = await time.until(Promise.resolve(answered));
      expect(answer.status, name).not.toBe(500);
      expect([400, 401, 403, 404, 405, 408, 422, 429], `${name}: ${await answer.clone().text()}`).not.toContain(
        answer.status,
      );
      took[name] = elapsedMs;
      await time.until(waitOnExecutionContext(context));
    }
    expect(Object.entries(took).filter(([, elapsedMs]) => elapsedMs > BUDGET_MS)).toEqual([]);
    // Some of them do wait.
    expect(Math.max(...Object.values(took))).toBeGreaterThan(3_000);
  });

  it("another Worker is answered in time", async () => {
    const { signed } = await createScene();
    const time = new VirtualTime(Date.now());
    const Access = createAccess(createMemory(() => {}, takeAll));
    const context = createExecutionContext();
    const access = new Access(context, slowDown(time, pace));
    const { elapsedMs } = await time.until(access.panelist(signed.Authorization));
    expect(elapsedMs).toBeLessThanOrEqual(BUDGET_MS);
    await time.until(waitOnExecutionContext(context));
  });
});

it("what a change has to tell afterwards is told, though D1 has used up the time", async () => {
  const desk = await createDesk();
  const { id } = await addApiKey({ accountId: desk.panel.bank.accountId });
  const time = new VirtualTime(Date.now());
  let told = 0;
  const bindings: Env = {
    ...slowDown(time, [9_900, 0]),
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["forget"], async (_, makeCall) => {
      await virtually(1_000);
      told += 1;
      return time.call(makeCall);
    }),
  };
  const identity = { email: desk.owner.email, actor: desk.owner.email };
  const app = createApp(
    async () => identity,
    createMemory(() => {}, takeAll),
  );
  const context = createExecutionContext();
  const revoked = app.fetch(new Request(`${ORIGIN}/account/api/keys/${id}`, { method: "DELETE" }), bindings, context);
  const { answer, elapsedMs } = await time.until(Promise.resolve(revoked));
  expect([answer.status, told]).toEqual([200, 1]);
  expect(elapsedMs).toBeGreaterThan(10_000);
  await time.until(waitOnExecutionContext(context));
  const row = databaseOf(id).prepare("SELECT revoked_at FROM api_keys WHERE id = ?1").bind(id);
  expect(await row.first("revoked_at")).not.toBeNull();
});
