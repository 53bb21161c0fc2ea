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
/** Built by itself, because its base is the changelog's script. */
const SURVEY = "survey";

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

/** What every element needs. The changelog's script has it and little else, so a survey takes it from there. */
const BASE = [
  "common-labels",
  "h",
  "head",
  "idea-bank-element",
  "message",
  "prose",
  "request",
  "request-failure",
  "storage",
  "visible",
];
const CHANGELOG = "./changelog.js";

/** The changelog, and all that its base exports. */
const changelogWithBase: Plugin = {
  name: "changelog with base",
  setup({ onResolve, onLoad }) {
    const namespace = "changelog with base";
    onResolve({ filter: /^changelog$/ }, ({ path }) => ({ path, namespace }));
    const parts = BASE.map((name) => `export * from "./shared/${name}.ts";`);
    const contents = ['import "./changelog/changelog.ts";', ...parts].join("\n");
    onLoad({ filter: /./, namespace }, () => ({ contents, resolveDir: "src/elements", loader: "ts" }));
  },
};

/** `exports` are those of the changelog's script. */
const baseOfChangelog = (exports: readonly string[]): Plugin => ({
  name: "base of the changelog",
  setup({ onResolve, onLoad }) {
    const namespace = "base of the changelog";
    onResolve({ filter: new RegExp(`^#h$|/(?:${BASE.join("|")})\\.ts$`) }, () => ({ path: CHANGELOG, namespace }));
    // One module for all of them, so that the script has one import.
    const contents = `export { ${exports.join(", ")} } from "${CHANGELOG}";`;
    onLoad({ filter: /./, namespace }, () => ({ contents }));
    onResolve({ filter: /^\.\/changelog\.js$/ }, ({ path }) => ({ path, external: true }));
  },
});

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

async function bundle(elements: readonly string[], names: Record<string, string | false>, plugins: readonly Plugin[]) {
  return await build({
    entryPoints: elements.map((name) => ({
      in: name === "changelog" ? name : `src/elements/${name}/${name}.ts`,
      out: name,
    })),
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
    plugins: [stylesheets, ...plugins],
    metafile: true,
  });
}

const SIGNED_IN = "src/elements/page/signed-in.ts";

/** What a board's own page has besides the elements, by file name. It comes with the deployment, so no release of the elements has it. */
export async function buildPage(): Promise<Map<string, string>> {
  // It shares tokens with the elements' scripts, and so their short names.
  const { outputFiles } = await bundle(["page"], await shortNames(), []);
  const [script] = outputFiles;
  const { code } = await transform(await readFile(SIGNED_IN, "utf8"), {
    ...{ loader: "ts", minify: true, format: "esm", target: TARGET, charset: "utf8" },
  });
  return new Map([
    ["page.js", script?.text ?? ""],
    ["signed-in.js", code],
  ]);
}

/** The script of each element, the words of each language and the types of all, by file name. */
export async function buildElements(): Promise<Map<string, string>> {
  const names = await shortNames();
  const { outputFiles: most, metafile } = await bundle(ELEMENTS, names, [otherScripts, changelogWithBase]);
  const base = baseOfChangelog(metafile.outputs["out/changelog.js"]?.exports ?? []);
  // Its questions are the API's, and have a `kind`.
  const { outputFiles: survey } = await bundle([SURVEY], { ...names, kind: false }, [base]);
  const outputFiles = [...most, ...survey];
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
