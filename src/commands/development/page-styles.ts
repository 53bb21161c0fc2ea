/**
 * The style sheet of what a board's own page has from its server: the elements' own, for markup that stands inside of them and not in a
 * shadow root. The Worker imports it as a text (`src/elements/page/page-styles.ts`), which is not
 * committed: whatever bundles the Worker makes it, and so do the tests and `npm run typecheck`.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";

const PROJECT = join(import.meta.dirname, "../../..");
const MODULE = "src/elements/page/page-styles.ts";

const IDEAS = ["board", "roadmap"] as const;
const ALL = [...IDEAS, "changelog", "survey"] as const;
/** In this order, and for which elements. */
const SHEETS: readonly (readonly [path: string, elements: readonly string[]])[] = [
  ["shared/base", ALL],
  ["shared/controls", [...IDEAS, "survey"]],
  ["board/board", IDEAS],
  ["board/list", IDEAS],
  ["board/detail", IDEAS],
  ["board/wide", IDEAS],
  ["roadmap/roadmap", ["roadmap"]],
  ["changelog/changelog", ["changelog"]],
  ["survey/survey", ["survey"]],
  ["page/page", ALL],
];

/** Nothing moves in what stands still, and an animation cannot be named inside of a rule. */
const MOTION = /@media \(prefers-reduced-motion: no-preference\) \{.*?^\}\n/gms;

/** `:host` is the element that the rules stand in. */
const inside = (styles: string): string =>
  styles
    .replaceAll(MOTION, "")
    .replaceAll(/:host\(((?:[^()]|\([^()]*\))*)\)/g, "&$1")
    .replaceAll(":host", "&");

type PageElement = (typeof ALL)[number];

/** The style sheet of each element's markup: a page has one of them. */
async function buildPageStyles(project = PROJECT): Promise<Readonly<Record<PageElement, string>>> {
  const styleOf = async (element: PageElement) => {
    const paths = SHEETS.filter(([, elements]) => elements.includes(element)).map(([path]) => path);
    const sheets = await Promise.all(paths.map((path) => readFile(join(project, `src/elements/${path}.css`), "utf8")));
    // Browsers that have what the elements need know rules in rules.
    const { code } = await transform(`idea-bank-${element} {\n${sheets.map(inside).join("\n")}\n}\n`, {
      loader: "css",
      minify: true,
      target: ["chrome125", "safari17.5"],
    });
    return [element, code.trim().replaceAll(/([:,]) /g, "$1")] as const;
  };
  return Object.fromEntries(await Promise.all(ALL.map(styleOf))) as Record<PageElement, string>;
}

/** Whoever reads it meanwhile has the one before. */
export async function makePageStyles(project = PROJECT): Promise<void> {
  const path = join(project, MODULE);
  const styles = JSON.stringify(await buildPageStyles(project));
  const text = `/** Made by \`npm run build\`. */\nexport const PAGE_STYLES: Readonly<Record<${ALL.map((name) => `"${name}"`).join(" | ")}, string>> =\n  ${styles};\n`;
  if ((await readFile(path, "utf8").catch(() => "")) === text) return;
  const made = `${path}.${process.pid}`;
  await writeFile(made, text);
  await rename(made, path);
}
