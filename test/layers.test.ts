/** The architecture's arrows: imports run downward only. A folder or file that no layer names fails too. */
import { describe, expect, it } from "vitest";

const files = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files)
  .map(([path, text]) => ({ path: path.replace("../src/", ""), text }))
  .filter(({ path }) => path !== "env.d.ts");

/** What each part may import, besides itself. The most specific name counts. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "index.ts": ["app.ts", "api-key-gate"],
  "app.ts": [
    "tenant",
    "panelist",
    "account",
    "http",
    "api-key-gate",
    "changelog",
    "idea-bank",
    "settings.ts",
    "problem.ts",
  ],
  account: ["http", "credentials", "database", "model", "problem.ts"],
  tenant: ["http", "credentials", "database", "idea-bank", "changelog", "model", "problem.ts"],
  panelist: ["http", "credentials", "database", "idea-bank", "changelog", "model", "problem.ts"],
  http: [
    "api-key-gate",
    "changelog",
    "idea-bank",
    "credentials",
    "database",
    "model",
    "settings.ts",
    "problem.ts",
    "sliding-window.ts",
  ],
  "api-key-gate": ["database", "model", "credentials", "sliding-window.ts"],
  changelog: ["database", "model", "problem.ts"],
  "idea-bank": ["database", "model", "problem.ts"],
  database: ["model"],
  "settings.ts": ["credentials"],
  model: ["credentials", "sliding-window.ts"],
  "idea-bank/capabilities.ts": ["model"],
  "changelog/render.ts": ["model"],
  credentials: [],
  "sliding-window.ts": [],
  "problem.ts": [],
  openapi: ["tenant/operations.ts", "account/operations.ts", "credentials", "model", "problem.ts"],
  "tenant/operations.ts": ["model"],
  "account/operations.ts": ["model"],
  development: ["openapi", "credentials", "model"],
};

/** Parts that are pure: no framework but the schemas', no bindings, no clock, no randomness of their own. */
const PURE = [
  "credentials",
  "model",
  "idea-bank/capabilities.ts",
  "changelog/render.ts",
  "sliding-window.ts",
  "problem.ts",
];

const partOf = (path: string) =>
  [path, path.split("/")[0] ?? path].find((name) => Object.hasOwn(MAY_IMPORT, name)) ?? `no layer holds ${path}`;

const importsOf = (text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name = ""]) => name);

const resolve = (from: string, name: string) => new URL(name, `https://src/${from}`).pathname.slice(1);

const topOf = (path: string) => path.split("/")[0] ?? path;

it("there are sources to check", () => {
  expect(sources.length).toBeGreaterThan(30);
});

describe.each(sources)("$path", ({ path, text }) => {
  const part = partOf(path);

  it("belongs to a layer", () => {
    expect(MAY_IMPORT).toHaveProperty([part]);
  });

  it("imports only from its own layer and those below", () => {
    const allowed = [part, ...(MAY_IMPORT[part] ?? [])];
    const targets = importsOf(text)
      .filter((name) => name.startsWith("."))
      .map((name) => resolve(path, name));
    expect(targets.filter((to) => !allowed.includes(partOf(to)) && !allowed.includes(topOf(to)))).toEqual([]);
  });

  it("is at most 300 lines", () => {
    expect(text.split("\n").length).toBeLessThanOrEqual(300);
  });
});

it.each(sources.filter(({ path }) => PURE.includes(partOf(path))))("$path is pure", ({ text }) => {
  expect(importsOf(text).filter((name) => !name.startsWith(".") && name !== "zod/mini")).toEqual([]);
  expect(text).not.toMatch(/\bDate\.now\(|\bnew Date\(\)|Math\.random\(|\bEnv\b|D1Database|KVNamespace|\bfetch\(/);
});

it.each(sources.filter(({ path }) => !["database", "development"].includes(partOf(path))))(
  "$path holds no SQL: that lives in database/",
  ({ text }) => {
    expect(text).not.toMatch(/\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w/);
  },
);

it("the routes of one audience never import another's", () => {
  const audiences = ["tenant", "panelist", "account"];
  for (const audience of audiences) {
    expect(audiences.filter((other) => MAY_IMPORT[audience]?.includes(other))).toEqual([]);
  }
});
