/** The Markdown of the repository: every link has a target, and every command can be pasted. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCOUNT_OPERATIONS } from "../../src/worker/account/api.ts";
import { PANELIST_OPERATIONS } from "../../src/worker/panelist/routes.ts";
import { PROBLEM_CODES } from "../../src/worker/problem.ts";
import { TENANT_OPERATIONS } from "../../src/worker/tenant/routes.ts";
import { listDocuments, shellBlocks } from "../support/node/documents.ts";

/** The fragment that GitHub makes of a heading. */
const fragmentOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

const fragmentsOf = (document: string) =>
  [...readFileSync(document, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => fragmentOf(heading));

const hasTarget = (document: string, link: string): boolean => {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? document : join(dirname(document), path);
  return existsSync(target) && (fragment === undefined || fragmentsOf(target).includes(fragment));
};

it("there are documents to check", () => expect(listDocuments().length).toBeGreaterThan(8));

describe.each(listDocuments())("%s", (document) => {
  const text = readFileSync(document, "utf8");

  it("has links with targets", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^https?:/.test(link) && !hasTarget(document, link))).toEqual([]);
  });

  it("has commands without comments, which an interactive zsh would run", () => {
    expect(shellBlocks(document).filter((code) => /(^|\s)#/m.test(code))).toEqual([]);
  });
});

it("docs/api.md names every operation of tenants, panelists and owners, and no other", () => {
  const text = readFileSync("docs/api.md", "utf8");
  const rows = [...text.matchAll(/^\| `(\/[^`]*)` \| ([^|]*)/gm)].flatMap(([, path, cell = ""]) =>
    [...cell.matchAll(/`([A-Z]+)`/g)].map(([, method]) => `${method} ${path}`),
  );
  const headings = [...text.matchAll(/^### `([A-Z]+ \/[^`]*)`/gm)].map(([, operation = ""]) => operation);
  const documented = new Set([...rows, ...headings]);
  const operations = Object.entries({ ...TENANT_OPERATIONS, ...PANELIST_OPERATIONS, ...ACCOUNT_OPERATIONS }).map(
    ([, { method, path }]) => `${method} ${path}`,
  );
  const missing = operations.filter((operation) => !documented.has(operation));
  expect(missing, "npm run build").toEqual([]);
  expect([...documented].filter((operation) => !operations.includes(operation))).toEqual([]);
});

it("docs/api.md explains every error", () => {
  const errors = readFileSync("docs/api.md", "utf8").split("\n## Errors\n")[1]?.split("\n## ")[0] ?? "";
  const rows = errors.split("\n").filter((line) => line.startsWith("|"));
  expect(PROBLEM_CODES.filter((code) => !rows.some((row) => row.includes(`\`${code}\``)))).toEqual([]);
});

it("docs/security.md has the costs of whoami that docs/operations.md counts", () => {
  const operations = readFileSync("docs/operations.md", "utf8");
  const counted = (rate: string) =>
    Number(operations.match(new RegExp(`^\\| ${rate} \\|.* ([\\d.]+) \\|$`, "m"))?.[1]).toFixed(2);
  expect(readFileSync("docs/security.md", "utf8")).toContain(
    `whoami costs from $${counted("ten times a second")} per million (ten times a second) to $${counted("once in ten minutes")} (once in ten minutes)`,
  );
});

it("docs/storage.md has the lifetime of every table", () => {
  const page = readFileSync("docs/storage.md", "utf8");
  const tables = [...readFileSync("schema.sql", "utf8").matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  expect(tables.length).toBeGreaterThan(20);
  expect(
    tables.filter((name) => !page.includes(`\`${name}\``)),
    "say what the table holds, how long, and who deletes its rows",
  ).toEqual([]);
});

it("docs/operations.md explains every setting", () => {
  const configuration = readFileSync("wrangler.toml", "utf8");
  const variables = configuration.match(/^\[vars\]\n([\s\S]*?)^\[/m)?.[1] ?? "";
  const settings = [...variables.matchAll(/^(\w+) =/gm), ...configuration.matchAll(/^required = \["(\w+)"\]/gm)];
  expect(settings.length).toBeGreaterThan(2);
  const operations = readFileSync("docs/operations.md", "utf8");
  const isExplained = (name = "") => new RegExp(`^\\| \`${name}\` \\(\\w+\\) \\| \\w`, "m").test(operations);
  expect(
    settings.map(([, name]) => name).filter((name) => !isExplained(name)),
    "write a comment above it in wrangler.toml, and npm run build",
  ).toEqual([]);
});

describe("the README", () => {
  const readme = readFileSync("README.md", "utf8");

  it("has at most 120 lines", () => expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120));

  it("says how many of the benchmark's targets are missed", () => {
    const verdicts = readFileSync("docs/benchmarks.md", "utf8").match(/^\|.*\| (?:met|\*\*missed\*\*) \|.*$/gm) ?? [];
    const missed = verdicts.filter((row) => row.includes("**missed**"));
    expect(readme).toContain(`misses [${missed.length} of its ${verdicts.length} targets]`);
  });

  it("has the dollars a million that the benchmark counted", () => {
    const benchmarks = readFileSync("docs/benchmarks.md", "utf8");
    const counted = (row: string) => Number(benchmarks.split(`| ${row} | `)[1]?.split(" ")[0]).toFixed(2);
    expect([...readme.matchAll(/\$(\d+\.\d\d)/g)].map(([, dollars]) => dollars)).toEqual([
      counted("changelog: ours, fresh"),
      counted("whoami: ours, keys near their default limit (9 requests a second each)"),
      counted("proposals: ours, a vote"),
    ]);
  });
});
