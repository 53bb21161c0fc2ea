/**
 * Two hundred requests at once, over HTTP, to the Worker as it is built, before stores that take a moment: what reaches
 * them. In tests of `test/` all requests share one context; here each has its own, as when it is deployed.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { OUR_OBJECTS, type Runtime, startRuntime } from "../bench/runtime.ts";
import { ideaBankIds, seedAccount, seedApiKeys, seedIdeaBanks, tokenFor } from "../bench/seed.ts";
import { bundleWorker } from "../support/node/bundle-worker.ts";

/** The Worker around slow stores. `GET /counts` gives the calls since the last. */
const WORKER = `
  import worker from "../../src/worker/index.ts";
  import { interceptDatabase, interceptStore } from "../support/intercept-binding.ts";
  export { ApiKeyGate } from "../../src/worker/index.ts";

  let counts = {};
  const slow = async (kind, makeCall) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    await scheduler.wait(50);
    return makeCall();
  };
  export default {
    fetch(request, env, context) {
      if (new URL(request.url).pathname === "/counts") {
        const answer = Response.json(counts);
        counts = {};
        return answer;
      }
      const stores = { DB: interceptDatabase(env.DB, slow), CHANGELOGS: interceptStore(env.CHANGELOGS, slow) };
      return worker.fetch(request, { ...env, ...stores }, context);
    },
  };`;

const REQUESTS = 200;
let runtime: Runtime;
let url: string;
let token: string;
let apiKey: string;
const [ideaBankId = ""] = ideaBankIds(1);

beforeAll(async () => {
  const script = await bundleWorker(WORKER, "test/worker");
  const variables = { FRESHNESS_SECONDS: "300" };
  runtime = await startRuntime([{ name: "slow", script, variables, objects: OUR_OBJECTS }]);
  url = runtime.url("slow");
  const database = await runtime.database("slow");
  await seedAccount(database);
  await seedIdeaBanks(database, [ideaBankId]);
  [apiKey = ""] = await seedApiKeys(database, 1, { limit: 100, windowSeconds: 60 });
  token = await tokenFor(ideaBankId);
});
afterAll(() => runtime.stop());

const countsOf = async () => (await (await fetch(`${url}/counts`)).json()) as Record<string, number>;

async function readAtOnce(): Promise<number[]> {
  const read = () => fetch(`${url}/public/ideabank/changelog`, { headers: { Authorization: token } });
  const responses = await Promise.all(Array.from({ length: REQUESTS }, read));
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return [...new Set(responses.map(({ status }) => status))];
}

/** Few: one request makes one trip to D1, and on a machine that is busy some wait in vain. */
const FEW = REQUESTS / 20;

it("on a cold isolate they make a few trips, not one each", { tags: "slow" }, async () => {
  expect(await readAtOnce()).toEqual([200]);
  const counts = await countsOf();
  expect(counts.d1).toBeGreaterThanOrEqual(1);
  expect(counts.d1).toBeLessThan(FEW);
  expect(counts["kv.read"]).toBeLessThan(FEW);
  expect(counts["kv.write"]).toBe(1);
});

it("after a write they make a few trips, not one each", { tags: "slow" }, async () => {
  const renamed = await fetch(`${url}/tenant/ideabanks/${ideaBankId}`, {
    method: "PATCH",
    headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Another name" }),
  });
  expect(renamed.status).toBe(200);
  await countsOf();
  expect(await readAtOnce()).toEqual([200]);
  const { d1, ...others } = await countsOf();
  expect(d1).toBeGreaterThanOrEqual(1);
  expect(d1).toBeLessThan(FEW);
  expect(others).toEqual({});
});
