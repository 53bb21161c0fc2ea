/** What is exported is imported somewhere: an export that nobody imports is private, or dead. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

/** Others than the project's own files import these. */
const ENTRIES = ["src/client/index.ts", "src/worker/index.ts"];
/** Built from the OpenAPI document: all its types are for who calls the API. */
const BUILT = ["src/client/tenant-types.ts", "src/worker/env.d.ts"];
/** Its exports are those of the modules that it writes. */
const WRITER = "src/commands/development/elements-types.ts";

const read = (pattern: string) =>
  globSync(pattern, { exclude: ["**/node_modules/**", "test/fixtures/**"] }).map((path) => ({
    path: path.replaceAll("\\", "/"),
    text: readFileSync(path, "utf8"),
  }));
const sources = read("src/**/*.{ts,tsx}").filter(({ path }) => !BUILT.includes(path) && path !== WRITER);
const importers = [
  ...read("src/**/*.{ts,tsx}"),
  ...read("{test,docs/examples}/**/*.{ts,tsx,mts,mjs}"),
  ...read("vitest.config.ts"),
];

/** The names in `{ a, type b, c as d }`: those before `as` are the other module's. */
const namesIn = (list: string) =>
  list.split(",").flatMap((part) => /^\s*(?:type\s+)?(\w+)/.exec(part.replaceAll(/\/\*.*?\*\//gs, ""))?.[1] ?? []);

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;
const LISTED = /^export (?:type |const )?\{([^}]*)\}/gm;

const exported = sources
  .filter(({ path }) => !ENTRIES.includes(path))
  .flatMap(({ path, text }) => {
    const declared = Array.from(text.matchAll(DECLARED), ([, name = ""]) => name);
    // Exported is the name behind `as`, and behind the colon of what is taken apart.
    const listed = Array.from(text.matchAll(LISTED), ([, list = ""]) => namesIn(list.replaceAll(/\w+(?: as|:) /g, "")));
    return [...declared, ...listed.flat()].map((name) => ({ path, name }));
  });

/** package.json, "imports": the files that each name stands for. */
const NAMED: Readonly<Record<string, object>> = JSON.parse(readFileSync("package.json", "utf8")).imports;

const imported = new Set<string>();
for (const { path, text } of importers) {
  const add = (specifier: string, names: readonly string[]) => {
    const target = specifier.startsWith(".") ? relative(".", join(dirname(path), specifier)) : specifier;
    const files = Object.values(NAMED[specifier] ?? [target]).map((file) => file.replace("./", ""));
    for (const file of files) for (const name of names) imported.add(`${file.replaceAll("\\", "/")} ${name}`);
  };
  for (const [, list = "", specifier = ""] of text.matchAll(/\{([^{}]*)\} (?:from|= await import\() ?"([^"]+)"/g))
    add(specifier, namesIn(list));
  for (const [, space = "", specifier = ""] of text.matchAll(/\* as (\w+) from "([^"]+)"/g))
    add(
      specifier,
      Array.from(text.matchAll(new RegExp(`\\b${space}\\.(\\w+)`, "g")), ([, name = ""]) => name),
    );
  // A program that a test writes, or a module that is loaded whole.
  for (const [, specifier = ""] of text.matchAll(/(?<!from )["'`](?:\/?)((?:\.{1,2}\/|src\/)[\w./-]+\.tsx?)["'`]/g))
    add(specifier, text.match(/\b\w+\b/g) ?? []);
}

it("there are exports to check", () => expect(exported.length).toBeGreaterThan(1_000));

it("nothing is exported that nothing imports", () => {
  const unused = exported.filter(({ path, name }) => !imported.has(`${path} ${name}`));
  expect(unused.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});
