/** `POST /mcp`: the tenant API as an agent uses it. A call of a tool is a request of its operation, and is checked and counted as that. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { descriptionOf } from "../../../src/worker/model/describe.ts";
import { SCOPES } from "../../../src/worker/model/scope.ts";
import { TENANT_OPERATIONS } from "../../../src/worker/tenant/routes.ts";
import { type Answer, createAgent, modern, NEWEST, NOTHING, type Schema } from "../../support/agent.ts";
import { badApiKeys } from "../../support/authentication-cases.ts";
import { freeze } from "../../support/clock.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { operationsOf } from "../../support/operations.ts";
import { seenOf } from "../../support/seen.ts";
import { addOneOfEverything } from "../../support/tenant.ts";
import { addAccount } from "../../support/world.ts";

const START = 1_900_000_000_000;
/** The body is read once the key's gate has answered, or a lease of it. */
const ADMITTED = { d1: 0, "kv.read": 0, "kv.write": 0, gate: expect.toSatisfy((calls: number) => calls <= 1) };

/** What clients refuse in a schema: a type that is missing, a list or no type of JSON; words that are no texts. */
function faultsOf(schema: Schema): unknown[] {
  const { type, anyOf, enum: words = [], items, properties = {} } = schema;
  const parts = [...(anyOf ?? []), ...(items ? [items] : []), ...Object.values(properties)];
  const isKnown = /^(string|integer|number|boolean|object|array|null)$/.test(String(type)) && !Array.isArray(type);
  return [
    ...(isKnown || (anyOf !== undefined && type === undefined) ? [] : [type ?? "no type"]),
    ...words.filter((word) => typeof word !== "string" || type !== "string"),
    ...parts.flatMap(faultsOf),
  ];
}

describe("tools/list", () => {
  it("has a tool for each operation of the tenant API, with its words and what it takes", async () => {
    const { ask } = await createAgent();
    const { result } = await ask("tools/list");
    const secret = ["getSigningSecret", "rotateSigningSecret", "downloadSurveyResponses"];
    const expected = Object.keys(TENANT_OPERATIONS).filter((name) => !secret.includes(name));
    expect(result.tools.map(({ name }) => name)).toEqual(expected);
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 60_000, cacheScope: "private" });
    const tool = (wanted: string) => result.tools.find(({ name }) => name === wanted);
    expect(tool("upsertProposal")).toMatchObject({
      title: "Create or change a proposal by your own id",
      inputSchema: {
        type: "object",
        properties: {
          ideaBankId: { type: "string" },
          externalId: { type: "string" },
          title: { type: "string", description: expect.stringContaining("200 characters") },
          status: { type: "string", enum: expect.arrayContaining(["planned"]) },
          tags: { type: "array", items: { type: "string" } },
          response: { anyOf: [{ type: "object", required: ["text"] }, { type: "null" }] },
        },
        required: ["ideaBankId", "externalId", "title"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    });
    expect(tool("listProposals")?.inputSchema.properties).toMatchObject({
      limit: { type: "integer" },
      status: { type: "array", items: { enum: expect.arrayContaining(["planned"]) } },
    });
    expect(tool("createProposal")?.inputSchema.properties).toHaveProperty("idempotencyKey");
    expect(tool("deleteSurvey")?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false });
    expect(tool("whoami")?.inputSchema).toMatchObject({ properties: {}, required: [] });
  });

  it("says of each argument of each tool what it is, and no name stands for two", async () => {
    const { ask } = await createAgent();
    const { result } = await ask("tools/list");
    for (const { name, inputSchema } of result.tools) {
      const { properties = {}, required = [] } = inputSchema;
      const { operation, path } = operationsOf("apiKey").find((each) => each.name === name) ?? {};
      if (operation === undefined || path === undefined) throw new Error(`${name} is no operation`);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter);
      const schema = operation.body ?? operation.query ?? operation.options;
      const all = Object.keys((schema && descriptionOf(schema)?.fields) ?? {});
      const fields = name === "issueToken" ? ["visitor", "lifetimeSeconds"] : all;
      expect([name, new Set([...inPath, ...fields]).size]).toEqual([name, inPath.length + fields.length]);
      const names = Object.keys(properties).filter((each) => !["idempotencyKey", "wholeTexts"].includes(each));
      expect([name, names.toSorted()]).toEqual([name, [...inPath, ...fields].toSorted()]);
      for (const field of fields)
        expect([name, field, properties[field]]).toEqual([
          name,
          field,
          expect.objectContaining({ description: expect.any(String) }),
        ]);
      for (const [field, each] of Object.entries(properties))
        expect([name, field, faultsOf(each)]).toEqual([name, field, []]);
      // What the operation's own example sends is what the tool takes.
      const example = name === "issueToken" ? undefined : schema && descriptionOf(schema)?.example;
      for (const field of Object.keys(example ?? {}))
        expect([name, names]).toEqual([name, expect.arrayContaining([field])]);
      if (example) for (const field of required) expect([...inPath, ...Object.keys(example)]).toContain(field);
    }
  });

  it.each(SCOPES)("of a key with %s alone has the tools of this scope", async (scope) => {
    const { ask } = await createAgent({ scopes: [scope] });
    const { result } = await ask("tools/list");
    const expected = operationsOf("apiKey").filter(
      ({ name, operation: { credential } }) =>
        credential.kind === "apiKey" && (credential.scope ?? scope) === scope && !/SigningSecret$|^download/.test(name),
    );
    expect(result.tools.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  });
});

