/** Workers for Miniflare. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { build } = createRequire(require.resolve("wrangler"))("esbuild") as typeof import("esbuild");

/** One module, or several by name: the first is the entry. */
export type Script = string | ReadonlyMap<string, string>;

/** For Miniflare, in a folder of their own. */
export const toModules = (folder: string, script: Script) =>
  [...(typeof script === "string" ? new Map([["index.js", script]]) : script)].map(([name, contents]) => ({
    type: "ESModule" as const,
    path: `${folder}/${name}`,
    contents,
  }));

/** Bundles a Worker that a test writes around ours, with the options of wrangler. Its imports are relative to `folder`. */
export async function bundleWorker(contents: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { resolveDir: folder, loader: "ts", contents },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    jsx: "automatic",
    jsxImportSource: "#jsx",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("the bundler made nothing");
  return file.text;
}
