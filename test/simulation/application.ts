/** The application under test, unchanged: bundled once, with the runtime's globals replaced by the world's. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { makePageStyles } from "../../src/commands/development/page-styles.ts";
import type { ObjectClass } from "./world/gates.ts";
import { GLOBALS } from "./world/globals.ts";

const require = createRequire(import.meta.url);
const { build } = createRequire(require.resolve("wrangler"))("esbuild") as typeof import("esbuild");

export type Handler = {
  fetch(request: Request, env: object, context: object): Response | Promise<Response>;
};

type Caller = { readonly env: object; readonly executionCtx: { waitUntil(promise: Promise<unknown>): void } };

/** All that the simulation knows of the code: its entry points. */
export type Application = {
  /** What is undefined is the runtime's own. */
  readonly createMemory: (later?: undefined, send?: unknown) => object;
  readonly createApp: (identify?: undefined, memory?: object) => Handler;
  readonly ApiKeyGate: ObjectClass;
  readonly runScheduled: (caller: Caller, now?: undefined, send?: unknown) => Promise<void>;
};

const SOURCE = `${import.meta.dirname}/../../src/worker`;
const PEERS = `${import.meta.dirname}/../bench/workers`;
const WORLD = "simulatedGlobals";
const CACHE = resolve("node_modules/.cache");

let application: Promise<Application> | undefined;

export function loadApplication(): Promise<Application> {
  application ??= load<Application>(`
    export { createApp, createMemory } from "${SOURCE}/app.ts";
    export { ApiKeyGate } from "${SOURCE}/api-key-gate/api-key-gate.ts";
    export { runScheduled } from "${SOURCE}/scheduled.ts";`);
  return application;
}

/** The benchmark's peers: what one would first write. */
export type Peers = { readonly whoami: Handler; readonly changelog: Handler; readonly Counter: ObjectClass };

export const loadPeers = (): Promise<Peers> =>
  load<Peers>(`
    export { default as whoami, Counter } from "${PEERS}/straightforward-whoami.ts";
    export { default as changelog } from "${PEERS}/straightforward-changelog.ts";`);

async function load<Module>(contents: string): Promise<Module> {
  await makePageStyles();
  Reflect.set(globalThis, WORLD, GLOBALS);
  const { outputFiles } = await build({
    stdin: { resolveDir: SOURCE, loader: "ts", contents },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    jsx: "automatic",
    jsxImportSource: "#jsx",
    alias: { "cloudflare:workers": `${import.meta.dirname}/world/cloudflare-workers.ts` },
    define: {
      Date: `${WORLD}.Date`,
      setTimeout: `${WORLD}.setTimeout`,
      clearTimeout: `${WORLD}.clearTimeout`,
      crypto: `${WORLD}.crypto`,
      console: `${WORLD}.console`,
      "Math.random": `${WORLD}.random`,
    },
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("the bundler made nothing");
  // From a file, because a stack trace names its source in each of its lines: as a data URL, that would be the whole bundle.
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(`${CACHE}/simulated-`);
  try {
    const path = `${folder}/application.mjs`;
    await writeFile(path, file.contents);
    return (await import(pathToFileURL(path).href)) as Module;
  } finally {
    await rm(folder, { recursive: true });
  }
}