describe("tools/call", () => {
  it("answers as the operation does, with arguments in the path, the query and the body", {
    tags: "slow",
  }, async () => {
    const { call, accountId, isolate, text } = await createAgent();
    const { ideaBankId } = await addOneOfEverything(accountId);
    const created = await call("createProposal", { ideaBankId, title: "By an agent", tags: ["new"] });
    expect([created.isError, created.json]).toMatchObject([false, { title: "By an agent", tags: ["new"] }]);
    const proposalId = created.json.id;
    const path = `/tenant/ideabanks/${ideaBankId}/proposals`;
    const get = async (query: string) =>
      (await isolate.request(`${path}${query}`, { headers: { "X-API-Key": text } })).text();
    expect((await call("getProposal", { ideaBankId, proposalId })).text).toBe(await get(`/${proposalId}`));
    const statuses = ["submitted", "planned"];
    expect((await call("listProposals", { ideaBankId, limit: 1, status: statuses })).json.items).toEqual(
      JSON.parse(await get("?limit=1&status=submitted&status=planned")).items,
    );
    const first = await call("listProposals", { ideaBankId, limit: 1 });
    const second = await call("listProposals", { ideaBankId, limit: 1, cursor: first.json.nextCursor });
    expect(second.json.items[0].id).not.toBe(first.json.items[0].id);
    const changed = await call("updateProposal", { ideaBankId, proposalId, status: "planned" });
    expect(changed.json).toMatchObject({ status: "planned" });
    const deleted = await call("deleteProposal", { ideaBankId, proposalId });
    expect([deleted.isError, deleted.text]).toEqual([false, "Done."]);
    expect((await call("deletePanelist", { panelistId: "x", content: "delete" })).json.status).toBe(403);
  });

  it("takes an own id with any character, and an Idempotency-Key as an argument", { tags: "slow" }, async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId } = await addOneOfEverything(accountId);
    for (const externalId of ["a/b", "a%2Fb", "..%2f..", "?x=1#y", "é 漢", "%"]) {
      const upserted = await call("upsertProposal", { ideaBankId, externalId, title: "Own" });
      expect([externalId, upserted.json.externalId]).toEqual([externalId, externalId]);
    }
    const create = (title: string) => call("createSurvey", { title, idempotencyKey: "once" });
    const [first, again, other] = [await create("One"), await create("One"), await create("Two")];
    expect(again.json).toEqual(first.json);
    expect(again.response.headers.get("Idempotency-Replayed")).toBe("true");
    expect([other.isError, other.json.error]).toEqual([true, "idempotency-key-reused"]);
  });

  it("gives a problem as it is: what the key may not do, what breaks a rule, what is another tenant's", async () => {
    const { call, accountId } = await createAgent({ scopes: ["ideabanks:read"] });
    const { ideaBankId } = await addOneOfEverything(accountId);
    const { ideaBankId: foreign } = await addOneOfEverything();
    const refused = async (name: string, args: object) => {
      const { isError, json } = await call(name, args);
      return [isError, json.status, json.error];
    };
    expect(await refused("createProposal", { ideaBankId, title: "No" })).toEqual([true, 403, "forbidden"]);
    expect(await refused("getIdeaBank", { ideaBankId: foreign })).toEqual([true, 403, "forbidden"]);
    expect(await refused("listProposals", { ideaBankId, sort: "best" })).toEqual([true, 400, "invalid-request"]);
    expect(await refused("listProposals", { ideaBankId, more: 1 })).toEqual([true, 400, "invalid-request"]);
    expect(await refused("getIdeaBank", {})).toEqual([true, 400, "invalid-request"]);
  });

  it("is one request of its operation, for the limit, the owner, and whoever observes", async () => {
    freeze(START);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const { call, ask, id, counts } = await createAgent({ limit: 3 });
    const listed = await ask("tools/list");
    expect(counts).toEqual({ ...NOTHING, gate: 1 });
    expect(listed.response.headers.get("RateLimit")).toBe('"api-key";r=2;t=60');
    const called = await call("whoami");
    expect([called.json, counts]).toEqual([{ apiKeyId: id }, { ...NOTHING, gate: 1 }]);
    expect(called.response.headers.get("RateLimit")).toBe('"api-key";r=1;t=60');
    await call("listSurveys");
    expect(counts).toEqual({ ...NOTHING, gate: 1, d1: 1 });
    const limited = await call("whoami");
    expect([limited.isError, limited.json.error, limited.more]).toEqual([
      true,
      "too-many-requests",
      ["Retry-After: 60"],
    ]);
    expect(limited.response.headers.get("Retry-After")).toBe("60");
    await call("whoami");
    expect(counts).toEqual(NOTHING);
    const lines = log.mock.calls.map(([line]) => [line.operation, line.calls.gate + line.calls.d1]);
    expect(lines).toEqual([
      ["mcp", 1],
      ["whoami", 1],
      ["listSurveys", 2],
      ["whoami", 1],
      ["whoami", 0],
    ]);
    expect((await seenOf(id)).operations).toEqual({ mcp: 1, whoami: 1, listSurveys: 1 });
  });

  it("alone is counted by its operation, too, as soon as the isolate's report is due", { tags: "slow" }, async () => {
    const { call, isolate, id } = await createAgent();
    await call("whoami");
    expect((await seenOf(id)).operations).toEqual({});
    await isolate.elapse();
    const { operations, used } = await seenOf(id);
    expect([operations, used?.operation]).toEqual([{ whoami: 1 }, "whoami"]);
  });

  it("of a suspended account, and while stores are down, is the operation's problem", { tags: "slow" }, async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const suspended = await createAgent({ accountId: await addAccount({ status: "suspended" }) });
    expect((await suspended.call("listSurveys")).json).toMatchObject({ status: 403, reason: "suspended" });
    const down = await createAgent({}, failStores(env, "d1", "gate"));
    const answer = await down.call("listSurveys");
    expect([answer.isError, answer.json.error, answer.more]).toEqual([true, "service-unavailable", ["Retry-After: 5"]]);
    expect((await down.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(503);
  });
});

