/** One rule for every body: it is read once its sender is admitted, has ten seconds to arrive, and takes a share of its sender's. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyShares } from "../../../src/worker/http/body-shares.ts";
import { slowBody } from "../../support/bodies.ts";
import { withFault } from "../../support/faults.ts";
import { createGitHub } from "../../support/github.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { OPERATOR_SECRET } from "../../support/operator.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addAccount, addApiKey, addIdeaBank, type KeyOptions } from "../../support/world.ts";

const START = 1_900_000_000_000;
const JSON_BODY = { "Content-Type": "application/json" };
const FORM_BODY = { "Content-Type": "application/x-www-form-urlencoded" };
const OWN_PAGE = { Origin: "https://api.example", "Sec-Fetch-Site": "same-origin" };
const github = await createGitHub();
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(START);
  for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => void vi.useRealTimers());

type Headers = Record<string, string>;
type Surface = { readonly path: string; readonly headers: () => Promise<Headers> | Headers; readonly says?: string };

const identify = async () => ({ email: "owner@example.com", actor: "owner@example.com" });
const open = (who?: typeof identify) =>
  createIsolate(withFault({ ...github.bindings, OPERATOR_SECRET }, time, {}).bindings, who);
const post = (isolate: Isolate, path: string, headers: Headers, body: ReadableStream | string) =>
  isolate.request(path, { method: "POST", headers, body });

const keyHeaders = async (options: KeyOptions = {}) => ({ ...JSON_BODY, "X-API-Key": (await addApiKey(options)).text });

const SURFACES: Surface[] = [
  { path: "/tenant/surveys", headers: keyHeaders },
  { path: "/mcp", headers: keyHeaders },
  {
    path: "/ideabank/proposals",
    headers: async () => ({ ...JSON_BODY, Authorization: (await addIdeaBank()).token }),
  },
  { path: "/operator/sign-ins", headers: () => ({ ...JSON_BODY, Authorization: `Bearer ${OPERATOR_SECRET}` }) },
  { path: "/account/api/keys", headers: () => JSON_BODY },
  { path: "/account/api-keys", headers: () => ({ ...FORM_BODY, ...OWN_PAGE }) },
  { path: "/account/sign-in", headers: () => ({ ...FORM_BODY, ...OWN_PAGE }) },
  {
    path: "/leaks/github",
    headers: () => ({
      ...JSON_BODY,
      "Github-Public-Key-Identifier": "a".repeat(64),
      "Github-Public-Key-Signature": "MAA=",
    }),
  },
  { path: "/leaks/reports", headers: () => FORM_BODY, says: "/leaks/again" },
];

describe("a body that does not come to its end", () => {
  it.each(SURFACES)("is given up ten seconds after its sender was admitted: $path", async ({ path, headers, says }) => {
    const isolate = open(identify);
    const body = slowBody("{");
    const { answer, elapsedMs } = await time.until(post(isolate, path, await headers(), body.readable));
    expect([body.wasAsked(), answer.status]).toEqual([true, says === undefined ? 408 : 303]);
    expect(elapsedMs).toBe(10_000);
    if (says !== undefined) expect(answer.headers.get("Location")).toBe(says);
    else if (answer.headers.get("Content-Type") === "application/problem+json")
      expect(await answer.json()).toMatchObject({ error: "request-timeout", title: "Request Timeout" });
  });
});

describe("of a sender that is not admitted nothing is read", () => {
  const BAD: [string, string, () => Promise<Headers>, number][] = [
    ["a revoked key", "/tenant/surveys", () => keyHeaders({ revokedAt: START - 1 }), 401],
    ["a revoked key", "/mcp", () => keyHeaders({ revokedAt: START - 1 }), 401],
    ["an expired key", "/mcp", () => keyHeaders({ expiresAt: START - 1 }), 401],
    ["a narrow key", "/tenant/surveys", () => keyHeaders({ scopes: ["ideabanks:read"] }), 403],
    [
      "a key of a suspended account",
      "/tenant/surveys",
      async () => keyHeaders({ accountId: await addAccount({ status: "suspended" }) }),
      403,
    ],
    ["a wrong secret", "/operator/sign-ins", async () => ({ ...JSON_BODY, Authorization: "Bearer x" }), 401],
    ["no token", "/ideabank/proposals", async () => JSON_BODY, 401],
    ["a foreign page", "/account/api-keys", async () => ({ ...FORM_BODY, Origin: "https://evil.example" }), 403],
    ["a foreign page", "/account/sign-in", async () => ({ ...FORM_BODY, Origin: "https://evil.example" }), 403],
    ["an unknown signer", "/leaks/github", async () => ({ ...JSON_BODY, "Github-Public-Key-Identifier": "b" }), 401],
  ];
  it.each(BAD)("%s at %s", async (_, path, headers, status) => {
    const body = slowBody();
    const { answer } = await time.until(post(open(), path, await headers(), body.readable));
    expect([answer.status, body.wasAsked()]).toEqual([status, false]);
  });

  it("a key over its limit", async () => {
    const headers = await keyHeaders({ limit: 1 });
    const isolate = open();
    expect((await time.until(post(isolate, "/tenant/surveys", headers, '{"title":"A survey"}'))).answer.status).toBe(
      201,
    );
    const body = slowBody();
    const { answer } = await time.until(post(isolate, "/tenant/surveys", headers, body.readable));
    expect([answer.status, body.wasAsked()]).toEqual([429, false]);
  });

  it("nobody who is signed in", async () => {
    for (const path of ["/account/api/keys", "/account/api-keys"]) {
      const body = slowBody();
      const headers = { ...(path.includes("/api/") ? JSON_BODY : FORM_BODY), ...OWN_PAGE };
      const { answer } = await time.until(post(open(), path, headers, body.readable));
      expect([path, answer.status, body.wasAsked()]).toEqual([path, 403, false]);
    }
  });
});

describe("a sender's share of the isolate's memory", () => {
  const LARGE = `{"title":"${"x".repeat(64 * 1024 - 12)}`;
  const hold = async (isolate: Isolate, path: string, headers: Headers, times: number) => {
    const bodies = Array.from({ length: times }, () => slowBody(LARGE));
    const answers = bodies.map(({ readable }) => post(isolate, path, headers, readable));
    // Time stands still meanwhile.
    await Promise.all(bodies.map(({ taken }) => taken));
    return { bodies, answers };
  };

  it.each(["/tenant/surveys", "/mcp"])("is 2 MiB, whoever else is there: %s", async (path) => {
    const [headers, others] = [await keyHeaders(), await keyHeaders()];
    const isolate = open();
    const send = (as: Headers) => post(isolate, "/tenant/surveys", as, '{"title":"A survey"}');
    // Their gates have their records from now on, so nothing below waits for a timer.
    for (const each of [headers, others]) expect((await time.until(send(each))).answer.status).toBe(201);
    const { bodies, answers } = await hold(isolate, path, headers, 32);
    const full = await send(headers);
    expect([full.status, full.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect((await send(others)).status).toBe(201);
    for (const body of bodies) body.end();
    await Promise.all(answers);
    expect((await send(headers)).status).toBe(201);
  });

  it("is 64 KiB while all together hold 32 MiB, so that another tenant's request is taken", async () => {
    const shares = new BodyShares();
    for (let sender = 0; sender < 16; sender += 1) shares.open(`sender ${sender}`).take(2 * 1024 * 1024);
    const small = shares.open("another");
    small.take(64 * 1024);
    expect(() => small.take(1)).toThrow("too many request bodies");
    expect(() => shares.open("sender 0").take(1)).toThrow("too many request bodies");
    small.release();
    small.take(64 * 1024);
  });

  it("is counted by what is held: a thousand small pieces are one body", async () => {
    let left = 1_000;
    const readable = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        controller.enqueue(new TextEncoder().encode(left === 999 ? '{"title":"A survey"' : left === 0 ? "}" : " "));
        if (left === 0) controller.close();
      },
    });
    const { answer } = await time.until(post(open(), "/tenant/surveys", await keyHeaders(), readable));
    expect(answer.status).toBe(201);
  });
});
