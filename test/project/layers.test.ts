/** The architecture: imports run downward only. A folder or file that is in no layer fails too. */
import { expect, it } from "vitest";

const files = import.meta.glob<string>("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** The Worker's files are named by their room, those of the two other programs by program and room. */
const shorten = (path: string) => path.replace(/^\/?worker\//, "");

const sources = Object.entries(files)
  .map(([path, text]) => ({ path: shorten(path.replace("../../src/", "")), text }))
  .filter(({ path }) => !path.endsWith(".d.ts"));

/** What each part may import, besides itself. The most specific name counts. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "index.ts": ["access", "app.ts", "on-demand.ts", "api-key-gate"],
  "on-demand.ts": ["operator", "leaks", "scheduled.ts", "panelist", "http"],
  "scheduled.ts": ["mails", "deliveries", "database", "store", "settings.ts", "log.ts"],
  "app.ts": [
    "public-page",
    "tenant",
    "panelist",
    "account",
    "on-demand.ts",
    "mcp",
    "access",
    "api-key-gate",
    "deliveries",
    "store",
    "view",
    "http",
    "settings.ts",
  ],
  "public-page": [
    "elements/page",
    "access",
    "mails",
    "deliveries",
    "http",
    "credentials",
    "database",
    "view",
    "model",
    "memory",
    "problem.ts",
    "store",
    "log.ts",
  ],
  access: [
    "api-key-gate",
    "view",
    "http",
    "credentials",
    "model",
    "problem.ts",
    "settings.ts",
    "rate-limit",
    "memory",
    "store",
  ],
  tenant: [
    "access",
    "surveys",
    "deliveries",
    "http",
    "credentials",
    "database",
    "view",
    "model",
    "problem.ts",
    "store",
    "log.ts",
  ],
  surveys: ["http", "credentials", "database", "model", "problem.ts", "store"],
  mcp: ["access", "tenant", "http", "model", "problem.ts"],
  panelist: ["access", "deliveries", "http", "credentials", "database", "view", "model", "problem.ts", "store"],
  account: [
    "surveys",
    "api-key-gate",
    "deliveries",
    "http",
    "credentials",
    "database",
    "view",
    "model",
    "problem.ts",
    "store",
    "memory",
    "log.ts",
  ],
  operator: [
    "access",
    "api-key-gate",
    "deliveries",
    "http",
    "credentials",
    "database",
    "model",
    "problem.ts",
    "store",
    "log.ts",
  ],
  leaks: [
    "api-key-gate",
    "deliveries",
    "http",
    "credentials",
    "database",
    "view",
    "model",
    "problem.ts",
    "store",
    "log.ts",
  ],
  http: ["memory", "credentials", "store", "database/quota.ts", "model", "problem.ts", "settings.ts", "log.ts"],
  "http/operation.ts": ["model", "problem.ts"],
  "api-key-gate": [
    "memory",
    "store",
    "database",
    "model",
    "credentials",
    "rate-limit",
    "settings.ts",
    "problem.ts",
    "log.ts",
  ],
  mails: ["credentials", "database", "store", "model", "log.ts"],
  deliveries: ["credentials", "database", "store", "model", "log.ts"],
  view: ["memory", "store", "credentials", "database", "model", "log.ts"],
  "view/render-changelog.ts": ["model"],
  database: ["credentials", "model", "store"],
  store: ["credentials", "settings.ts", "log.ts"],
  "database/quota.ts": [],
  "database/schema.ts": ["store"],
  "database/tokens/token-dates.ts": ["credentials"],
  "settings.ts": ["credentials", "model"],
  model: ["credentials", "rate-limit"],
  credentials: ["memory"],
  "rate-limit": [],
  memory: [],
  "problem.ts": [],
  "log.ts": ["credentials"],
  // Runs in browsers: of the rest it knows the types of the API's answers, and nothing else knows it.
  elements: ["model"],
  "elements/shared": ["model"],
  "elements/changelog": ["elements/shared", "model"],
  "elements/board": ["elements/shared", "model"],
  "elements/launcher": ["elements/shared"],
  "elements/survey": ["elements/shared", "model"],
  "elements/roadmap": ["elements/board", "elements/shared", "model"],
  "elements/languages": [
    "elements/board",
    "elements/changelog",
    "elements/launcher",
    "elements/roadmap",
    "elements/shared",
    "elements/survey",
  ],
  // The elements' views as HTML, which the Worker has for a board's own page.
  "elements/page": [
    "elements/board",
    "elements/changelog",
    "elements/languages",
    "elements/roadmap",
    "elements/shared",
    "elements/survey",
    "model",
  ],
  "elements/version.ts": [],
  "elements/reference.ts": [],
  // The files of other services, read in Node and in browsers.
  import: ["model"],
  // The script of the desk's page for it, which runs in browsers.
  "import/page": ["import", "model"],
  // The package for tenants' servers: it imports nothing, and needs nothing but `fetch` and Web Crypto.
  client: [],
  // What npm runs. It is not in the Worker: test/project/bundle.node.slow.test.ts.
  "commands/openapi/operations.ts": ["tenant", "panelist", "account", "operator", "leaks", "http/operation.ts"],
  "commands/openapi": [
    "package.json",
    "commands/openapi/operations.ts",
    "http/operation.ts",
    "credentials",
    "model",
    "problem.ts",
  ],
  "commands/command-line": [],
  // What a command does to accounts without a Worker is the Worker's SQL.
  "commands/deployment": ["commands/command-line", "database", "store", "model"],
  "commands/import": ["import", "client", "commands/command-line", "commands/deployment", "commands/openapi", "model"],
  "commands/development": [
    "commands/command-line",
    "commands/deployment",
    "commands/openapi",
    "credentials",
    "model",
    "elements",
  ],
};

/** Parts that are pure: no framework but the schemas', no bindings, no clock, no randomness of their own. */
const PURE = ["credentials", "model", "view/render-changelog.ts", "rate-limit", "memory", "problem.ts"];

/** Any part may use it, the pure ones too. */
const PURE_LIBRARIES = ["zod/mini"];

/** Who may use any other library. The parts below http know bindings, not Hono. */
const LIBRARIES: Record<string, readonly string[]> = {
  hono: ["account", "public-page", "leaks", "mcp", "operator", "tenant", "panelist", "http"],
  uqr: ["account"],
  "csv-parse": ["import"],
  "html-to-text": ["import"],
  "@streamparser/json": ["import"],
  fflate: ["import"],
  "cloudflare:workers": ["api-key-gate", "access"],
};

/** A clock, randomness, bindings, timers, anything else of the platform that is not a function of its arguments. */
const IMPURE =
  /(?<!new )\bDate\b|\bnew Date\(\)|\bnew Date\b(?!\()|\bMath\.random\b|\bTemporal\b|\bperformance\b|\bcrypto\b(?:\.\w+)*|\b(?:fetch|setTimeout|setInterval|queueMicrotask)\(|\b(?:scheduler|caches|navigator|process|console)\.|\bglobalThis\b|\b(?:Env|D1\w+|KV[A-Z]\w+|DurableObject\w*|ExecutionContext)\b/g;

/** What pure parts use of the platform on purpose. */
const DELIBERATE: Record<string, readonly string[]> = {
  // Hashes and signatures: functions of their arguments alone.
  credentials: ["crypto.subtle.digest", "crypto.subtle.importKey", "crypto.subtle.sign"],
  "credentials/cursor.ts": ["crypto.subtle.encrypt", "crypto.subtle.decrypt"],
  "view/render-changelog.ts": ["crypto.subtle.digest"],
  // The one source of randomness. Code that needs it gets it as an argument.
  "credentials/base62.ts": ["crypto.getRandomValues"],
};

const topOf = (path: string) => path.split("/")[0] ?? path;

const partOf = (path: string) =>
  [path, path.split("/").slice(0, 2).join("/"), topOf(path)].find((name) => Object.hasOwn(MAY_IMPORT, name)) ??
  `no layer holds ${path}`;

const importsOf = (text: string) =>
  [...text.matchAll(/(?<![".\w])(?:from|import)\s*\(?\s*"([^"\n]+)"/g)].map(([, name = ""]) => name);

/** package.json, "imports": what stands there has another file for the Worker, or other types. */
const NAMED: Readonly<Record<string, string>> = { "#h": "elements/shared/h.ts", "#markup": "elements/page/markup.ts" };

const isRelative = (name: string) => name.startsWith(".") || Object.hasOwn(NAMED, name);

const isOfAnotherProgram = (path: string) => ["client", "elements", "import", "commands"].includes(topOf(path));

const resolve = (from: string, name: string) =>
  NAMED[name] ??
  shorten(new URL(name, `https://src/${isOfAnotherProgram(from) ? "" : "worker/"}${from}`).pathname.slice(1));

it("there are sources to check", () => {
  expect(sources.length).toBeGreaterThan(30);
});

/** The paths of the sources that break a rule. */
const offenders = (breaks: (source: (typeof sources)[number]) => boolean) =>
  sources.filter(breaks).map(({ path }) => path);

it("every source belongs to a layer", () => {
  const homeless = offenders(({ path }) => !Object.hasOwn(MAY_IMPORT, partOf(path)));
  expect(
    homeless,
    "put the file into a folder of CONTRIBUTING's layout; a new folder needs its line in MAY_IMPORT",
  ).toEqual([]);
});

it("every rule and every excuse names a file or a folder that is there", () => {
  const named = [MAY_IMPORT, LIBRARIES].flatMap((rules) => Object.values(rules).flat());
  const names = new Set([...Object.keys(MAY_IMPORT), ...Object.keys(DELIBERATE), ...PURE, ...named]);
  const missing = [...names].filter((name) => !sources.some(({ path }) => `${path}/`.startsWith(`${name}/`)));
  expect(missing).toEqual(["package.json"]);
});

/** The way out of a forbidden import. */
function adviceFor(path: string, target: string): string {
  const [from, to] = [partOf(path), partOf(target)];
  const isUpward = MAY_IMPORT[to]?.includes(from) || MAY_IMPORT[topOf(target)]?.includes(topOf(path));
  const advice = isUpward
    ? `${to} is above ${from}. Pass the value or the function as an argument, or move the shared part down into ${from}`
    : `${from} and ${to} do not know each other. Move the shared part into a folder that both import, such as ${sharedBy(from, to)}`;
  return `${advice}. ${from} may import ${MAY_IMPORT[from]?.join(", ") || "nothing"}.`;
}

const sharedBy = (from: string, to: string): string =>
  MAY_IMPORT[from]?.find((name) => MAY_IMPORT[to]?.includes(name) && !name.includes("/")) ?? "model";

it("imports run downward only", () => {
  const arrows = sources.flatMap(({ path, text }) => {
    const allowed = [partOf(path), ...(MAY_IMPORT[partOf(path)] ?? [])];
    return importsOf(text)
      .filter(isRelative)
      .map((name) => resolve(path, name))
      .filter((target) => !allowed.includes(partOf(target)) && !allowed.includes(topOf(target)))
      .map((target) => `${path} imports ${target}: ${adviceFor(path, target)}`);
  });
  expect(arrows).toEqual([]);
});

/** The names of `graph` from which arrows lead back to themselves. */
function inCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const reaches = (from: string, target: string, seen = new Set<string>()): boolean =>
    (graph.get(from) ?? []).some((next) => {
      if (next === target) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, target, seen);
    });
  return [...graph.keys()].filter((name) => reaches(name, name));
}

/** What each file, or folder, imports. */
function importsBetween(nameOf: (path: string) => string): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const { path, text } of sources) {
    const from = nameOf(path);
    const others = importsOf(text)
      .filter(isRelative)
      .map((name) => nameOf(resolve(path, name)))
      .filter((name) => name !== from);
    graph.set(from, [...(graph.get(from) ?? []), ...others]);
  }
  return graph;
}

const isItself = (path: string) => path;

/** The folder of a room: `account/keys`. A file that lies in the room itself, as `account/app.ts`, stands for itself. */
const folderIn = (path: string) => (path.split("/").length > 2 ? path.split("/").slice(0, 2).join("/") : path);

it("no files import each other in a circle", () => {
  expect(inCircles(importsBetween(isItself))).toEqual([]);
});

/** Nouns are rows of each other, as their foreign keys say: a proposal of its panelist, a panelist of the proposals that they voted for. */
const isOfNouns = (folder: string) => folder.startsWith("database/");

it("no folders of a room import each other in a circle", () => {
  expect(inCircles(importsBetween(folderIn)).filter((folder) => !isOfNouns(folder))).toEqual([]);
});

it("the elements import only types from the Worker's sources, the parser of texts, the rules of answers and faces", () => {
  const shared = ["model/light-formatting.ts", "model/survey-answers.ts", "model/face.ts"];
  const imports = sources
    .filter(({ path }) => topOf(path) === "elements")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^import (.*?) from "([^"]+)"/gms)].map(([, what = "", name = ""]) => ({
        path,
        what,
        target: resolve(path, name),
      })),
    );
  expect(imports.length).toBeGreaterThan(20);
  const escaping = imports.filter(
    ({ what, target }) => topOf(target) !== "elements" && !shared.includes(target) && !what.startsWith("type "),
  );
  expect(escaping).toEqual([]);
});

