/** Bundles a Worker that a test writes around ours, with the options of wrangler. Its imports are relative to `folder`. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { build } = createRequire(require.resolve("wrangler"))("esbuild") as typeof import("esbuild");

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
