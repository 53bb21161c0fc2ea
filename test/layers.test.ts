/** The architecture's arrows: imports run downward only. A folder or file that no layer names fails too. */
import { expect, it } from "vitest";

const files = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files)
  .map(([path, text]) => ({ path: path.replace("../src/", ""), text }))
  .filter(({ path }) => !path.endsWith(".d.ts"));

/** What each part may import, besides itself. The most specific name counts. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "index.ts": ["app.ts", "api-key-gate"],
  "app.ts": [
    "tenant",
    "panelist",
    "account",
    "api-key-gate",
    "database",
    "idea-bank",
    "http",
    "settings.ts",
    "problem.ts",
  ],
  tenant: ["api-key-gate", "http", "credentials", "database", "idea-bank", "model", "problem.ts", "sliding-window.ts"],
  panelist: ["http", "credentials", "database", "idea-bank", "changelog", "model", "problem.ts"],
  account: ["api-key-gate", "http", "credentials", "database", "model", "problem.ts"],
  "tenant/operations": ["http/operation.ts", "model"],
  "tenant/operations.ts": ["tenant/operations"],
  "panelist/operations.ts": ["http/operation.ts", "model"],
  "account/operations.ts": ["http/operation.ts", "model"],
  http: ["credentials", "database/outage.ts", "model", "problem.ts", "settings.ts"],
  "http/operation.ts": ["model", "problem.ts"],
  "api-key-gate": ["database", "model", "credentials", "sliding-window.ts"],
  changelog: ["database", "model", "problem.ts"],
  "idea-bank": ["database", "model", "problem.ts"],
  database: ["model", "idea-bank/capabilities.ts"],
  "database/outage.ts": [],
  "settings.ts": ["credentials"],
  model: ["credentials", "sliding-window.ts"],
  "idea-bank/capabilities.ts": ["model"],
  "changelog/render.ts": ["model"],
  credentials: [],
  "sliding-window.ts": [],
  "problem.ts": [],
  openapi: [
    "package.json",
    "tenant/operations.ts",
    "panelist/operations.ts",
    "account/operations.ts",
    "http/operation.ts",
    "credentials",
    "model",
    "problem.ts",
  ],
  // Runs in browsers: of the rest it knows the types of the API's answers, and nothing else knows it.
  embed: ["model"],
  "embed/shared": ["model"],
  "embed/changelog": ["embed/shared", "model"],
  "embed/board": ["embed/shared", "model"],
  "embed/version.ts": [],
  development: ["openapi", "credentials", "model", "embed/version.ts"],
};

/** Parts that are pure: no framework but the schemas' and a bounded map, no bindings, no clock, no randomness of their own. */
const PURE = [
  "credentials",
  "model",
  "idea-bank/capabilities.ts",
  "changelog/render.ts",
  "sliding-window.ts",
  "problem.ts",
];

const PURE_LIBRARIES = ["zod/mini", "lru-cache"];

const IMPURE = /\bDate\.now\(|\bnew Date\(\)|Math\.random\(|\bEnv\b|D1Database|KVNamespace|\bfetch\(/g;

const topOf = (path: string) => path.split("/")[0] ?? path;

const partOf = (path: string) =>
  [path, path.split("/").slice(0, 2).join("/"), topOf(path)].find((name) => Object.hasOwn(MAY_IMPORT, name)) ??
  `no layer holds ${path}`;

const importsOf = (text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name = ""]) => name);

const resolve = (from: string, name: string) => new URL(name, `https://src/${from}`).pathname.slice(1);

it("there are sources to check", () => {
  expect(sources.length).toBeGreaterThan(30);
});

/** The paths of the sources that break a rule. */
const offenders = (breaks: (source: (typeof sources)[number]) => boolean) =>
  sources.filter(breaks).map(({ path }) => path);

it("every source belongs to a layer", () => {
  expect(offenders(({ path }) => !Object.hasOwn(MAY_IMPORT, partOf(path)))).toEqual([]);
});

it("imports run downward only", () => {
  const arrows = sources.flatMap(({ path, text }) => {
    const allowed = [partOf(path), ...(MAY_IMPORT[partOf(path)] ?? [])];
    return importsOf(text)
      .filter((name) => name.startsWith("."))
      .map((name) => resolve(path, name))
      .filter((target) => !allowed.includes(partOf(target)) && !allowed.includes(topOf(target)))
      .map((target) => `${path} -> ${target}`);
  });
  expect(arrows).toEqual([]);
});

it("the elements import only types from the Worker's sources", () => {
  const imports = sources
    .filter(({ path }) => topOf(path) === "embed")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^import (.*?) from "([^"]+)"/gms)].map(([, what = "", name = ""]) => ({
        path,
        what,
        target: resolve(path, name),
      })),
    );
  expect(imports.length).toBeGreaterThan(20);
  const escaping = imports.filter(({ what, target }) => topOf(target) !== "embed" && !what.startsWith("type "));
  expect(escaping).toEqual([]);
});

it("no file has more than 300 lines", () => {
  expect(offenders(({ text }) => text.split("\n").length > 301)).toEqual([]);
});

it("the pure parts are pure", () => {
  const pure = sources.filter(({ path }) => PURE.includes(partOf(path)));
  expect(pure.length).toBeGreaterThan(PURE.length);
  const impure = pure.flatMap(({ path, text }) => [
    ...importsOf(text)
      .filter((name) => !name.startsWith(".") && !PURE_LIBRARIES.includes(name))
      .map((name) => `${path} imports ${name}`),
    ...[...text.matchAll(IMPURE)].map(([words]) => `${path} has ${words}`),
  ]);
  expect(impure).toEqual([]);
});

it("SQL lives in database/", () => {
  const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w/;
  const exempt = ["database", "development"];
  expect(offenders(({ path, text }) => !exempt.includes(partOf(path)) && sql.test(text))).toEqual([]);
});

it("the routes of one audience never import another's", () => {
  const audiences = ["tenant", "panelist", "account"];
  for (const audience of audiences) {
    expect(audiences.filter((other) => MAY_IMPORT[audience]?.includes(other))).toEqual([]);
  }
});