it.each([
  ["Account Settings", ["account"], ['app.ts: import("./account/app.ts")']],
  ["the API as tools", ["mcp"], ['app.ts: import("./mcp/routes.ts")']],
  ["the boards’ own pages", ["public-page"], ['app.ts: import("./public-page/app.ts")']],
  [
    "what most isolates are never asked for",
    ["on-demand.ts", "operator", "leaks", "scheduled.ts"],
    ['app.ts: import("./on-demand.ts")', 'index.ts: import("./on-demand.ts")'],
  ],
])(
  "%s is loaded when it is asked for: outside of it there are only its types, and `import()`",
  (_, parts, expected) => {
    const imports = sources
      .filter(({ path }) => !isOfAnotherProgram(path) && !parts.includes(topOf(path)))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\bimport(?! type )[^;]*?"([^"\n]+)"\)?/g)]
          .filter(([, name = ""]) => parts.includes(topOf(resolve(path, name))))
          .map(([statement]) => `${path}: ${statement}`),
      );
    expect(imports).toEqual(expected);
  },
);

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'])\/\/.*$/gm, "");

/** Which libraries a source imports that its part may not, and what a pure one uses that is not pure. */
function escapesOf({ path, text }: { path: string; text: string }): string[] {
  const part = partOf(path);
  const isPure = PURE.includes(part);
  const mayUse = ([library, parts]: [string, readonly string[]], name: string) =>
    (name === library || name.startsWith(`${library}/`)) && parts.includes(part);
  const libraries = importsOf(text)
    .filter((name) => !isRelative(name) && !PURE_LIBRARIES.includes(name))
    .filter((name) => isPure || !Object.entries(LIBRARIES).some((entry) => mayUse(entry, name)));
  const deliberate = [...(DELIBERATE[part] ?? []), ...(DELIBERATE[path] ?? [])];
  const impure = isPure ? [...withoutComments(text).matchAll(IMPURE)].map(([words]) => words) : [];
  return [
    ...libraries.map((name) => `${path} imports ${name}`),
    ...impure.filter((words) => !deliberate.includes(words)).map((words) => `${path} has ${words}`),
  ];
}

