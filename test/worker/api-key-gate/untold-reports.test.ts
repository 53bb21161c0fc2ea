/** What an isolate has decided by itself is counted also when the gate does not take the call that brings it. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;

it.each(BROKEN)(
  "what was used of a lease is counted, when the call for the next one brings it and %s",
  async (_, way) => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 10_000 });
    const broken = Promise.withResolvers<void>();
    let calls = 0;
    // The first brings a second lease. By the next call the first one is over.
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], (_kind, makeCall) => {
      calls += 1;
      if (calls !== 2) return makeCall();
      broken.resolve();
      return way();
    });
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    let requests = 0;
    for (let isBroken = false; !isBroken; requests++) {
      const answer = whoami(isolate, key.text);
      isBroken = await Promise.race([answer.then(() => false), broken.promise.then(() => true)]);
      if (isBroken) await vi.advanceTimersByTimeAsync(2_000);
      expect((await answer).status).toBe(200);
      vi.setSystemTime(Date.now() + 20);
    }
    await isolate.elapse();
    expect(await usageOf(key.id)).toEqual({ admitted: requests, limited: 0 });
  },
);

it.each([
  ["confirms", (makeCall: () => Promise<unknown>) => makeCall()],
  ["does not confirm", () => Promise.reject(new Error("injected fault: gate"))],
])("what was decided here is counted, when the key is revoked here and its gate %s that", async (_, way) => {
  freeze(START);
  vi.spyOn(console, "error").mockImplementation(() => {});
  const gates = interceptObjects(env.API_KEY_GATE, ["forget"], (_kind, makeCall) => way(makeCall));
  const owner = createOwner(undefined, { ...env, API_KEY_GATE: gates });
  const busy = await owner.create("Busy", { limit: 10_000, windowSeconds: 60 });
  await use(owner.isolate, busy.key, 30, 50);
  const flooded = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
  for (let times = 0; times < 15; times++) await whoami(owner.isolate, flooded.key);
  for (const { apiKey } of [busy, flooded]) await owner.json("DELETE", `/keys/${apiKey.id}`);
  await owner.isolate.elapse();
  expect(await usageOf(busy.apiKey.id)).toEqual({ admitted: 30, limited: 0 });
  expect(await usageOf(flooded.apiKey.id)).toEqual({ admitted: 10, limited: 5 });
});