describe("the key", () => {
  it("is in X-API-Key, or a Bearer token; with both, the first", async () => {
    const { post, text } = await createAgent();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } };
    const isolate = createIsolate();
    const send = (headers: Record<string, string>) =>
      isolate.request("/mcp", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    expect((await send({ Authorization: `Bearer ${text}` })).status).toBe(200);
    expect((await send({ Authorization: `bearer  ${text}` })).status).toBe(200);
    expect((await post(body, { Authorization: "Bearer x" })).status).toBe(200);
    expect((await send({ Authorization: `Bearer ${text}`, "X-API-Key": "x" })).status).toBe(401);
    for (const scheme of ["", "Basic ", "ApiKey ", "Bearer Bearer "])
      expect([scheme, (await send({ Authorization: scheme + text })).status]).toEqual([scheme, 401]);
    const bearerElsewhere = await isolate.request("/tenant/whoami", { headers: { Authorization: `Bearer ${text}` } });
    expect(bearerElsewhere.status).toBe(401);
  });

  it.each(badApiKeys)("that is $title is 401, for a call and for the list", async ({ io, header }) => {
    vi.spyOn(console, "debug").mockImplementation(() => {});
    const key = await header();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (const [method, params] of [
      ["tools/call", { name: "whoami" }],
      ["tools/list", {}],
      ["initialize", {}],
    ] as const) {
      const response = await isolate.request("/mcp", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(key !== undefined && { "X-API-Key": key }) },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      expect([method, response.status]).toEqual([method, 401]);
      expect(response.headers.get("WWW-Authenticate")).toBe('ApiKey realm="tenant", Bearer realm="tenant"');
      expect(await response.json()).toMatchObject({ error: "unauthorized" });
    }
    if (!io) expect(counts).toEqual(NOTHING);
  });
});

