/** The lock files contain a hash for every installed package. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { findFaults, HASH_UNKNOWN, packagesWithoutHash } from "../../.ci/lock-file.mjs";

const lockFile = (packages: Record<string, object>) => JSON.stringify({ lockfileVersion: 3, packages });

describe("a package of a lock file", () => {
  it.each([
    ["with a SHA-512 hash is fine", { "node_modules/a": { version: "1.0.0", integrity: "sha512-AAAA" } }, []],
    ["without a hash is found", { "node_modules/a": { version: "1.0.0" } }, ["a@1.0.0"]],
    ["with an empty hash is found", { "node_modules/a": { version: "1.0.0", integrity: "" } }, ["a@1.0.0"]],
    ["with a SHA-1 hash alone is found", { "node_modules/a": { version: "1.0.0", integrity: "sha1-AA" } }, ["a@1.0.0"]],
    ["below another package is found", { "node_modules/a/node_modules/@b/c": { version: "2.0.0" } }, ["@b/c@2.0.0"]],
    ["that is optional is found", { "node_modules/a": { version: "1.0.0", optional: true } }, ["a@1.0.0"]],
    ["that is a link is not downloaded", { "node_modules/a": { link: true } }, []],
    ["that is bundled is not downloaded", { "node_modules/a": { version: "1.0.0", inBundle: true } }, []],
    ["that is the project itself is not downloaded", { "": { version: "1.0.0" } }, []],
  ])("%s", (_, packages, found) => expect(packagesWithoutHash(lockFile(packages))).toEqual(found));
});

it("an exception covers one version, and only while it is needed", () => {
  const without = lockFile({ "node_modules/a": { version: "1.0.0" } });
  expect(findFaults([without], [])).toEqual(["a@1.0.0 has no SHA-512 hash in its lock file"]);
  expect(findFaults([without], ["a@1.0.0"])).toEqual([]);
  expect(findFaults([without], ["a@0.9.0"])).toEqual([
    "a@1.0.0 has no SHA-512 hash in its lock file",
    "a@0.9.0 is an exception without need",
  ]);
});

it("every package of the project has a hash, except those that are named", async () => {
  const files = ["package-lock.json", "test/bench/package-lock.json"];
  expect(findFaults(await Promise.all(files.map((file) => readFile(file, "utf8"))), HASH_UNKNOWN)).toEqual([]);
});

it("SECURITY.md names the packages without a hash", async () => {
  const named = [...(await readFile("SECURITY.md", "utf8")).matchAll(/^- `(.+)`$/gm)].map(([, name]) => name);
  expect(named).toEqual(HASH_UNKNOWN);
});
