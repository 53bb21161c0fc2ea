/** No secret scanner takes an example of ours for a secret: neither by our own rules, nor by how random it is. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

/** As docs/api.md has them, "Credentials"; a signed token is an example of a standard that is known by its header. */
const PATTERNS = [/ibk_[0-9A-Za-z]{47}/g, /ib[tv]_[0-9A-Za-z]{40,51}/g, /ibs_[\w-]{43}/g, /whsec_[0-9A-Za-z+/]{32}/g];
/** Vectors, whose secret has to be one. */
const VECTORS = ["docs/examples/signed-tokens.json", "docs/signed-token-vectors.json"];

/** Of Shannon, in bits a character, as gitleaks and TruffleHog count it. */
function entropyOf(text: string): number {
  const counts = Map.groupBy(text, (character) => character);
  return [...counts.values()].reduce(
    (sum, { length }) => sum - (length / text.length) * Math.log2(length / text.length),
    0,
  );
}

const filesOf = () =>
  execFileSync("git", ["ls-files", "docs", "public", "README.md", "src"], { encoding: "utf8" })
    .split("\n")
    .filter((path) => /\.(md|json|html|js|ts|tsx|yml|toml)$/.test(path) && !VECTORS.includes(path));

const secretsIn = (text: string, least: number) =>
  PATTERNS.flatMap((pattern) => text.match(pattern) ?? []).filter((found) => entropyOf(found) >= least);

it("in the documents, the OpenAPI document, the pages and the sources", async () => {
  const rules = await readFile("docs/examples/secret-scanners/gitleaks.toml", "utf8");
  const least = Math.min(...[...rules.matchAll(/entropy = ([\d.]+)/g)].map(([, bits]) => Number(bits)));
  expect(least).toBe(3);
  const files = filesOf();
  expect(files).toContain("public/openapi.json");
  const found = await Promise.all(
    files.map(async (path) => secretsIn(await readFile(path, "utf8"), least).map((secret) => `${path}: ${secret}`)),
  );
  expect(found.flat()).toEqual([]);
});

it("a real one is found", () => {
  expect(secretsIn("ibk_XtwvMRbXxcwnx8wSjFTlRnKdhMYZ70VjvVOZGBXRgxPq48A", 3)).toHaveLength(1);
  expect(secretsIn(`whsec_${btoa("abcdefghijklmnopqrstuvwx")}`, 3)).toHaveLength(1);
});
