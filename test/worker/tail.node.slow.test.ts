/** The log as its reader gets it: what a tail Worker receives has gone through JSON, in which an error is `{}`. */

import { readFile } from "node:fs/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { toModules } from "../support/node/bundle-worker.ts";
import { makeSchema } from "../support/schema-parts.ts";

/** The deployed Worker. Faults are chosen by a header, its owner is signed in, and `/job` is a run of the scheduled job. */
const WITH_FAULTS = `
  import worker from "./worker/index.js";
  export * from "./worker/index.js";
  const inside = new Error("what is wrong inside");
  const ERRORS = {
    defect: () => new Error("D1_ERROR: injected defect: SQLITE_ERROR", { cause: inside }),
    outage: () => new Error("injected outage"),
  };
  function withFault(env, fault) {
    if (fault === "setting") return { ...env, FRESHNESS_SECONDS: "soon", CREDENTIAL_SECRETS: "too-short" };
    if (fault === null) return env;
    const prepare = () => { throw ERRORS[fault](); };
    return { ...env, DB: { prepare, batch: env.DB.batch, withSession: () => ({ prepare, getBookmark: () => null }) } };
  }
  const access = { aud: "an-audience", getIdentity: async () => ({ email: "owner@example.com" }) };
  export default {
    async fetch(request, env, context) {
      const chosen = withFault(env, request.headers.get("X-Fault"));
      const own = { waitUntil: (promise) => context.waitUntil(promise), passThroughOnException() {}, access };
      if (new URL(request.url).pathname !== "/job") return worker.fetch(request, chosen, own);
      await worker.scheduled({}, chosen, own).catch(() => {});
      return new Response();
    },
  };`;

const TAIL = `
  const lines = [];
  export default {
    tail: (events) => void lines.push(...events.flatMap(({ logs }) => logs.map((log) => JSON.stringify(log)))),
    fetch: () => Response.json(lines),
  };`;

async function runWithTail() {
  const { compatibility_date, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const [worker, schema] = await Promise.all([buildWorker(), readFile("schema.sql", "utf8")]);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      handleStructuredLogs: () => {},
      workers: [
        {
          name: "watched",
          compatibilityDate: compatibility_date,
          modules: [...toModules(".", WITH_FAULTS), ...toModules("worker", worker)],
          bindings: { ...vars, CREDENTIAL_SECRETS: "what-signs-credentials-beside-a-tail" },
          d1Databases: { DB: "DB" },
          kvNamespaces: { CHANGELOGS: "CHANGELOGS" },
          durableObjects: { API_KEY_GATE: { className: "ApiKeyGate", useSQLite: true } },
          tails: ["tail"],
        },
        { name: "tail", compatibilityDate: compatibility_date, modules: toModules("tail", TAIL) },
      ],
    }),
  );
  const { origin } = await miniflare.ready;
  await makeSchema(await miniflare.getD1Database("DB", "watched"), schema);
  const tail = await miniflare.getWorker("tail");
  return {
    send: async (path: string, headers: Record<string, string>) => fetch(origin + path, { headers }),
    /** Each line of the log so far, as JSON. */
    logged: async () => (await (await tail.fetch("http://tail/")).json()) as string[],
    stop: () => miniflare.dispose(),
  };
}

let runtime: Awaited<ReturnType<typeof runWithTail>>;
beforeAll(async () => {
  runtime = await runWithTail();
});
afterAll(() => runtime.stop());

/** All texts of the log that has this text in it, with their line breaks. */
const logWith = (text: string) =>
  expect.poll(async () => {
    const logged = (await runtime.logged()).find((line) => line.includes(text));
    return logged?.replaceAll("\\n", "\n");
  });

const KEY = { "X-API-Key": `ibk_${"0".repeat(47)}` };

it("a 500 says which error it was, where, and what caused it", async () => {
  const { status } = await runtime.send("/account/api/keys", { "X-Fault": "defect", "X-Request-Id": "a-500" });
  expect(status).toBe(500);
  await logWith("a-500").toMatch(
    /Error: D1_ERROR: injected defect: SQLITE_ERROR\n +at .*\ncaused by: Error: what is wrong inside\n +at /s,
  );
});

it("a 503 says what the store said", async () => {
  const { status } = await runtime.send("/account/api/keys", { "X-Fault": "outage", "X-Request-Id": "a-503" });
  expect(status).toBe(503);
  await logWith("a-503").toMatch(
    /DatabaseOutage: D1 does not answer\n +at .*caused by: Error: injected outage\n +at /s,
  );
});

it("a failed slice and a failed delivery of the scheduled job say why", async () => {
  await runtime.send("/job", { "X-Fault": "outage" });
  const why = /DatabaseOutage: D1 does not answer\n.*caused by: Error: injected outage\n +at /s;
  await logWith("could not do a slice").toMatch(why);
  await logWith("could not deliver to webhooks").toMatch(
    /AggregateError: some deliveries were not made.*one of its errors: /s,
  );
  await logWith("could not deliver to webhooks").toMatch(why);
});

it("a wrong setting is named, and its value is not shown", async () => {
  const { status } = await runtime.send("/tenant/whoami", {
    ...KEY,
    "X-Fault": "setting",
    "X-Request-Id": "a-setting",
  });
  expect(status).toBe(500);
  await logWith("a-setting").toMatch(/FRESHNESS_SECONDS.*CREDENTIAL_SECRETS/s);
  await logWith("a-setting").not.toMatch(/soon|too-short/);
});
