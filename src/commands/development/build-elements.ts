/**
 * The custom elements, from `src/elements/` to one script each: no framework, no import that a page would have to load. And the words
 * in other languages, and the types.
 */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { build, type Plugin, transform } from "esbuild";
import { LANGUAGES, translationOf } from "../../elements/languages/languages.ts";
import { ELEMENTS_VERSION } from "../../elements/version.ts";
import { readElementSources } from "./elements-reference.ts";
import { elementTypes } from "./elements-types.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

const SOURCES = "src/elements";

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
    onResolve({ filter: /\/board\/board\.ts$/ }, ({ importer }) =>
      importer.includes("/roadmap/") ? { path: "./board.js", external: true } : undefined,
    );
  },
};

/** What a survey takes from the changelog's script, which has it and little else: names by their modules. */
const BASE: Readonly<Record<string, readonly string[]>> = {
  "common-labels": ["COMMON_LABELS"],
  h: ["h"],
  head: ["head", "title"],
  "idea-bank-element": ["IdeaBankElement"],
  message: ["message", "skeleton"],
  prose: ["prose"],
  request: ["Connection"],
  "request-failure": ["isRequestFailure", "requestFailure"],
  storage: ["forget", "keysWith", "recall", "remember"],
  visible: ["isVisible"],
};
const CHANGELOG = "./changelog.js";
const BASE_NAMES = Object.values(BASE).flat();
/** As the script exports it. */
const shortExport = (name: string) => LETTERS[BASE_NAMES.indexOf(name)] ?? name;

/** What is alike stands together, because gzip looks 32 KiB back: styles, words, views, the rest. */
const entries: Plugin = {
  name: "entries",
  setup({ onResolve, onLoad }) {
    const namespace = "entries";
    onResolve({ filter: /^\w+$/ }, ({ path, kind }) => (kind === "entry-point" ? { path, namespace } : undefined));
    const base = Object.entries(BASE).map(
      ([module, names]) =>
        `export { ${names.map((name) => `${name} as ${shortExport(name)}`)} } from "./shared/${module}.ts";`,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const patterns = ["shared/*.css", `${path}/*.css`, `${path}/labels.ts`, `${path}/*-view.ts`];
      const alike = patterns.flatMap((pattern) => globSync(pattern, { cwd: SOURCES }).sort());
      const contents = [
        ...alike.map((file) => `import "./${file}";`),
        `export * from "./${path}/${path}.ts";`,
        ...(path === "changelog" ? base : []),
      ].join("\n");
      return { contents, resolveDir: SOURCES, loader: "ts" };
    });
  },
};

const baseOfChangelog: Plugin = {
  name: "base of the changelog",
  setup({ onResolve, onLoad }) {
    const namespace = "base of the changelog";
    const modules = Object.keys(BASE).join("|");
    onResolve({ filter: new RegExp(`^#h$|/(?:${modules})\\.ts$`) }, () => ({ path: CHANGELOG, namespace }));
    // One module for all of them, so that the script has one import.
    const contents = `export { ${BASE_NAMES.map((name) => `${shortExport(name)} as ${name}`)} } from "${CHANGELOG}";`;
    onLoad({ filter: /./, namespace }, () => ({ contents }));
    onResolve({ filter: /^\.\/changelog\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Browsers that have `light-dark()` and `AbortSignal.any`, which the elements need. */
const BANNER = `/* idea bank elements ${ELEMENTS_VERSION} */`;
const TARGET = ["chrome125", "firefox126", "safari17.5"];

/**
 * These and what is `protected` nobody outside can see: their names can be short, which saves 5 % of a script. None is a label's, an
 * attribute's, a field's of the API or of what is stored, or a property's that browsers know.
 */
export const INTERNAL = [
  "say translate locale dated short bank panelist isVisitor unseen markSeen isNew unfold parts lines kind list asking lastUse sameAt etag",
  "who provider ownerChanged given connection code address ideaBank ballots confirmed wanted sending buttons hasAddresses addressOf linkTo",
  "linkBack canSignIn askToSignIn notify confirm report level isOn addresses takesAddress named arePages editComment backTo",
  "update read reread unfound refresh load vote draw hint maxLength optional begun shown element chosen total describedBy refuse isKept",
].flatMap((names) => names.split(" "));

/** The minifier writes the numbers as they are called here. */
const SHORT_NUMBERS = { "Number.NaN": "NaN", "Number.POSITIVE_INFINITY": "Infinity" };

/** Short names, shared by all scripts because a roadmap calls the board's. */
async function shortNames(): Promise<Record<string, string>> {
  const { scripts } = await readElementSources();
  const members = scripts.matchAll(/ protected (?:(?:abstract|override|readonly|get|async) )*(\w+)/g);
  const names = new Set([...INTERNAL, ...Array.from(members, ([, name = ""]) => name)]);
  return Object.fromEntries(Array.from(names, (name, at) => [name, shortName(at)]));
}

/** Two letters are no name that anything else has. */
const shortName = (at: number): string =>
  LETTERS[at] ?? `${LETTERS.charAt(at % 26)}${LETTERS.charAt(26 + Math.floor(at / 26))}`;

async function bundle(elements: readonly string[], names: Record<string, string | false>, plugins: readonly Plugin[]) {
  return await build({
    entryPoints: [...elements],
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
    plugins: [stylesheets, entries, ...plugins],
  });
}

const SIGNED_IN = `${SOURCES}/page/signed-in.ts`;

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
  const { outputFiles: most } = await bundle(ELEMENTS, names, [otherScripts]);
  // Its questions are the API's, and have a `kind`.
  const { outputFiles: survey } = await bundle([SURVEY], { ...names, kind: false }, [baseOfChangelog]);
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
