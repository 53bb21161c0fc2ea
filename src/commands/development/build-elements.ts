/** The custom elements, from `src/elements/` to one script each: no framework, no import that a page would have to load. And their types. */
import { readFile } from "node:fs/promises";
import { build, type Plugin, transform } from "esbuild";
import { ELEMENTS_VERSION } from "../../elements/version.ts";
import { elementTypes } from "./elements-types.ts";

export const ELEMENTS = ["changelog", "board", "launcher"] as const;

/** A stylesheet becomes its minified text, which the element adopts. */
const stylesheets: Plugin = {
  name: "stylesheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true, target: TARGET });
      // esbuild leaves the values of custom properties as they are.
      return { contents: code.trim().replaceAll(/([:,]) /g, "$1"), loader: "text" };
    });
  },
};

/** Browsers that have `light-dark()` and `AbortSignal.any`, which the elements need. */
const TARGET = ["chrome125", "firefox126", "safari17.5"];

/** The script of each element and the types of all, by file name. */
export async function buildElements(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: ELEMENTS.map((name) => `src/elements/${name}/${name}.ts`),
    entryNames: "[name]",
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    banner: { js: `/* idea bank elements ${ELEMENTS_VERSION} */` },
    plugins: [stylesheets],
  });
  const scripts = outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf("/") + 1), text] as const);
  return new Map([...scripts, ...elementTypes()]);
}
