/** "What fails, and how" (design section 3) for the panelist API; the API key's rows are in api-key-gate/faults.test.ts and outage.test.ts. */

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/worker/app.ts";
import { freeze, freezeTimers } from "../support/clock.ts";
import { hangStores } from "../support/hang.ts";
import { failStores, interceptStores } from "../support/intercept.ts";
import { createIsolate } from "../support/isolate.ts";
import { addApiKey, addIdeaBank, addProposal, tokenFor } from "../support/world.ts";

const PATH = "/public/ideabank/changelog";
const START = 1_900_000_000_000;

describe("when D1 is down", () => {
  it.each([
    ["0", 300_000],
    ["6", 294_000],
  ])(
    "the changelog comes from the last snapshot for at most five minutes with its anchor, then 503: %s",
    async (anchor, lastsMs) => {
      freeze(START);
      const eager = { ...env, FRESHNESS_SECONDS: "0", ANCHOR_SECONDS: anchor };
      const { token, ...bank } = await addIdeaBank();
      await addProposal(bank, { title: "implemented" });
      const isolate = createIsolate(eager);
      const init = { headers: { Authorization: token } };
      const before = await (await isolate.request(PATH, init)).text();
      const down = failStores(eager, "d1");
      vi.setSystemTime(START + lastsMs);
      const during = await isolate.request(PATH, init, down);
      expect(during.status).toBe(200);
      expect(await during.text()).toBe(before);
      vi.setSystemTime(START + lastsMs + 1);
      const after = await isolate.request(PATH, init, down);
      expect(after.status).toBe(503);
      expect(after.headers.get("Retry-After")).toBe("5");
      expect(await after.json()).toMatchObject({ error: "service-unavailable" });
      vi.setSystemTime(START + lastsMs + 1_001);
      expect((await isolate.request(PATH, init)).status).toBe(200);
    },
  );

  it.each([
    ["fails", failStores],
    ["hangs", (bindings: Env, kind: "d1") => hangStores(bindings, kind).env],
  ])("and %s, what was changed meanwhile shows a second after the repair", async (_, broken) => {
    freezeTimers(START);
    const { token, ...bank } = await addIdeaBank();
    await addProposal(bank, { title: "before" });
    const isolate = createIsolate();
    const read = async (bindings: Env = env) => {
      const answer = isolate.request(PATH, { headers: { Authorization: token } }, bindings);
      for (let settled = false; !settled; ) {
        settled = await Promise.race([answer.then(() => true), scheduler.wait(5).then(() => false)]);
        if (!settled) await vi.advanceTimersByTimeAsync(100);
      }
      const { items } = await (await answer).json<{ items: { title: string }[] }>();
      return items.map(({ title }) => title);
    };
    expect(await read()).toEqual(["before"]);
    await addProposal(bank, { title: "meanwhile", lastActivityAt: 1 });
    vi.setSystemTime(Date.now() + 5_000);
    expect(await read(broken(env, "d1"))).toEqual(["before"]);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await read()).toEqual(["before", "meanwhile"]);
  });

  it("a closed capability stays closed; a token that is younger than the primary's word is told to wait", async () => {
    const { id, panelistId, token } = await addIdeaBank({ status: "CLOSED" });
    const old = await tokenFor(id, panelistId, Math.floor(Date.now() / 1000) - 60);
    const isolate = createIsolate();
    const read = async (authorization: string, bindings: Env) =>
      (await isolate.request(PATH, { headers: { Authorization: authorization } }, bindings)).status;
    expect(await read(old, env)).toBe(404);
    expect(await read(old, failStores(env, "d1"))).toBe(404);
    expect(await read(token, failStores(env, "d1"))).toBe(503);
  });

  it.each([PATH, "/ideabank"])("a new isolate answers 503 on %s, without the cause", async (path) => {
    const { token } = await addIdeaBank();
    const response = await createIsolate(failStores(env, "d1")).request(path, { headers: { Authorization: token } });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("injected");
  });

  it("a changelog that nobody has read yet came with its idea bank", async () => {
    const { token } = await addIdeaBank();
    const isolate = createIsolate();
    await isolate.request("/ideabank", { headers: { Authorization: token } });
    const response = await isolate.request(PATH, { headers: { Authorization: token } }, failStores(env, "d1"));
    expect(response.status).toBe(200);
  });

  it("a forged credential is still 401", async () => {
    const isolate = createIsolate(failStores(env, "d1", "gate", "kv.read"));
    expect((await isolate.request(PATH, { headers: { Authorization: "ibt_no" } })).status).toBe(401);
    expect((await isolate.request("/tenant/whoami", { headers: { "X-API-Key": "ibk_no" } })).status).toBe(401);
  });
});

describe("when KV is down", () => {
  it("clients see no difference: the changelog is rendered from D1", async () => {
    const { token, ...bank } = await addIdeaBank();
    await addProposal(bank, { title: "implemented" });
    const init = { headers: { Authorization: token } };
    const up = await createIsolate().request(PATH, init);
    const down = await createIsolate(failStores(env, "kv.read", "kv.write")).request(PATH, init);
    expect(down.status).toBe(200);
    expect(down.headers.get("ETag")).toBe(up.headers.get("ETag"));
    expect(await down.text()).toBe(await up.text());
  });

  it("and hangs on a write, the answer does not wait for it", async () => {
    const { token } = await addIdeaBank();
    const hanging = interceptStores(env, (kind, makeCall) =>
      kind === "kv.write" ? new Promise(() => {}) : makeCall(),
    );
    const request = new Request(`https://api.example${PATH}`, { headers: { Authorization: token } });
    const response = await createApp().fetch(request, hanging, createExecutionContext());
    expect(response.status).toBe(200);
  });

  it("whoami does not use it", async () => {
    const key = await addApiKey();
    const isolate = createIsolate(failStores(env, "kv.read", "kv.write"));
    expect((await isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } })).status).toBe(200);
  });
});

describe("when a setting is wrong", () => {
  it.each([
    { CREDENTIAL_SECRETS: "" },
    { CREDENTIAL_SECRETS: "too short" },
    { CREDENTIAL_SECRETS: `${env.CREDENTIAL_SECRETS},` },
    { FRESHNESS_SECONDS: "soon" },
    { FRESHNESS_SECONDS: "-1" },
    { FRESHNESS_SECONDS: "" },
  ])("%j, every credential gets the fixed 500, and the log names the setting", async (wrong) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { token } = await addIdeaBank();
    const response = await createIsolate({ ...env, ...wrong }).request(PATH, { headers: { Authorization: token } });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      detail: "An unexpected error. Include the `X-Request-Id` when you report it.",
      error: "internal-error",
    });
    const logged = String(log.mock.calls[0]?.[0].cause);
    expect(logged).toContain(Object.keys(wrong)[0]);
    expect(logged).not.toContain("too short");
  });
});
