/** The examples of the documentation: they compile against the types that are served, and run. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import type { Page } from "playwright-core";
import { compile } from "svelte/compiler";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { compileScript, parse } from "vue/compiler-sfc";
import { elementTypes } from "../../src/commands/development/elements-types.ts";
import { openStage, type Stage } from "../support/node/element-stage.ts";

const shared = inject("stage");
const REACT = "docs/examples/board.tsx";
/** What a plain page may write. */
const PLAIN = `const board = document.querySelector("idea-bank-board");
if (board) board.labels = { suggest: "Neu", "service-unavailable": "Später", ideas: { one: "eine", other: "{count}" } };
document.createElement("idea-bank-launcher").open();
document.createElement("idea-bank-changelog").addEventListener("changelog-count", ({ detail }) => detail.count.toFixed());`;
/** What does not exist: each in a file of its own. */
const WRONG_IN_REACT = [
  ["suggest:", "sugest:"],
  ["event.detail.count", "event.detail.counts"],
  ["<idea-bank-changelog", "<idea-bank-changelogs"],
  ['token-url="/my/panelist-token"', "token-url={7}"],
] as const;
const WRONG = [
  `document.createElement("idea-bank-changelog").labels = { titel: "x" };`,
  `document.createElement("idea-bank-changelog").count = 7;`,
  `document.createElement("idea-bank-board").tokenProvider = () => 7;`,
];
const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  jsx: "react-jsx",
  target: "es2024",
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  lib: ["es2024", "dom", "dom.iterable"],
  types: [],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  await cp("docs/examples", folder, { recursive: true });
  await symlink(resolve("test/node_modules"), join(folder, "node_modules"), "dir");
  for (const [name, text] of elementTypes()) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

it("the types fit the React example and a plain page, and refuse what does not exist", async () => {
  const react = await readFile(REACT, "utf8");
  const files = new Map([
    ["plain.ts", PLAIN],
    ...WRONG_IN_REACT.map(([right, wrong], at) => [`wrong-${at}.tsx`, react.replace(right, wrong)] as const),
    ...WRONG.map((text, at) => [`wrong-${at}.ts`, text] as const),
  ]);
  for (const [name, text] of files) await writeFile(join(folder, name), `import "./elements.d.ts";\n${text}`);
  const names = ["board.tsx", ...files.keys()];
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: names }));
  const said = await promisify(execFile)(resolve("node_modules/.bin/tsc"), ["-p", ".", "--pretty", "false"], {
    cwd: folder,
  }).catch(({ stdout }: { stdout: string }) => ({ stdout }));
  const refused = new Set([...said.stdout.matchAll(/^([\w.-]+)\(\d+,\d+\): error/gm)].map(([, name]) => name));
  expect([...refused].sort(), said.stdout).toEqual(names.filter((name) => name.startsWith("wrong")).sort());
});

describe("the examples", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const scripts = () =>
    ["board", "changelog", "launcher"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");

  /** With scripts of both kinds in the head, or at the end of the body. */
  const address = (app: string, isFirst: boolean) =>
    isFirst ? stage.hostPage(app, { head: scripts() }) : stage.hostPage(app + scripts());

  async function showsAll(page: Page) {
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await page.locator("idea-bank-changelog:state(ready)").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "What’s new" }).click();
    await page.locator("idea-bank-changelog").getByRole("heading", { name: "Dogs" }).waitFor();
  }

  const IDEAS = [{ title: "Dogs", description: "On the train.", status: "implemented" }];

  it("plain: shows the board, and the changelog in its launcher", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page, complaints } = await stage.page();
    await page.route("**/my/panelist-token", (route) => route.fulfill({ body: bank.token }));
    const html = await readFile("docs/examples/plain.html", "utf8");
    await page.goto(stage.hostPage(html.replaceAll("https://api.example", stage.api)));
    await showsAll(page);
    expect(complaints).toEqual([]);
  });

  describe.each(Object.entries(FRAMEWORKS))("%s, rendered on a server", (_, framework) => {
    it.each([["before", true] as const, ["after", false] as const])(
      "shows all, with the scripts of the elements %s its own",
      async (_order, isFirst) => {
        const bank = await stage.ideaBank({}, IDEAS);
        const app = await rendered(framework);
        const { page, complaints } = await stage.page();
        await page.route("**/my/panelist-token", (route) => route.fulfill({ body: bank.token }));
        // The elements are in what the server sends.
        expect(app.split("<script")[0]?.match(/<idea-bank-[^>]+ token-url="/g)).toHaveLength(2);
        await page.goto(address(app, isFirst));
        await showsAll(page);
        await page.locator("idea-bank-board").getByText("Suggest something").first().waitFor();
        expect(complaints).toEqual([]);

        // The page hears of events.
        const { page: other } = await stage.page();
        await other.route("**/my/panelist-token", (route) => route.fulfill({ status: 401 }));
        await other.goto(address(app, isFirst));
        await other.getByText("Please sign in.").waitFor();
      },
    );
  });
});

