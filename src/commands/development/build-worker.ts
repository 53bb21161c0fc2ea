/**
 * The Worker's modules, as they are deployed. wrangler would make one of them, and each isolate would then read what most never need
 * (docs/decisions/account-worker.md).
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { makePageStyles } from "./page-styles.ts";

/** `main` in wrangler.toml is the entry in it. */
const FOLDER = "dist/worker";
const ENTRY = "index.js";
const TYPES = "index.d.ts";

type Options = { readonly minify: boolean; readonly splitting: boolean; readonly sourcemap: boolean };

/** A start reads every module. A text is read much faster than an object that is written out, and parsed when its module is needed. */
const JSON_AS_TEXT: Plugin = {
  name: "json-as-text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, "utf8")));
      return { contents: `export default JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    }),
};

async function bundle(options: Options): Promise<ReadonlyMap<string, string>> {
  await makePageStyles();
  const { outputFiles } = await build({
    entryPoints: { index: "src/worker/index.ts" },
    ...options,
    bundle: true,
    write: false,
    outdir: FOLDER,
    // As in wrangler.toml. A name tells the content: an upload that meets a build is complete, or refused.
    chunkNames: "part-[name]-[hash]",
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [JSON_AS_TEXT],
  });
  const files = outputFiles.map(({ path, text }) => [basename(path), text] as const);
  return new Map(files.toSorted(([one], [other]) => Number(other === ENTRY) - Number(one === ENTRY)));
}

/** The modules by name, minified. The entry is the first. Without `splitting` it is one module, with the same code. */
export const buildWorker = ({ splitting = true } = {}): Promise<ReadonlyMap<string, string>> =>
  bundle({ minify: true, splitting, sourcemap: false });

/** Writes them where wrangler finds them. Without `minify` a stack trace names functions: `npm run dev`. */
export async function writeWorker(options: { readonly minify: boolean }): Promise<void> {
  await writeWorkerTypes();
  const files = await bundle({ ...options, splitting: true, sourcemap: true });
  // What the entry loads is there before it.
  for (const [name, text] of [...files].toReversed()) await writeFile(join(FOLDER, name), text);
  // wrangler uploads every module there is.
  for (const name of await readdir(FOLDER))
    if (name !== TYPES && !files.has(name)) await rm(join(FOLDER, name), { force: true });
}

/** src/worker/env.d.ts takes the types of the Worker's classes from beside `main`. */
export async function writeWorkerTypes(): Promise<void> {
  const source = '"../../src/worker/index.ts"';
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, TYPES), `export * from ${source};\nexport { default } from ${source};\n`);
}