it("without a key nothing is read, and a message that is none is no different", async () => {
  const { isolate, counts } = await createAgent();
  vi.spyOn(console, "debug").mockImplementation(() => {});
  let isRead = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "Content-Type": "application/json" };
  expect((await isolate.request("/mcp", { method: "POST", headers, body })).status).toBe(401);
  expect([isRead, counts]).toEqual([false, NOTHING]);
  for (const text of ["{", "[]", '{"jsonrpc":"2.0","method":"notifications/initialized"}', "x".repeat(64 * 1024 + 1)])
    expect((await isolate.request("/mcp", { method: "POST", headers, body: text })).status).toBe(401);
});

describe("the protocol", () => {
  const legacy = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: "a", method, params });

  it("of 2026-07-28 is discovered, and needs its version and capabilities in each request, as its headers say", async () => {
    const { ask, post } = await createAgent();
    const discovered = await ask("server/discover");
    expect(discovered.result).toMatchObject({
      resultType: "complete",
      supportedVersions: [NEWEST, "2025-11-25", "2025-06-18"],
      capabilities: { tools: {} },
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "edge-access-api" } },
    });
    const { headers, body } = modern("tools/call", { name: "whoami" });
    const code = async (message: object, more: Record<string, string>) => {
      const response = await post(message, { ...headers, ...more });
      return [response.status, (await response.json<Answer>()).error?.code];
    };
    expect(await code(body, {})).toEqual([200, undefined]);
    expect(await code(body, { "MCP-Protocol-Version": "2025-11-25" })).toEqual([400, -32020]);
    expect(await code(body, { "Mcp-Method": "tools/list" })).toEqual([400, -32020]);
    expect(await code(body, { "Mcp-Name": "listSurveys" })).toEqual([400, -32020]);
    expect(await code({ ...body, params: { name: "whoami" } }, {})).toEqual([400, -32602]);
    const _meta = { "io.modelcontextprotocol/protocolVersion": NEWEST };
    expect(await code({ ...body, params: { name: "whoami", _meta } }, {})).toEqual([400, -32602]);
    const future = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const response = await post({ ...body, params: { _meta: future } }, headers);
    expect((await response.json<Answer>()).error.code).toBe(-32020);
    const unknown = await post({ ...body, params: { _meta: future } }, { "MCP-Protocol-Version": "2099-01-01" });
    expect([unknown.status, (await unknown.json<Answer>()).error]).toEqual([
      400,
      {
        code: -32022,
        message: "Unsupported protocol version",
        data: { supported: [NEWEST, "2025-11-25", "2025-06-18"], requested: "2099-01-01" },
      },
    ]);
    for (const method of ["resources/list", "initialize", "ping"]) {
      const { status, error } = await ask(method);
      expect([method, status, error.code]).toEqual([method, 404, -32601]);
    }
  });

  it("has one version in header and body, whichever the two are", async () => {
    const { post } = await createAgent();
    const versions = [NEWEST, "2025-11-25", "2025-06-18", "2099-01-01", undefined];
    for (const inHeader of versions)
      for (const inBody of versions.filter((version) => version !== inHeader && version !== undefined)) {
        const { headers, body } = modern("tools/list");
        const { "MCP-Protocol-Version": _, ...others } = headers;
        const _meta = { ...body.params._meta, "io.modelcontextprotocol/protocolVersion": inBody };
        const response = await post(
          { ...body, params: { _meta } },
          { ...others, ...(inHeader && { "MCP-Protocol-Version": inHeader }) },
        );
        const { error } = await response.json<Answer>();
        expect([inHeader, inBody, response.status, error.code]).toEqual([inHeader, inBody, 400, -32020]);
      }
  });

  it.each(["2025-11-25", "2025-06-18", undefined])(
    "answers in %s with no member that this version lacks",
    async (version) => {
      const { post } = await createAgent();
      const members = async (method: string, params?: object) => {
        const response = await post(legacy(method, params), version ? { "MCP-Protocol-Version": version } : {});
        const { result, ...rest } = await response.json<Answer>();
        return [Object.keys(rest), Object.keys(result ?? {})];
      };
      const none = ["jsonrpc", "id"];
      expect(await members("ping")).toEqual([none, []]);
      expect(await members("tools/list")).toEqual([none, ["tools"]]);
      expect(await members("tools/call", { name: "whoami" })).toEqual([none, ["content", "isError"]]);
      expect(await members("tools/call", { name: "getSurvey", arguments: {} })).toEqual([none, ["content", "isError"]]);
      expect(await members("initialize")).toEqual([none, ["protocolVersion", "capabilities", "serverInfo"]]);
      expect(await members("server/discover")).toEqual([[...none, "error"], []]);
    },
  );

  it("gives an id back as it was sent, whatever its size", async () => {
    const { post } = await createAgent();
    const large = ["9007199254740993", "-9007199254740995", "123456789012345678901234567890", "1e30"];
    for (const id of ["7", "-0", '"9007199254740993"', '"\\u0000\\ud800"', ...large])
      for (const method of ["ping", "nothing"]) {
        const params = '{"id":9007199254740997,"a":[{"id":9007199254740999}]}';
        const text = await (await post(`{"params":${params},"id":${id},"jsonrpc":"2.0","method":"${method}"}`)).text();
        const sent = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
        expect([id, text]).toEqual([
          id,
          expect.stringContaining(`{"jsonrpc":"2.0","id":${sent === "-0" ? "0" : sent},`),
        ]);
      }
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const nested = `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":{"a":${deep}}}`;
    expect((await (await post(nested)).json<Answer>()).error.code).toBe(-32600);
    expect((await post(nested.replace("993", "99"))).status).toBe(200);
  });

  it("takes null for no parameters", async () => {
    const { post, ask } = await createAgent();
    const answer = await post({ jsonrpc: "2.0", id: 1, method: "ping", params: null });
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect((await ask("tools/call", { name: "whoami", arguments: null })).result.isError).toBe(false);
  });

  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("of clients that open with `initialize`, and ask for %s, is %s", async (asked, protocolVersion) => {
    const { post } = await createAgent();
    const answer = await post(legacy("initialize", { protocolVersion: asked, capabilities: {} }));
    expect((await answer.json<Answer>()).result).toMatchObject({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "edge-access-api" },
    });
    const version = { "MCP-Protocol-Version": protocolVersion };
    const done = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, version);
    expect([done.status, await done.text()]).toEqual([202, ""]);
    expect((await (await post(legacy("ping"), version)).json<Answer>()).id).toBe("a");
    expect((await post(legacy("tools/list"), version)).status).toBe(200);
    const unknown = await post(legacy("prompts/list"), version);
    expect([unknown.status, (await unknown.json<Answer>()).error.code]).toEqual([200, -32601]);
    expect((await post(legacy("ping"), { "MCP-Protocol-Version": "2024-11-05" })).status).toBe(400);
  });

  it("takes no version that is not a text: it has none that a text could be made of", async () => {
    const { post } = await createAgent();
    for (const version of [{ toString: 1 }, { toString: null, valueOf: null }, ["2026-07-28"], 7]) {
      const _meta = { "io.modelcontextprotocol/protocolVersion": version };
      const answer = await post(legacy("ping", { _meta }), { "MCP-Protocol-Version": "2026-07-28" });
      expect([version, answer.status, (await answer.json<Answer>()).error.code]).toEqual([version, 400, -32020]);
      const begun = await post(legacy("initialize", { protocolVersion: version }));
      expect((await begun.json<Answer>()).result?.protocolVersion).toBe("2025-11-25");
    }
  });

  it("has no stream and no session: other methods of HTTP are 405", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await createIsolate().request("/mcp", { method });
      expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
    }
  });

  it("refuses pages of other origins, and plain http", async () => {
    const { post, isolate, text, counts } = await createAgent();
    for (const origin of ["https://evil.example", "null", "http://api.example", "https://api.example.evil.example"])
      expect([origin, (await post(legacy("ping"), { Origin: origin })).status]).toEqual([origin, 403]);
    expect(counts).toEqual(NOTHING);
    expect((await post(legacy("ping"), { Origin: "https://api.example" })).status).toBe(200);
    const headers = { "X-API-Key": text, "Content-Type": "application/json" };
    const body = JSON.stringify(legacy("tools/call", { name: "whoami" }));
    const { createApp } = await import("../../../src/worker/app.ts");
    const { createExecutionContext } = await import("cloudflare:test");
    const plain = new Request("http://api.example/mcp", { method: "POST", headers, body });
    expect((await createApp().fetch(plain, env, createExecutionContext())).status).toBe(403);
    expect(isolate).toBeDefined();
  });
});

