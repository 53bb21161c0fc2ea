/** What a command does on a disk that takes no more, and in a place where nothing can be written: a sentence, and nothing is lost. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defineCommand } from "../../src/commands/command-line/command.ts";
import { spawnWrangler } from "../../src/commands/command-line/run-wrangler.ts";
import { readExport } from "../../src/commands/deployment/databases/read-export.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "full-disk-"));
});
afterEach(() => rm(folder, { recursive: true }));

const runOf = async (run: () => Promise<void>) => {
  const complained: string[] = [];
  const command = defineCommand({ name: "example", summary: ["Does something."], options: {}, run });
  const code = await command.run([], {
    folder,
    variables: {},
    print: (line) => expect.unreachable(line),
    complain: (line) => complained.push(line),
    runWrangler: () => expect.unreachable(),
  });
  return [code, complained.join("\n")];
};

it("what the file system refuses is said in a sentence, with the path", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  expect(await runOf(() => writeFile(join(file, "below"), "x"))).toEqual([
    1,
    `\n${join(file, "below")} cannot be used: a part of its path is a file, not a folder. Fix that, and run it again.`,
  ]);
});

it.each<[string, () => Promise<unknown> | undefined, string]>([
  ["a folder where a file was named", async () => readExport(folder), "FOLDER is not an export: "],
  ["a file where a folder was named", () => mkdir(join(folder, "file")), "FOLDER/file cannot be used: a file is there"],
])("%s is told without a code", async (_, act, message) => {
  await writeFile(join(folder, "file"), "");
  const [code, complained] = await runOf(async () => void (await act()));
  expect([code, complained]).toEqual([1, expect.stringContaining(message.replace("FOLDER", folder))]);
  expect(complained).not.toMatch(/\bE[A-Z]{4,}\b/);
});

it("without wrangler it says how to install it", async () => {
  const start = () => spawnWrangler({ args: [], folder, variables: { PATH: folder }, input: "", show: false });
  expect(await runOf(async () => void (await start()))).toEqual([
    1,
    expect.stringContaining("wrangler cannot be started: it is not on the PATH. Run `npm ci`"),
  ]);
});

/** Runs a script that can make no file longer than 1 KiB. */
const withoutSpace = (script: string) =>
  new Promise<number>((done) =>
    execFile(
      "sh",
      ["-c", 'ulimit -f 2; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { cwd: folder },
      (error) => done(error === null ? 0 : 1),
    ),
  );

it.each([
  [
    "the id of a store is",
    "cloudflare/configuration.ts",
    'writeId(".", { environment: "", table: "kv_namespaces", binding: "CHANGELOGS" }, "id", "kv-1")',
  ],
  [
    "a rotation is",
    "secrets/rotation.ts",
    'writeRotation({ environment: "", context: { folder: "." } }, { slot: "CREDENTIAL_SECRETS", since: undefined, stage: "setting" })',
  ],
])("wrangler.toml is whole when %s noted in it and the disk is full", async (_, module, call) => {
  await copyFile("wrangler.toml", join(folder, "wrangler.toml"));
  const [name = ""] = call.split("(");
  const path = resolve("src/commands/deployment", module);
  expect(await withoutSpace(`import { ${name} } from ${JSON.stringify(path)};\nawait ${call};`)).toBe(1);
  expect(await readFile(join(folder, "wrangler.toml"), "utf8")).toBe(await readFile("wrangler.toml", "utf8"));
  expect(await readdir(folder)).toContain("wrangler.toml");
});
