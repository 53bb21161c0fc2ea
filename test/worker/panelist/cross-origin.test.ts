/** What a browser on another origin needs of every operation of the panelist API: a preflight, and answers that it may read. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { takesIdempotencyKey } from "../../../src/worker/http/operation.ts";
import { failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { PROPOSALS } from "../../support/panel.ts";
import { addIdeaBank, newId } from "../../support/world.ts";

const ORIGIN = "https://panel.example";
const EXPOSED = [
  "Consistency-Token",
  "ETag",
  "Idempotency-Replayed",
  "Location",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
];

const listOf = (response: Response, name: string) =>
  (response.headers.get(name) ?? "").split(",").map((word) => word.trim());

function expectReadable(response: Response) {
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(listOf(response, "Access-Control-Expose-Headers")).toEqual(EXPOSED);
}

describe.each(operationsOf("compoundToken"))("$method $path", ({ operation, method, path: template }) => {
  const path = fillPath(template, { proposalId: newId(), commentId: newId() });
  const body = bodyOf(operation);
  const send = (Authorization: string, bindings: Env = env) =>
    createIsolate().request(
      path,
      {
        method,
        headers: { Origin: ORIGIN, Authorization, ...(body && { "Content-Type": "application/json" }) },
        body: body ? JSON.stringify(body) : null,
      },
      bindings,
    );

  it("is announced to a preflight, with every header; those that it reads are named for browsers without the star", async () => {
    const response = await createIsolate().request(path, {
      method: "OPTIONS",
      headers: { Origin: ORIGIN, "Access-Control-Request-Method": method },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(listOf(response, "Access-Control-Allow-Methods")).toContain(method);
    const allowed = listOf(response, "Access-Control-Allow-Headers");
    expect(allowed).toEqual(expect.arrayContaining(["Authorization", "*", "Consistency-Token", "If-None-Match"]));
    if (body) expect(allowed).toContain("Content-Type");
    if (takesIdempotencyKey(operation)) expect(allowed).toContain("Idempotency-Key");
  });

  it("can be read when it is answered, refused (401), or broken (503)", async () => {
    const { token } = await addIdeaBank();
    expectReadable(await send(token));
    const refused = await send("no token");
    expect(refused.status).toBe(401);
    expectReadable(refused);
    const broken = await send(token, failStores(env, "d1"));
    expect(broken.status).toBe(503);
    expectReadable(broken);
  });
});

it("an unknown path and a wrong method can be read too", async () => {
  const unknown = await createIsolate().request("/ideabank/nothing", { headers: { Origin: ORIGIN } });
  expect(unknown.status).toBe(404);
  expectReadable(unknown);
  const wrong = await createIsolate().request("/ideabank/proposals", { method: "PUT", headers: { Origin: ORIGIN } });
  expect(wrong.status).toBe(405);
  expectReadable(wrong);
});

it("every refusal that comes before the credential can be read: plain http, and settings that are wrong", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  for (const { method, path: template } of [...operationsOf("compoundToken"), { method: "OPTIONS", path: PROPOSALS }]) {
    const path = fillPath(template, { proposalId: newId(), commentId: newId() });
    const plain = new Request(`http://api.example${path}`, { method, headers: { Origin: ORIGIN } });
    const insecure = await createApp().fetch(plain, env, createExecutionContext());
    expect([method, path, insecure.status]).toEqual([method, path, 403]);
    expectReadable(insecure);
    if (method === "OPTIONS") continue;
    const broken = await createIsolate({ ...env, FRESHNESS_SECONDS: "soon" }).request(path, { method });
    expect([method, path, broken.status]).toEqual([method, path, 500]);
    expectReadable(broken);
  }
});

it("a body that is refused can be read about: too large, or no JSON", async () => {
  const { token: Authorization } = await addIdeaBank();
  const post = (body: string, type: string) =>
    createIsolate().request(PROPOSALS, {
      method: "POST",
      headers: { Origin: ORIGIN, Authorization, "Content-Type": type },
      body,
    });
  for (const [response, status] of [
    [await post("x".repeat(70_000), "application/json"), 413],
    [await post("{}", "text/plain"), 415],
    [await post("{", "application/json"), 400],
  ] as const) {
    expect(response.status).toBe(status);
    expectReadable(response);
  }
});

it("what a page of another origin has no business with says nothing to it, refused or not", async () => {
  for (const [method, path] of [
    ["GET", "/tenant/whoami"],
    ["POST", "/mcp"],
    ["GET", "/account/api/keys"],
    ["GET", "/health"],
    ["GET", "/nothing"],
  ] as const)
    for (const origin of ["http://api.example", "https://api.example"]) {
      const request = new Request(origin + path, { method, headers: { Origin: ORIGIN } });
      const response = await createApp().fetch(request, env, createExecutionContext());
      expect([path, response.headers.get("Access-Control-Allow-Origin")]).toEqual([path, null]);
    }
});

it("a panelist over the rate can read that, and how long to wait", { tags: "slow" }, async () => {
  const { token } = await addIdeaBank();
  const isolate = createIsolate();
  const path = `/ideabank/proposals/${newId()}/vote`;
  const statuses: number[] = [];
  let last = new Response();
  while (statuses.length < 100 && last.status !== 429) {
    last = await isolate.request(path, { method: "PUT", headers: { Origin: ORIGIN, Authorization: token } });
    statuses.push(last.status);
  }
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("Retry-After"))).toBeGreaterThan(0);
  expectReadable(last);
});
