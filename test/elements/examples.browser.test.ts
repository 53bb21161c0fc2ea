/** The examples of the documentation: they compile against the types that are served, and run. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import type { Page } from "playwright-core";
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
  ["tokenProvider={tokenProvider}", "tokenProvider={7}"],
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
  await symlink(resolve("node_modules"), join(folder, "node_modules"), "dir");
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

  async function run(page: Page, body: string, token: string) {
    await page.route("**/my/panelist-token", (route) => route.fulfill({ body: token }));
    await page.goto(stage.hostPage(body, { head: scripts() }));
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await page.locator("idea-bank-changelog:state(ready)").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "What’s new" }).click();
    await page.locator("idea-bank-changelog").getByRole("heading", { name: "Dogs" }).waitFor();
  }

  const bundle = async (source: string, plugins: Plugin[] = []) => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: folder, loader: "tsx" },
      bundle: true,
      write: false,
      format: "iife",
      jsx: "automatic",
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "false",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      plugins: [TYPES_ALONE, ...plugins],
    });
    return `<div id="app"></div><script type="module">${outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
  };

  it.each(["plain", "React", "Vue"])("%s: shows the board, and the changelog in its launcher", async (kind) => {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "On the train.", status: "implemented" }]);
    const { page, complaints } = await stage.page();
    if (kind === "plain") {
      const html = await readFile("docs/examples/plain.html", "utf8");
      await run(page, html.replaceAll("https://api.example", stage.api), bank.token);
    } else if (kind === "React") {
      const mount = `import { createRoot } from "react-dom/client"; import { Board } from "./board.tsx";
        createRoot(document.getElementById("app")).render(<Board />);`;
      await run(page, await bundle(mount), bank.token);
      await page.getByRole("button", { name: "Suggest something" }).waitFor({ state: "attached" });
    } else {
      const mount = `import { createApp } from "vue"; import Board from "./Board.vue"; createApp(Board).mount("#app");`;
      await run(page, await bundle(mount, [SINGLE_FILE_COMPONENTS]), bank.token);
    }
    if (kind !== "plain") await page.locator("idea-bank-board").getByText("Suggest something").first().waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Nothing of them is left when it runs. */
const TYPES_ALONE: Plugin = {
  name: "types alone",
  setup: ({ onLoad }) => onLoad({ filter: /\.d\.ts$/ }, () => ({ contents: "" })),
};

const SINGLE_FILE_COMPONENTS: Plugin = {
  name: "single file components",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor, errors } = parse(await readFile(path, "utf8"));
      if (errors.length > 0) throw errors[0];
      const { content } = compileScript(descriptor, {
        id: "board",
        inlineTemplate: true,
        templateOptions: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("idea-bank-") } },
      });
      return { contents: content, loader: "ts" };
    });
  },
};
