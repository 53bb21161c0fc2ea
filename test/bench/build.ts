/** The Workers, as they are deployed: minified. Ours is several modules. */
import { createRequire } from "node:module";
import { makePageStyles } from "../../src/commands/development/page-styles.ts";

const require = createRequire(import.meta.url);
const { build } = createRequire(require.resolve("wrangler"))("esbuild") as typeof import("esbuild");

export const WRANGLER = "node_modules/.bin/wrangler";

export { buildWorker as buildOurs } from "../../src/commands/development/build-worker.ts";

/** A Worker below `workers/`. */
export const buildWorker = (name: string): Promise<string> =>
  bundle({ entryPoints: [`test/bench/workers/${name}.ts`] });

/** Our application for Node, in which a comment names the file before the code of each. */
export const buildReadable = (): Promise<string> => bundle({ entryPoints: ["src/worker/app.ts"], minify: false });

/** The world around our code and the peers' (world/worker.ts); without better-auth, it needs nothing that is not the project's. */
export const buildWorld = ({ betterAuth }: { betterAuth: boolean }): Promise<string> =>
  bundle({
    entryPoints: ["test/bench/world/worker.ts"],
    define: { "import.meta.hasBetterAuth": String(betterAuth) },
  });

/** A module (a path below `test/bench/workers/`) around which the stores are metered, and its Durable Object class. */
export const buildMetered = (module: string, objectClass?: string): Promise<string> =>
  bundle({
    stdin: {
      resolveDir: "test/bench/workers",
      loader: "ts",
      contents: `
        import * as module from "${module}";
        import { metered, meteredObject } from "./metered.ts";
        export default metered(module.default);
        ${objectClass === undefined ? "" : `export const ${objectClass} = meteredObject(module.${objectClass});`}`,
    },
  });

/** Ours, whose databases are so many milliseconds away, with its Durable Object class. */
export const buildFar = (distanceMs: number): Promise<string> =>
  bundle({
    stdin: {
      resolveDir: "test/bench/workers",
      loader: "ts",
      contents: `
        import * as module from "../../../src/worker/index.ts";
        import { far } from "./far.ts";
        export default far(module.default, ${distanceMs});
        export const { ApiKeyGate } = module;`,
    },
  });

async function bundle(options: import("esbuild").BuildOptions): Promise<string> {
  await makePageStyles();
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    jsx: "automatic",
    jsxImportSource: "#jsx",
    logLevel: "error",
    ...options,
    write: false,
  });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error("the bundler made nothing");
  return file.text;
}