type Framework = {
  /** A module whose `html` is the page, rendered. */
  readonly server: string;
  /** Makes what was rendered live. */
  readonly client: string;
  readonly plugins: (generate: "server" | "client") => Plugin[];
};

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  React: {
    server: `import { renderToString } from "react-dom/server"; import { Board } from "./board.tsx";
      export const html = renderToString(<Board />);`,
    client: `import { hydrateRoot } from "react-dom/client"; import { Board } from "./board.tsx";
      hydrateRoot(document.getElementById("app"), <Board />);`,
    plugins: () => [],
  },
  Vue: {
    server: `import { createSSRApp } from "vue"; import { renderToString } from "vue/server-renderer";
      import Board from "./Board.vue"; export const html = await renderToString(createSSRApp(Board));`,
    client: `import { createSSRApp } from "vue"; import Board from "./Board.vue"; createSSRApp(Board).mount("#app");`,
    plugins: (generate) => [singleFileComponents(generate === "server")],
  },
  Svelte: {
    server: `import { render } from "svelte/server"; import Board from "./Board.svelte"; export const html = render(Board).body;`,
    client: `import { hydrate } from "svelte"; import Board from "./Board.svelte"; hydrate(Board, { target: document.getElementById("app") });`,
    plugins: (generate) => [svelteComponents(generate)],
  },
};

/** What its server answers: the page as text, and the script that makes it live. */
async function rendered({ server, client, plugins }: Framework): Promise<string> {
  const bundle = async (generate: "server" | "client", source: string) => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: folder, loader: "tsx" },
      bundle: true,
      write: false,
      format: "esm",
      platform: generate === "server" ? "node" : "browser",
      banner: generate === "server" ? { js: REQUIRE } : {},
      jsx: "automatic",
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "false",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      plugins: [TYPES_ALONE, ...plugins(generate)],
    });
    return outputFiles[0]?.text ?? "";
  };
  const file = join(await mkdtemp(join(folder, "server-")), "server.mjs");
  await writeFile(file, await bundle("server", server));
  const { html } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const script = (await bundle("client", client)).replaceAll("</script", "<\\/script");
  return `<div id="app">${html}</div><script type="module">${script}</script>`;
}

/** Packages for Node may still call it. */
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

/** Fails when an example loads its types as a module: esbuild makes nothing of them, but `next dev` runs the file. */
const TYPES_ALONE: Plugin = {
  name: "types alone",
  setup: ({ onLoad }) => onLoad({ filter: /\.d\.ts$/ }, ({ path }) => ({ errors: [{ text: `${path} is loaded` }] })),
};

const singleFileComponents = (ssr: boolean): Plugin => ({
  name: "single file components",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const compilerOptions = { isCustomElement: (tag: string) => tag.startsWith("idea-bank-") };
      const { descriptor, errors } = parse(await readFile(path, "utf8"), { templateParseOptions: compilerOptions });
      if (errors.length > 0) throw errors[0];
      const { content } = compileScript(descriptor, {
        id: "board",
        inlineTemplate: true,
        templateOptions: { ssr, ssrCssVars: [], compilerOptions },
      });
      return { contents: content, loader: "ts" };
    });
  },
});

const svelteComponents = (generate: "server" | "client"): Plugin => ({
  name: "svelte components",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, "utf8"), { generate, filename: path });
      return { contents: js.code, loader: "js" };
    });
  },
});