describe("what is no message", () => {
  it("is an error of JSON-RPC, without a call to a database", async () => {
    const { post, counts } = await createAgent();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const cases: [unknown, number, unknown][] = [
      ["{", -32700, null],
      ["", -32700, null],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"method":"tools/list"}}', -32700, null],
      [[ping, ping], -32600, null],
      [new Array(1_000).fill(ping), -32600, null],
      [[], -32600, null],
      ["null", -32600, null],
      ["7", -32600, null],
      ['"ping"', -32600, null],
      [{ ...ping, jsonrpc: "1.0" }, -32600, 1],
      [{ ...ping, method: 7 }, -32600, 1],
      [{ ...ping, id: null }, -32600, null],
      [{ ...ping, id: {} }, -32600, null],
      [{ ...ping, id: 1.5 }, -32600, null],
      [{ ...ping, params: [] }, -32600, 1],
      [{ jsonrpc: "2.0", id: 1, result: {} }, -32600, 1],
    ];
    for (const [body, code] of cases) {
      const response = await post(body);
      const { jsonrpc, error } = await response.json<Answer>();
      expect([JSON.stringify(body).slice(0, 80), response.status, jsonrpc, error.code]).toEqual([
        JSON.stringify(body).slice(0, 80),
        400,
        "2.0",
        code,
      ]);
      expect(counts).toEqual(ADMITTED);
    }
  });

  it("is a problem where no message was read: too large, or no JSON by its type", async () => {
    const { post, counts } = await createAgent();
    expect((await post("x".repeat(64 * 1024 + 1))).status).toBe(413);
    expect((await post("{}", { "Content-Type": "text/plain" })).status).toBe(415);
    expect((await post("{}", { "Content-Encoding": "gzip" })).status).toBe(415);
    expect(counts).toEqual(ADMITTED);
  });

  it("names a tool that is none, as what every object has", async () => {
    const { ask, counts } = await createAgent();
    for (const name of ["nothing", "__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
      const { status, error } = await ask("tools/call", { name });
      expect([name, status, error.code]).toEqual([name, 200, -32602]);
    }
    expect(counts).toEqual(ADMITTED);
  });
});