it("each part uses only its libraries, and the pure parts only pure functions", () => {
  expect(sources.filter(({ path }) => PURE.includes(partOf(path))).length).toBeGreaterThan(PURE.length);
  expect(sources.filter(({ path }) => topOf(path) !== "commands").flatMap(escapesOf)).toEqual([]);
});

it.each([
  ["database/surveys/surveys.ts", 'import { Hono } from "hono";', "imports hono"],
  ["database/surveys/surveys.ts", 'import type { Context } from "hono/jsx";', "imports hono/jsx"],
  ["view/snapshots.ts", 'await import("hono");', "imports hono"],
  ["tenant/surveys.ts", 'import { env } from "cloudflare:workers";', "imports cloudflare:workers"],
  ["http/pages.ts", 'import * as z from "zod";', "imports zod"],
  ["http/pages.ts", 'import "honolulu";', "imports honolulu"],
  ["model/id.ts", 'import { Hono } from "hono";', "imports hono"],
  ["model/id.ts", "const id = crypto.randomUUID();", "has crypto.randomUUID"],
  ["model/id.ts", 'await crypto.subtle.digest("SHA-256", bytes);', "has crypto.subtle.digest"],
  ["credentials/id.ts", "crypto.getRandomValues(bytes);", "has crypto.getRandomValues"],
  ["credentials/id.ts", "const { subtle } = crypto;", "has crypto"],
  ["credentials/id.ts", "crypto.subtle.generateKey(algorithm);", "has crypto.subtle.generateKey"],
  ["rate-limit/sliding-window.ts", "const now = performance.now();", "has performance"],
  ["rate-limit/sliding-window.ts", "const now = Date.now();", "has Date"],
  ["rate-limit/sliding-window.ts", "const now = +new Date();", "has new Date()"],
  ["rate-limit/sliding-window.ts", "const clock = Date;", "has Date"],
  ["problem.ts", "const retryAfter = Math.random();", "has Math.random"],
  ["view/render-changelog.ts", "setTimeout(render);", "has setTimeout("],
  ["model/capabilities.ts", "(database: D1Database) => database;", "has D1Database"],
])("in %s, %s is seen", (path, text, found) => expect(escapesOf({ path, text })).toEqual([`${path} ${found}`]));

