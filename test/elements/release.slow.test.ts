/** The scripts of the elements: how large they are, and that what was released stays what it was. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildElements, INTERNAL } from "../../src/commands/development/build-elements.ts";
import { LABELS } from "../../src/commands/development/elements-reference.ts";
import { faultsOfReleases, readReleases, release } from "../../src/commands/development/released-elements.ts";
import { LANGUAGES } from "../../src/elements/languages/languages.ts";
import { ELEMENTS_VERSION } from "../../src/elements/version.ts";

const KIB = 1024;
const elements = await buildElements();
const LIMITS = {
  "changelog.js": 12 * KIB,
  "board.js": 29 * KIB,
  "roadmap.js": 4 * KIB,
  "launcher.js": 5 * KIB,
  "survey.js": 12 * KIB,
  ...Object.fromEntries(LANGUAGES.map((language) => [`${language}.json`, 4 * KIB])),
};

it.each(Object.entries(LIMITS))("%s is at most %i bytes gzipped", (name, limit) => {
  expect(gzipSync(elements.get(name) ?? "").byteLength).toBeLessThanOrEqual(limit);
});

it("docs/embed.md has these limits", async () => {
  const page = await readFile("docs/embed.md", "utf8");
  const rows = [...page.matchAll(/^\| `<idea-bank-.* \| `(\w+\.js)` \| (\d+)/gm)].map(([, name, kib]) => [
    name,
    Number(kib) * KIB,
  ]);
  expect(rows).toEqual(Object.entries(LIMITS).filter(([name]) => name.endsWith(".js")));
});

it.each([...elements].filter(([name]) => name.endsWith(".js")))(
  "%s loads no script but its base, parses no HTML and evaluates nothing",
  (name, text) => {
    expect(
      text.match(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bimport\(|@import|url\(/g,
      ),
    ).toBeNull();
    expect(text.match(/https?:\/\/[^"'`]*/g) ?? []).toEqual(name === "survey.js" ? [] : ["http://www.w3.org/2000/svg"]);
    // A roadmap is made of the board, and a survey has its base from the changelog: a page names their hashes, too.
    const imports = new Set([...text.matchAll(/\bimport(?:\{[^}]*\}from)?"([^"]*)"/g)].map(([, path]) => path));
    const bases: Readonly<Record<string, string>> = { "roadmap.js": "./board.js", "survey.js": "./changelog.js" };
    expect([...imports]).toEqual([bases[name] ?? []].flat());
    // Sizes follow the element's own font size, not the page's.
    expect(text.match(/\d(?:rem)\b/g)).toBeNull();
  },
);

/** The names of all fields below this part of the API's description. */
function fieldsIn(part: unknown, document: object, seen = new Set<unknown>()): readonly string[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part);
  return Object.entries(part).flatMap(([name, value]) => {
    const own = name === "properties" ? Object.keys(value) : [];
    const target: unknown =
      name === "$ref" && typeof value === "string"
        ? value
            .slice(2)
            .split("/")
            .reduce<unknown>((at, step) => new Map(Object.entries(Object(at))).get(step), document)
        : value;
    return [...own, ...fieldsIn(target, document, seen)];
  });
}

it("a name that the scripts shorten is no label's, and no field's that they read", async () => {
  const document: { readonly paths: object } = JSON.parse(await readFile("public/openapi.json", "utf8"));
  const paths = Object.entries(document.paths).filter(([path]) => /^\/(?:public\/|surveys|ideabank)/.test(path));
  const fields = fieldsIn(paths, document);
  expect(fields).toContain("duplicateOf");
  const taken = new Set([...fields, ...Object.values(LABELS).flatMap((labels) => Object.keys(labels))]);
  // A survey's script leaves the kind of its questions.
  expect(INTERNAL.filter((name) => taken.has(name))).toEqual(["kind"]);
});

describe("a released version", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "releases-"));
    await cp("docs/embed.md", join(root, "docs/embed.md"));
    await mkdir(join(root, "public/embed"), { recursive: true });
    await writeFile(join(root, "public/embed/releases.json"), '{ "latest": "", "releases": {} }');
    await release(elements, { product: ELEMENTS_VERSION, root });
  });
  afterEach(() => rm(root, { recursive: true }));

  const file = `public/embed/${ELEMENTS_VERSION}/board.js`;
  const changed = new Map([...elements].map(([name, text]) => [name, `${text}\n`]));

  it("is what the manifest says, what the sources make, and in the documentation", async () => {
    expect(await faultsOfReleases(elements, root)).toEqual([]);
    const { latest, releases } = await readReleases(root);
    expect([latest, Object.keys(releases)]).toEqual([ELEMENTS_VERSION, [ELEMENTS_VERSION]]);
    expect(await readFile(join(root, "docs/embed.md"), "utf8")).toContain(releases[latest]?.["board.js"]);
  });

  it("can be released again as it is, and not as another text", async () => {
    const before = await readReleases(root);
    // The product goes on, and the elements have not changed.
    await release(elements, { product: "9.9.9", root });
    expect(await readReleases(root)).toEqual(before);
    await expect(release(changed, { product: "9.9.9", root })).rejects.toThrow("Raise the version");
    expect(await readReleases(root)).toEqual(before);
  });

  it("has the number of the product that it comes with", async () => {
    await writeFile(join(root, "public/embed/releases.json"), '{ "latest": "", "releases": {} }');
    await expect(release(elements, { product: "9.9.9", root })).rejects.toThrow("the product's number");
    expect((await readReleases(root)).releases).toEqual({});
  });

  it("came with a version of the product", async () => {
    const products = globSync("*.js", { cwd: "test/fixtures/released-workers" }).map((name) => name.slice(0, -3));
    // 1.1.0 brought elements 1.1.2.
    const others = Object.keys((await readReleases()).releases).filter((version) => !products.includes(version));
    expect(others).toEqual(["1.1.2"]);
  });

  it("cannot be changed", async () => {
    await appendFile(join(root, file), " ");
    expect(await faultsOfReleases(elements, root)).toEqual([`${file} is not what was released.`]);
  });

  it("cannot go away", async () => {
    await rm(join(root, file));
    expect(await faultsOfReleases(elements, root)).toEqual([`${file} is not what was released.`]);
  });

  it("is not added to by hand", async () => {
    await writeFile(join(root, `public/embed/${ELEMENTS_VERSION}/more.js`), "");
    expect(await faultsOfReleases(elements, root)).toEqual([
      `public/embed/${ELEMENTS_VERSION}/more.js is in no release.`,
    ]);
  });

  it("needs another number for another text", async () => {
    expect(await faultsOfReleases(changed, root)).toEqual([expect.stringContaining("Raise the version")]);
  });

  it("was never changed since it was committed", async () => {
    // Where there is no history (an archive, a shallow clone), there is none to contradict.
    const history = ["log", "--format=", "--name-only", "--diff-filter=MT", "--", ":(glob)public/embed/*.*.*/*"];
    const { stdout } = await promisify(execFile)("git", history).catch(() => ({ stdout: "" }));
    expect(stdout).toBe("");
  });
});
