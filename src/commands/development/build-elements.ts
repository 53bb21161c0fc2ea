/**
 * The custom elements, from `src/elements/` to one script each: no framework, no import that a page would have to load. And the words
 * in other languages, and the types.
 */
import { readFile } from "node:fs/promises";
import { build, type Plugin, transform } from "esbuild";
import { LANGUAGES, translationOf } from "../../elements/languages/languages.ts";
import { ELEMENTS_VERSION } from "../../elements/version.ts";
import { readElementSources } from "./elements-reference.ts";
import { elementTypes } from "./elements-types.ts";

/** In the order in which a page names them: a roadmap loads the board's script, and knows its hash if the page has named it. */
const ELEMENTS = ["changelog", "board", "roadmap", "launcher"] as const;

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

/** A roadmap uses the board, which is a separate script. */
const otherScripts: Plugin = {
  name: "other scripts",
  setup({ onResolve }) {
    onResolve({ filter: /\/board\/board\.ts$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "./board.js", external: true } : undefined,
    );
  },
};

/** Browsers that have `light-dark()` and `AbortSignal.any`, which the elements need. */
const BANNER = `/* idea bank elements ${ELEMENTS_VERSION} */`;
const TARGET = ["chrome125", "firefox126", "safari17.5"];

/** These and what is `protected` nobody outside can see: their names can be short, which saves 3 % of a script. */
const INTERNAL =
  "say translate locale bank panelist isVisitor isKey unseen markSeen isNew parts lines kind list asking lastUse etag who".split(
    " ",
  );

/** The minifier writes the numbers as they are called here. */
const SHORT_NUMBERS = { "Number.NaN": "NaN", "Number.POSITIVE_INFINITY": "Infinity" };

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Short names, shared by all scripts because a roadmap calls the board's. */
async function shortNames(): Promise<Record<string, string>> {
  const { scripts } = await readElementSources();
  const members = scripts.matchAll(/ protected (?:(?:abstract|override|readonly|get|async) )*(\w+)/g);
  const names = new Set([...INTERNAL, ...Array.from(members, ([, name = ""]) => name)]);
  return Object.fromEntries(Array.from(names, (name, at) => [name, LETTERS[at] ?? name]));
}

/** The script of each element, the words of each language and the types of all, by file name. */
export async function buildElements(): Promise<Map<string, string>> {
  const names = await shortNames();
  const { outputFiles } = await build({
    entryPoints: ELEMENTS.map((name) => `src/elements/${name}/${name}.ts`),
    entryNames: "[name]",
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    mangleProps: new RegExp(`^(?:${Object.keys(names).join("|")})$`),
    mangleCache: names,
    charset: "utf8",
    legalComments: "none",
    plugins: [stylesheets, otherScripts],
  });
  const scripts = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      // Once more: only now are the modules one, and what they declare can stand together.
      const { code } = await transform(text, {
        minify: true,
        format: "esm",
        target: TARGET,
        define: SHORT_NUMBERS,
        charset: "utf8",
        banner: BANNER,
      });
      return [path.slice(path.lastIndexOf("/") + 1), code] as const;
    }),
  );
  const languages = LANGUAGES.map((name) => [`${name}.json`, JSON.stringify(translationOf(name))] as const);
  return new Map([...scripts, ...languages, ...elementTypes()]);
}