describe("arguments that would be something else", () => {
  it("do not leave their part of the path", async () => {
    const { call, counts } = await createAgent();
    for (const surveyId of ["", ".", "..", 7, null, {}, ["x"]]) {
      const { isError, json } = await call("getSurvey", { surveyId });
      expect([surveyId, isError, json.error, json.errors?.[0]?.path]).toEqual([
        surveyId,
        true,
        "invalid-request",
        "surveyId",
      ]);
      expect(counts).toEqual(ADMITTED);
    }
    for (const surveyId of [
      "../whoami",
      "..%2fwhoami",
      "%2e%2e",
      "a/b",
      "?x",
      "#x",
      "\\..\\whoami",
      "\ud800",
      "@evil",
    ]) {
      const { isError, json } = await call("getSurvey", { surveyId });
      expect([surveyId, isError, json.error]).toEqual([surveyId, true, "forbidden"]);
    }
  });

  // Time that grows with the square of the list is about half a minute here, time that grows with its bytes a moment.
  it("cost what they are long: a list of 12,000 is read once", { timeout: 10_000 }, async () => {
    const { call } = await createAgent();
    const { isError, json } = await call("listSurveys", { limit: Array(12_000).fill("a") });
    expect([isError, json.error]).toEqual([true, "invalid-request"]);
  });

  it("are refused however deeply they are nested", async () => {
    const { post } = await createAgent();
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    for (const [name, field] of [
      ["createSurvey", "title"],
      ["listSurveys", "limit"],
      ["getSurvey", "surveyId"],
      ["createSurvey", "idempotencyKey"],
    ]) {
      const params = `{"name":"${name}","arguments":{"${field}":${deep}}}`;
      const response = await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
      const { result } = await response.json<Answer>();
      expect([name, field, response.status, result?.isError]).toEqual([name, field, 200, true]);
    }
  });

  it("do not set headers, nor a query where there is a body", async () => {
    const { call } = await createAgent();
    for (const idempotencyKey of ["a\r\nX-API-Key: b", "a\nb", "é", "", 7, {}, "x".repeat(300)]) {
      const { isError, json } = await call("createSurvey", { title: "T", idempotencyKey });
      expect([idempotencyKey, isError, json.errors?.[0]?.path]).toEqual([idempotencyKey, true, "Idempotency-Key"]);
    }
    expect((await call("createSurvey", { title: "T", headers: {} })).json.error).toBe("invalid-request");
    expect((await call("createSurvey", { title: "T", "?limit": 1 })).json.error).toBe("invalid-request");
    expect((await call("createSurvey", { title: { toString: "x" } })).json.error).toBe("invalid-request");
    expect((await call("listSurveys", { limit: { toString: 1 } })).json.error).toBe("invalid-request");
    expect((await call("listSurveys", { limit: [1, 2] })).json.error).toBe("invalid-request");
    expect((await call("listSurveys", { limit: null })).isError).toBe(false);
  });
});
