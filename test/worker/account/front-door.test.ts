/** What the front door does when Account Settings, a Worker of its own, does not answer; and what it hands over. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AccountCall, type AccountService, HANDED } from "../../../src/worker/account/contract.ts";
import { createFrontDoor } from "../../../src/worker/front-door.ts";
import { holdTimers } from "../../support/hang.ts";

const DEADLINE_MS = 30_000;
const never = () => new Promise<Response>(() => {});

const send = (path: string, serve: AccountService["serve"] | undefined, context = createExecutionContext()) =>
  createFrontDoor().fetch(
    new Request(`https://api.example${path}`),
    Object.assign({}, env, { OPERATOR_SECRET: "the-operator's", ACCOUNT_SETTINGS: serve && { serve } }),
    context,
  );

describe.each([
  ["is not there", undefined],
  ["fails", () => Promise.reject(new Error("the Worker is not deployed"))],
  ["hangs", never],
])("when it %s", (_, serve) => {
  beforeEach(() => holdTimers());
  afterEach(() => vi.useRealTimers());

  const ask = async (path: string) => {
    const answer = Promise.resolve(send(path, serve));
    if (serve === never) await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    return answer;
  };

  it("a script gets 503 as a problem document, with the headers of every answer", async () => {
    const response = await ask("/account/api/keys");
    expect([response.status, response.headers.get("Content-Type")]).toEqual([503, "application/problem+json"]);
    expect(await response.json()).toMatchObject({
      error: "service-unavailable",
      detail: "Account Settings does not answer. Try again in a few seconds.",
    });
    for (const name of ["X-Request-Id", "Retry-After", "X-Content-Type-Options"])
      expect(response.headers.get(name), name).not.toBeNull();
  });

  it.each(["/account", "/account/api-keys", "/account/nothing"])("a person gets a page: %s", async (path) => {
    const response = await ask(path);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(response.headers.get("Content-Type")).toContain("text/html");
    expect(await response.text()).toContain("Account Settings is not available.");
  });
});

it("has the variables and secrets that it needs, and no other; who is signed in; and two methods of the gates", async () => {
  const calls: AccountCall[] = [];
  const identity = { email: "owner@example.com", service_token_id: "a-token", groups: ["everybody"] };
  const context = Object.assign(createExecutionContext(), {
    access: { aud: "an-audience", getIdentity: async () => identity },
  });
  const response = await send(
    "/account/api-keys",
    async (_, call) => {
      calls.push(call);
      return new Response("served", { headers: { "X-Request-Id": "its-own" } });
    },
    context,
  );
  expect([await response.text(), response.headers.get("X-Request-Id")]).toEqual(["served", "its-own"]);
  const [call] = calls;
  expect(call?.signIn).toEqual({ aud: "an-audience", email: "owner@example.com", serviceTokenId: "a-token" });
  expect(Object.keys(call?.settings ?? {})).toEqual([...HANDED]);
  expect(HANDED).not.toContain("OPERATOR_SECRET");
  expect(call?.settings).toMatchObject({ CREDENTIAL_SECRETS: env.CREDENTIAL_SECRETS, NEW_ACCOUNTS: "0" });
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(call?.gates));
  expect(methods.toSorted()).toEqual(["constructor", "forget", "place"]);
});
