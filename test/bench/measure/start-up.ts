/** Start-up: how large the modules are, and the processor time of workerd from its start until the Worker's first answer, in turns with others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";
import { type Script, toModules } from "../../support/node/bundle-worker.ts";
import { buildOurs, buildWorker } from "../build.ts";
import { processorSeconds, SECRET } from "../runtime.ts";

/** Milliseconds of the processor, of each of several starts. */
export type StartUpResult = {
  readonly bytes: number;
  readonly gzippedBytes: number;
  readonly ours: readonly number[];
  readonly released: readonly number[];
  readonly bare: readonly number[];
  readonly betterAuthGzippedBytes: number;
};

/** What start-up is held against: it may not become slower than the first release's. */
const RELEASED = "test/fixtures/released-workers/1.0.0.js";

/** Without a key it is refused before any store is asked. */
const FIRST_REQUEST = "/tenant/whoami";

const require = createRequire(import.meta.url);
const { default: WORKERD }: { default: string } = createRequire(require.resolve("miniflare"))("workerd");

export async function measureStartUp(starts: number): Promise<StartUpResult> {
  const [ours, released, bare] = await Promise.all([buildOurs(), readFile(RELEASED, "utf8"), buildWorker("bare")]);
  const all = toModules("ours", ours)
    .map(({ contents }) => contents)
    .join("");
  const folder = await mkdtemp(join(tmpdir(), "bench-start-"));
  try {
    const configurations = {
      ours: await configure(folder, "ours", { script: ours, objectClass: "ApiKeyGate" }),
      released: await configure(folder, "released", { script: released, objectClass: "ApiKeyGate" }),
      bare: await configure(folder, "bare", { script: bare, objectClass: "Idle" }),
    };
    const measured: Record<keyof typeof configurations, number[]> = { ours: [], released: [], bare: [] };
    for (let start = 0; start < starts; start++)
      for (const name of ["ours", "released", "bare"] as const)
        measured[name].push(await startOnce(configurations[name]));
    return {
      bytes: Buffer.byteLength(all),
      gzippedBytes: gzipSync(all).byteLength,
      ...measured,
      betterAuthGzippedBytes: gzipSync(await buildWorker("better-auth")).byteLength,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes a Worker and its configuration for workerd, whose path it returns. */
async function configure(
  folder: string,
  name: string,
  { script, objectClass }: { readonly script: Script; readonly objectClass: string },
): Promise<string> {
  const { compatibility_date, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const modules = toModules(name, script).map(({ path, contents }) => ({
    name: path,
    file: path.replace("/", "-"),
    contents,
  }));
  for (const { file, contents } of modules) await writeFile(join(folder, file), contents);
  const bindings = Object.entries({ ...vars, CREDENTIAL_SECRETS: SECRET });
  const path = join(folder, `${name}.capnp`);
  await writeFile(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibility_date}",
  durableObjectNamespaces = [(className = "${objectClass}", uniqueKey = "objects", enableSql = true)],
  durableObjectStorage = (inMemory = void),
  modules = [${modules.map(({ name, file }) => `(name = "${name}", esModule = embed "${file}")`).join(", ")}],
  bindings = [${bindings.map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`).join(", ")}]
);`,
  );
  return path;
}

async function startOnce(configuration: string): Promise<number> {
  const workerd = spawn(WORKERD, ["serve", "--control-fd=3", configuration], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = once(workerd, "close");
  try {
    const port = await portOf(workerd.stdio[3] as Readable);
    const response = await fetch(`http://127.0.0.1:${port}${FIRST_REQUEST}`);
    await response.text();
    if (response.status >= 500) throw new Error(`the Worker's first answer is ${response.status}`);
    return processorSeconds(workerd.pid ?? 0) * 1000;
  } finally {
    workerd.kill("SIGKILL");
    await ended;
  }
}

/** workerd writes one line of JSON when it listens. */
async function portOf(control: Readable): Promise<number> {
  let text = "";
  for await (const chunk of control) {
    text += chunk;
    if (text.includes("\n")) return JSON.parse(text).port;
  }
  throw new Error("workerd did not start");
}