it.each([
  ["panelist/cross-origin.ts", 'import { cors } from "hono/cors";'],
  ["model/text.ts", "new Date(milliseconds).toISOString(); // not Date.now()"],
  ["credentials/base62.ts", "/** Not Math.random(). */ crypto.getRandomValues(bytes);"],
])("in %s, %s is fine", (path, text) => expect(escapesOf({ path, text })).toEqual([]));

/** Commands that work on any schema or on files, the rehearsal, and those of a developer. The others send the Worker's SQL. */
const HAS_OWN_SQL = /^(?:database|commands\/development|commands\/deployment\/(?:backups|databases|rehearse\.ts))/;

it("SQL lives in database/, but for the ping", () => {
  const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w/;
  expect(
    offenders(({ path, text }) => !HAS_OWN_SQL.test(path) && path !== "store/hanging-sessions.ts" && sql.test(text)),
  ).toEqual([]);
});

it("a failure is logged through log.ts, which makes texts of errors: JSON makes `{}` of them", () => {
  const logging = /\bconsole\.(?!log\(\{)/;
  const direct = offenders(
    ({ path, text }) =>
      !["client", "elements", "import", "commands"].includes(topOf(path)) &&
      path !== "log.ts" &&
      logging.test(withoutComments(text)),
  );
  expect(direct, "use logWarning or logError").toEqual(["http/problem-log.ts"]);
});

it("the surfaces never import each other", () => {
  const audiences = ["tenant", "panelist", "account", "public-page", "operator", "leaks"];
  const crossings = sources
    .filter(({ path }) => audiences.includes(topOf(path)))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => name.startsWith("."))
        .map((name) => resolve(path, name))
        .filter((target) => audiences.includes(topOf(target)) && topOf(target) !== topOf(path))
        .map((target) => `${path} -> ${target}`),
    );
  expect(crossings).toEqual([]);
});
