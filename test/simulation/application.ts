/** The application under test, unchanged: bundled once, with the runtime's globals replaced by the world's. */
import { createRequire } from "node:module";
import { GLOBALS } from "./world/globals.ts";

const require = createRequire(import.meta.url);
const { build } = createRequire(require.resolve("wrangler"))("esbuild") as typeof import("esbuild");

export type DurableObjectInstance = object;

/** All that the simulation knows of the code: its entry points. */
export type Application = {
  readonly createApp: () => {
    fetch(request: Request, env: object, context: object): Response | Promise<Response>;
  };
  readonly ApiKeyGate: new (state: object, env: object) => DurableObjectInstance;
  readonly runScheduled: (env: object) => Promise<void>;
};

const SOURCE = `${import.meta.dirname}/../../src/worker/`;
const WORLD = "simulatedGlobals";

let loaded: Promise<Application> | undefined;

export function loadApplication(): Promise<Application> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Application> {
  Reflect.set(globalThis, WORLD, GLOBALS);
  const { outputFiles } = await build({
    stdin: {
      resolveDir: SOURCE,
      loader: "ts",
      contents: `
        export { createApp } from "./app.ts";
        export { ApiKeyGate } from "./api-key-gate/api-key-gate.ts";
        export { runScheduled } from "./scheduled.ts";`,
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    alias: { "cloudflare:workers": `${import.meta.dirname}/world/cloudflare-workers.ts` },
    define: {
      "import.meta.deployed": "true",
      Date: `${WORLD}.Date`,
      setTimeout: `${WORLD}.setTimeout`,
      clearTimeout: `${WORLD}.clearTimeout`,
      crypto: `${WORLD}.crypto`,
      console: `${WORLD}.console`,
      "Math.random": `${WORLD}.random`,
    },
    logLevel: "error",
  });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error("the bundler made nothing");
  return (await import(`data:text/javascript;base64,${Buffer.from(file.text).toString("base64")}`)) as Application;
}
