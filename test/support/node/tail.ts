/** The deployed Worker with a tail Worker beside it, which receives what Workers Logs and `wrangler tail` receive. Faults are chosen by a header. */
import { readFile } from "node:fs/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { buildWorker } from "../../../src/commands/development/build-worker.ts";

/** Its owner is signed in, and `/job` is a run of the scheduled job. */
const WITH_FAULTS = `
  import worker from "./worker.js";
  export * from "./worker.js";
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

export async function runWithTail() {
  const { compatibility_date, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const [worker, schema] = await Promise.all([buildWorker(), readFile("schema.sql", "utf8")]);
  const modules = (files: Record<string, string>) =>
    Object.entries(files).map(([path, contents]) => ({ type: "ESModule" as const, path, contents }));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      handleStructuredLogs: () => {},
      workers: [
        {
          name: "watched",
          compatibilityDate: compatibility_date,
          modules: modules({ "index.js": WITH_FAULTS, "worker.js": worker }),
          bindings: { ...vars, CREDENTIAL_SECRETS: "what-signs-credentials-beside-a-tail" },
          d1Databases: { DB: "DB" },
          kvNamespaces: { CHANGELOGS: "CHANGELOGS" },
          durableObjects: { API_KEY_GATE: { className: "ApiKeyGate", useSQLite: true } },
          tails: ["tail"],
        },
        { name: "tail", compatibilityDate: compatibility_date, modules: modules({ "tail.js": TAIL }) },
      ],
    }),
  );
  const { origin } = await miniflare.ready;
  await (await miniflare.getD1Database("DB", "watched")).prepare(schema).run();
  const tail = await miniflare.getWorker("tail");
  return {
    send: async (path: string, headers: Record<string, string>) => fetch(origin + path, { headers }),
    /** Each line of the log so far, as JSON. */
    logged: async () => (await (await tail.fetch("http://tail/")).json()) as string[],
    stop: () => miniflare.dispose(),
  };
}
