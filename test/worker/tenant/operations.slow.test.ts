/** Rules of every operation of the tenant API, generated from the definitions. The isolation of tenants is in isolation.test.ts. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../src/worker/model/scope.ts";
import { badApiKeys } from "../../support/authentication-cases.ts";
import { expectForeignRefused } from "../../support/foreign.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addressOf, bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { sendWith } from "../../support/panel.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";
import { addAccount, tokenFor } from "../../support/world.ts";

const operations = operationsOf("apiKey").map((each) => ({
  ...each,
  scope: each.operation.credential.kind === "apiKey" ? each.operation.credential.scope : null,
}));
/** After the answer, the secret's hash is kept in D1, so that the secret is known again where it leaks. */
const REMEMBERED_AFTERWARDS = ["getSigningSecret", "rotateSigningSecret"];
/** What is written depends on what is read first. */
const READ_FIRST = ["copySurvey", "recordSurveyResponse"];
const naming = operations.filter(({ parameters }) => parameters.length > 0);

describe.each(operations)("$name", ({ name, operation, method, path, scope, status }) => {
  it("answers 401 to every bad key of the table, and changes nothing", async () => {
    const isolate = createIsolate();
    const ids = await addOneOfEverything();
    const bad = [];
    for (const { title, header } of badApiKeys) bad.push({ title, value: await header() });
    const before = await dumpDatabases();
    for (const { title, value } of bad) {
      const headers: Record<string, string> = value === undefined ? {} : { "X-API-Key": value };
      const response = await isolate.request(fillPath(path, ids), { method, headers });
      expect(response.status, title).toBe(401);
      expect(await response.json(), title).toMatchObject({ error: "unauthorized" });
    }
    expect(await dumpDatabases()).toEqual(before);
  });

  it("answers 429 before anything else", async () => {
    const tenant = await createTenant({ limit: 1, scopes: [] });
    await tenant.send("GET", "/tenant/whoami");
    const response = await tenant.send(method, fillPath(path, { ...(await addOneOfEverything()) }), "not json");
    expect(response.status).toBe(429);
    expect(response.headers.get("RateLimit")).toMatch(/^"api-key";r=0;t=\d+$/);
  });

  it("answers 403 to a suspended account, and to a key without its scope, before looking at the request", async () => {
    const ids = await addOneOfEverything();
    const before = await dumpDatabases();
    const suspended = await createTenant({ accountId: await addAccount({ status: "suspended" }) });
    expect((await suspended.send(method, fillPath(path, ids), "not json")).status).toBe(403);
    if (scope === null) return;
    const scopes = SCOPES.filter((other) => other !== scope);
    const narrowed = await createTenant({ accountId: ids.accountId, scopes });
    const response = await narrowed.send(method, fillPath(path, ids), "not json");
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: "forbidden" });
    expect(await dumpDatabases()).toEqual(before);
  });

  it("succeeds with its scope alone, at one Durable Object call and one D1 round trip, where the account is known", async () => {
    const { env: counted, counts } = countStores(env);
    const ids = await addOneOfEverything();
    const isolate = createIsolate(counted);
    await sendWith(isolate, await tokenFor(ids.ideaBankId ?? "", ids.panelistId ?? ""))("GET", "/ideabank");
    Object.assign(counts, { d1: 0, "kv.read": 0, "kv.write": 0 });
    const tenant = await createTenant({ accountId: ids.accountId, scopes: scope === null ? [] : [scope] }, isolate);
    const response = await tenant.send(method, addressOf(path, ids), bodyOf(operation, ids));
    expect(response.status).toBe(status);
    const before = name === "whoami" ? 0 : 1;
    const d1 = before + ([...REMEMBERED_AFTERWARDS, ...READ_FIRST].includes(name) ? 1 : 0);
    expect(counts).toEqual({ d1, "kv.read": 0, "kv.write": 0, gate: 1 });
    expect(response.headers.get("RateLimit-Policy")).toBe('"api-key";q=10000;w=60');
    expect(response.headers.get("RateLimit")).toMatch(/^"api-key";r=9999;t=\d+$/);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it("answers 503 when D1 is down, and a 500 does not contain the cause", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId }, createIsolate(failStores(env, "d1")));
    const response = await tenant.send(method, fillPath(path, ids), bodyOf(operation));
    expect(response.status).toBe(name === "whoami" ? 200 : 503);
    expect(await response.text()).not.toContain("injected");
  });
});

describe.each(naming)("$name", (each) => {
  it("of another tenant in another database is 403, as for what does not exist, and changes nothing", () =>
    expectForeignRefused(each, "1"));

  it("of another kind is 403 too", async () => {
    const mine = await addOneOfEverything();
    const tenant = await createTenant({ accountId: mine.accountId });
    const swapped = {
      surveyId: mine.ideaBankId,
      ideaBankId: mine.proposalId,
      proposalId: mine.commentId,
      commentId: mine.surveyId,
      panelistId: mine.surveyId,
    };
    const path = fillPath(each.path, swapped);
    expect((await tenant.send(each.method, path, bodyOf(each.operation))).status).toBe(403);
  });
});
