/** Two versions of the Worker in one runtime: one answers requests, the other runs the gates, as while a deployment spreads. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, type LegacyWorkerOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { makeSchema } from "../schema-parts.ts";
import { type Script, toModules } from "./bundle-worker.ts";

/** The Worker's module around one that signs the owner in, as Cloudflare Access does. */
const SIGNED_IN = `
  import worker from "./index.js";
  export * from "./index.js";
  const access = { aud: "an-audience", getIdentity: async () => ({ email: "owner@example.com" }) };
  export default {
    fetch: (request, env, context) =>
      worker.fetch(request, env, { waitUntil: (promise) => context.waitUntil(promise), passThroughOnException() {}, access }),
  };`;

/** `front`: what answers requests. `sql` prepares the database: `schema.sql`, or the steps of an upgrade. */
export type Versions = { readonly front: Script; readonly gates: Script; readonly sql?: string };

/** `state` is a folder that outlives the runtime. `others` are Workers beside them: a service binding names `front`. */
export async function runVersions(
  { front, gates, sql }: Versions,
  state: string,
  others: readonly LegacyWorkerOptions[] = [],
) {
  const { compatibility_date, compatibility_flags } = unstable_readConfig({ config: "wrangler.toml" });
  const toWorker = (name: string, script: Script, scriptName: string | undefined) => ({
    name,
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    modules: [
      { type: "ESModule" as const, path: `${name}/signed-in.js`, contents: SIGNED_IN },
      ...toModules(name, script),
    ],
    bindings: {
      CREDENTIAL_SECRETS: "what-signs-credentials-of-two-versions",
      FRESHNESS_SECONDS: "0",
      ACCESS_AUD: "",
      NEW_ACCOUNTS: "0",
      SERVICE_TOKEN_OWNERS: "",
      OWN_ZONES: "",
      NOTICES_FROM: "",
      SIGN_IN_URL: "",
      OPERATOR_SECRET: "the-operator-of-two-versions-has-this",
    },
    d1Databases: { DB: "DB" },
    kvNamespaces: { CHANGELOGS: "CHANGELOGS" },
    durableObjects: {
      API_KEY_GATE: { className: "ApiKeyGate", useSQLite: true, ...(scriptName !== undefined && { scriptName }) },
    },
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: state,
      host: "127.0.0.1",
      handleStructuredLogs: () => {},
      workers: [toWorker("front", front, "gates"), toWorker("gates", gates, undefined), ...others],
    }),
  );
  const database = await miniflare.getD1Database("DB", "front");
  await makeSchema(database, sql ?? (await readFile("schema.sql", "utf8")));
  const { origin } = await miniflare.ready;

  async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const response = await fetch(origin + path, {
      method,
      headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === "" ? {} : JSON.parse(text) };
  }
  return {
    database,
    origin,
    databaseOf: (binding: string, worker: string) => miniflare.getD1Database(binding, worker),
    workerOf: (name: string) => miniflare.getWorker(name),
    send,
    whoami: async (key: string) => (await send("GET", "/tenant/whoami", { "X-API-Key": key })).status,
    create: async (fields: object): Promise<{ id: string; key: string }> => {
      const { json } = await send("POST", "/account/api/keys", {}, fields);
      return { id: json.apiKey.id, key: json.key };
    },
    stop: () => miniflare.dispose(),
  };
}

export async function makeState(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "two-versions-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
