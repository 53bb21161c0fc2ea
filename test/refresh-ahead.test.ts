/** Under steady load nobody waits for D1: one request in the second half of the freshness window refreshes for the others. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createApp } from "../src/app.ts";
import { interceptStores } from "./support/intercept.ts";
import { VirtualTime } from "./support/virtual-time.ts";
import { addIdeaBank } from "./support/world.ts";

const START = 1_900_000_000_000;

it("a request every 50 ms for ten seconds is answered from memory, at two D1 trips a second at most", async () => {
  const time = new VirtualTime(START);
  const { token } = await addIdeaBank();
  let trips = 0;
  let held = Promise.resolve();
  const counted = interceptStores({ ...env, FRESHNESS_SECONDS: "1" }, async (kind, makeCall) => {
    if (kind !== "d1") return time.call(makeCall);
    trips += 1;
    await held;
    return time.call(makeCall);
  });
  const app = createApp();
  const contexts: ExecutionContext[] = [];
  const send = async () => {
    const context = createExecutionContext();
    contexts.push(context);
    const request = new Request("https://api.example/public/ideabank/changelog", { headers: { Authorization: token } });
    return (await app.fetch(request, counted, context)).status;
  };
  expect((await time.until(send())).answer).toBe(200);
  trips = 0;
  for (let sent = 1; sent <= 200; sent++) {
    vi.setSystemTime(START + sent * 50);
    // D1 answers only after the requests have been answered: who waits for it waits for ever.
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    expect(await Promise.all([send(), send(), send()])).toEqual([200, 200, 200]);
    resolve();
    for (const context of contexts.splice(0)) await waitOnExecutionContext(context);
  }
  expect(trips).toBeGreaterThanOrEqual(10);
  expect(trips).toBeLessThanOrEqual(20);
});
