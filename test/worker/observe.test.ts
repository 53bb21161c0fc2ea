/** What an operator sees of requests: what is in it, that it is counted right, and that it changes nothing when it fails. */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { COLUMNS } from "../../src/worker/http/observe.ts";
import { countStores } from "../support/intercept.ts";
import { createIsolate } from "../support/isolate.ts";
import { dataPoints, leaksIn, requestLines } from "../support/observed.ts";
import { addressOf, bodyOf, operationsOf } from "../support/operations.ts";
import { OPERATOR_SECRET, withSecret } from "../support/operator.ts";
import { createOwner } from "../support/owner.ts";
import { addOneOfEverything, createTenant } from "../support/tenant.ts";
import { addApiKey, addIdeaBank, tokenFor } from "../support/world.ts";

const CHANGELOG = "/public/ideabank/changelog";
const lastLine = () => requestLines().at(-1);
const unseen: Env = { ...env, REQUEST_LOG_SHARE: "0" };
Reflect.deleteProperty(unseen, "REQUESTS");

describe("a request's line", () => {
  it("has the request id, the operation, the status, the time, whose it was, what answered and the calls to stores, and nothing else", async () => {
    const { token, accountId } = await addIdeaBank();
    const headers = { Authorization: token, "X-Request-Id": "trace-42" };
    await createIsolate().request(`${CHANGELOG}?externalId=robin`, { headers });
    expect(requestLines()).toEqual([
      {
        requestId: "trace-42",
        operation: "getChangelog",
        status: 200,
        durationMs: expect.any(Number),
        ...{ colo: "", account: accountId, version: env.VERSION.id },
        // The write to KV begins before the answer, which does not wait for it.
        calls: { d1: 1, kv: 2, gate: 0 },
      },
    ]);
  });

  it("says whose it was: the account and the API key's identifier, also when the key is refused; and nobody of a forged key", async () => {
    const key = await addApiKey({ scopes: [], limit: 2, windowSeconds: 60 });
    const isolate = createIsolate();
    const seen = [];
    for (const [path, apiKey] of [
      ["/tenant/whoami", key.text],
      ["/tenant/surveys", key.text],
      ["/tenant/whoami", key.text],
      ["/tenant/whoami", `ibk_${"0".repeat(47)}`],
    ] as const) {
      await isolate.request(path, { headers: { "X-API-Key": apiKey } });
      const { status, account, apiKey: id } = lastLine() ?? {};
      seen.push([status, account, id]);
    }
    expect(seen).toEqual([
      [200, key.accountId, key.id],
      [403, key.accountId, key.id],
      [429, undefined, key.id],
      [401, undefined, undefined],
    ]);
  });

  it("says whose panelist it was", async () => {
    const { token, accountId } = await addIdeaBank();
    for (const path of ["/ideabank", "/ideabank/proposals", CHANGELOG]) {
      await createIsolate().request(path, { headers: { Authorization: token } });
      expect(lastLine()?.account, path).toBe(accountId);
    }
  });

  it("says whose account an owner's page or script is in, and nobody's for who is not its member", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    // The first request of all makes the account.
    const lines = [lastLine()?.account];
    const { id } = (await (await owner.json("GET", "/accounts")).json<{ items: { id: string }[] }>()).items[0] ?? {};
    expect(id).toMatch(/^\w{12}$/);
    for (const ask of [
      () => owner.page("/api-keys"),
      () => owner.json("GET", "/keys"),
      // The key says where it is, so no account is looked for.
      () => owner.json("GET", `/keys/${apiKey.id}`),
      () => owner.json("GET", `/keys?account=${id}`),
      () => owner.submit("/api-keys", {}),
    ]) {
      await ask();
      lines.push(lastLine()?.account);
    }
    expect(lines).toEqual(lines.map(() => id));
    await createOwner().json("GET", `/keys?account=${id}`);
    expect(lastLine()).toMatchObject({ status: 403 });
    expect(lastLine()?.account).toBeUndefined();
  });

  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  it.each([
    [`00-${TRACE}-b7ad6b7169203331-01`, TRACE],
    [`cc-${TRACE}-b7ad6b7169203331-01-what-comes-later`, TRACE],
    [`ff-${TRACE}-b7ad6b7169203331-01`, undefined],
    [`00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, undefined],
    [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, undefined],
    [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
    [`00-${TRACE}-b7ad6b7169203331-01x`, undefined],
    [TRACE, undefined],
  ])("has the identifier of the client's trace, if it is one: %s", async (traceparent, traceId) => {
    const debug = vi.fn();
    vi.spyOn(console, "debug").mockImplementation(debug);
    await createIsolate().request("/tenant/whoami", { headers: { traceparent, "X-API-Key": "ibk_wrong" } });
    expect(lastLine()?.traceId).toBe(traceId);
    expect(debug).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ problem: "unauthorized", traceId }));
  });

  it("names each operation as the document does", { tags: "slow" }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const Authorization = await tokenFor(ids.ideaBankId, ids.panelistId);
    for (const { operation, method, path, name } of operationsOf("apiKey")) {
      await tenant.send(method, addressOf(path, ids), bodyOf(operation, ids));
      expect(lastLine()?.operation).toBe(name);
    }
    for (const { method, path, name } of operationsOf("compoundToken")) {
      await tenant.isolate.request(addressOf(path, ids), { method, headers: { Authorization } });
      expect(lastLine()?.operation).toBe(name);
    }
    await createOwner().json("GET", "/keys");
    expect(lastLine()?.operation).toBe("listApiKeys");
  });

  it.each([
    ["a refused one", "/tenant/whoami", {}, "whoami", 401],
    ["an unknown path", "/nothing/secret-path", {}, "other", 404],
    ["another method", "/health", { method: "POST" }, "other", 405],
    ["a page", "/account/api-keys", {}, "other", 403],
  ])("has the status and no path: %s", async (_, path, init, operation, status) => {
    await createIsolate().request(path, init);
    expect(lastLine()).toMatchObject({ operation, status });
    expect(JSON.stringify(lastLine())).not.toContain("secret-path");
  });

  it("counts the calls that are made", async () => {
    const key = await addApiKey();
    const { token } = await addIdeaBank();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (const [path, headers] of [
      ["/tenant/whoami", { "X-API-Key": key.text }],
      ["/tenant/surveys", { "X-API-Key": key.text }],
      ["/ideabank/proposals", { Authorization: token }],
      ["/ideabank", { Authorization: token }],
      ["/ideabank", { Authorization: token }],
    ] as const) {
      for (const kind of ["d1", "kv.read", "kv.write", "gate"] as const) counts[kind] = 0;
      await isolate.request(path, { headers });
      const { d1, gate } = counts;
      expect(lastLine()?.calls, path).toEqual({ d1, kv: counts["kv.read"], gate });
    }
  });

  it("counts what Account Settings asks of the gates", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect(lastLine()).toMatchObject({ operation: "createApiKey", calls: { gate: 0 } });
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    expect(lastLine()).toMatchObject({ operation: "revokeApiKey", calls: { d1: expect.any(Number), gate: 1 } });
  });

  it("is left out for a request that the share does not take", async () => {
    for (const REQUEST_LOG_SHARE of ["0", "", "nonsense"]) {
      await createIsolate({ ...env, REQUEST_LOG_SHARE }).request("/health");
    }
    expect(requestLines()).toEqual([]);
    vi.spyOn(Math, "random").mockReturnValueOnce(0.009).mockReturnValueOnce(0.01);
    const isolate = createIsolate({ ...env, REQUEST_LOG_SHARE: "0.01" });
    for (let times = 0; times < 2; times++) await isolate.request("/health");
    expect(requestLines()).toHaveLength(1);
  });
});

describe("a request's data point", () => {
  it("has the operation, whether memory answered, the location, the account, the key, the version, the status and the time", async () => {
    const { token, accountId } = await addIdeaBank();
    const isolate = createIsolate({ ...env, REQUEST_LOG_SHARE: "0", FRESHNESS_SECONDS: "300" });
    for (let times = 0; times < 2; times++) await isolate.request(CHANGELOG, { headers: { Authorization: token } });
    const point = (cache: string) => ({
      indexes: ["getChangelog"],
      blobs: ["getChangelog", cache, "", accountId, "", env.VERSION.id],
      doubles: [200, expect.any(Number)],
    });
    expect(dataPoints()).toEqual([point("miss"), point("hit")]);
  });

  it("has a value in each column, in their order", async () => {
    const key = await addApiKey();
    await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    const [{ blobs = [], doubles = [] } = {}] = dataPoints();
    expect([blobs.length, doubles.length]).toEqual([COLUMNS.blobs.length, COLUMNS.doubles.length]);
    expect(Object.fromEntries(COLUMNS.blobs.map((name, index) => [name, blobs[index]]))).toEqual({
      ...{ operation: "whoami", cache: "miss", colo: "" },
      ...{ account: key.accountId, apiKey: key.id, version: env.VERSION.id },
    });
  });

  it("is not needed: without the binding nothing is measured", async () => {
    expect((await createIsolate(unseen).request("/health")).status).toBe(200);
    expect([requestLines(), dataPoints()]).toEqual([[], []]);
  });
});

describe("when observing fails", () => {
  const { text: unknownKey } = { text: `ibk_${"0".repeat(47)}` };
  beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

  it.each([
    ["the data point", () => vi.spyOn(env.REQUESTS, "writeDataPoint")],
    ["the line", () => vi.spyOn(console, "log")],
  ])("because of %s, the answer is the same", async (_, spy) => {
    const key = await addApiKey();
    for (const [path, apiKey] of [
      ["/tenant/whoami", key.text],
      ["/tenant/whoami", unknownKey],
      ["/nothing", key.text],
    ] as const) {
      const ask = async (bindings: Env) => {
        const headers = { "X-API-Key": apiKey, "X-Request-Id": "same" };
        const response = await createIsolate(bindings).request(path, { headers });
        const { RateLimit: _, ...rest } = Object.fromEntries(response.headers);
        return { status: response.status, headers: Object.keys(rest), body: await response.text() };
      };
      const expected = await ask(unseen);
      const failing = spy().mockImplementation(() => {
        throw new Error("injected fault");
      });
      expect(await ask(env), path).toEqual(expected);
      expect(failing).toHaveBeenCalled();
    }
  });
});

/** One credential of each kind, and the operator's secret. */
const CREDENTIALS = [
  ...["ibk", "ibt", "ibv", "ibs", "ibl", "ibo"].map((kind) => `${kind}_0k3yPq8sVw2Zr5Tb9Xc4Nd7Ga1Hj6`),
  `whsec_${"Ab3".repeat(10)}`,
  OPERATOR_SECRET,
];

it.each(CREDENTIALS)(
  "a request id with a credential in it is replaced, because it would be in the log: %s",
  async (text) => {
    for (const sent of [text, `x${text}`, `trace-${text}`]) {
      const response = await createIsolate(withSecret).request("/health", { headers: { "X-Request-Id": sent } });
      expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  },
);

const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJiNG5LIn0.${"sig".repeat(14)}`;

it.each([...CREDENTIALS, JWT])(
  "an owner sees no credential that a client sent in a wrong field: %s",
  { tags: "slow" },
  async (credential) => {
    const owner = createOwner(undefined, withSecret);
    const { apiKey, key } = await owner.create();
    const isolate = createIsolate(withSecret);
    const send = (headers: Record<string, string>) =>
      isolate.request("/tenant/whoami", { headers: { "X-API-Key": key, ...headers } });
    expect((await send({ "User-Agent": `crm-sync ${credential} 2.1` })).status).toBe(200);
    vi.setSystemTime(Date.now() + 62_000);
    await runDurableObjectAlarm(env.API_KEY_GATE.getByName(apiKey.id));
    const used = await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).text();
    expect(used).toContain("crm-sync");
    expect(used).toContain("…");
    expect(used).not.toContain(credential.slice(4, 30));
  },
);

it.each([...CREDENTIALS, JWT])("nor in the place where a leak was found: %s", async (credential) => {
  const owner = createOwner(undefined, withSecret);
  const { key } = await owner.create();
  const fields = new URLSearchParams({ key, foundAt: `https://git.example/?t=${credential}` });
  await createIsolate(withSecret).request("/leaks/reports", { method: "POST", body: fields });
  const events = JSON.stringify(await owner.events());
  expect(events).toContain("https://git.example/?t=");
  expect(events).not.toContain(credential.slice(4, 30));
});

it.each([...CREDENTIALS.slice(0, -1), JWT])("a name with a credential in it is refused: %s", async (credential) => {
  const named = await createOwner().json("POST", "/keys", { name: `CRM ${credential}` });
  expect([named.status, await named.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [{ path: "name", message: "must not hold a key, a token or a secret" }] }),
  ]);
});

it.each(CREDENTIALS)(
  "an Idempotency-Key with a credential in it is refused, because it is stored: %s",
  async (credential) => {
    const tenant = await createTenant({}, createIsolate(withSecret));
    const answer = await tenant.send("POST", "/tenant/panelists", {}, { "Idempotency-Key": credential });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [{ path: "Idempotency-Key", message: "must not hold a credential" }] }),
    ]);
  },
);

it("the search for credentials in what is logged finds them, wherever they are", async () => {
  const { token } = await addIdeaBank();
  const { text } = await addApiKey();
  const [secret] = env.CREDENTIAL_SECRETS.split(",");
  for (const value of [
    token,
    ["refused", { headers: { authorization: text } }],
    new Error(`no such key: ${text}`),
    new Error("D1 does not answer", { cause: new Error(`bound: ${secret}`) }),
    { actor: "owner@example.com" },
    Object.assign(new Error("refused"), { address: "203.0.113.7" }),
  ]) {
    expect(leaksIn([value])).toHaveLength(1);
  }
  expect(leaksIn(["ibk_", { requestId: "trace-42", problem: "unauthorized" }, new Error("no answer")])).toEqual([]);
});
