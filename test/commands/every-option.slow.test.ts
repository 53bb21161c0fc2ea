/**
 * Every option of every command, through npm, with `--` before it and without: it arrives, or the command says that npm has kept it,
 * and does nothing. The stand-in for wrangler sees what would be done.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../support/node/stand-in/account.ts";

const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: Record<string, string> };
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^node (src\/commands\/\S+\.ts)$/.exec(script) ?? [];
  return file === undefined ? [] : [{ name, file }];
});

type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(program, args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return new Promise<Ran>((done) => child.once("close", (code) => done({ code, stdout, stderr })));
}

/** From the help, which a test of its own holds against the options. */
async function optionsOf(file: string): Promise<(readonly [option: string, value: string[]])[]> {
  const { stdout } = await run(process.execPath, [resolve(file), "--help"]);
  return [...(stdout.split("\n")[0] ?? "").matchAll(/\[--([\w-]+)( \S+)?\]/g)].map(
    ([, option = "", value]) => [option, value === undefined ? [] : ["1"]] as const,
  );
}
const all = await Promise.all(commands.map(async (each) => ({ ...each, options: await optionsOf(each.file) })));
const withOptions = all.filter(({ options }) => options.length > 0);

let account: StandInAccount;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

it("finds the commands, and their options", () => {
  expect(withOptions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["dev", "deploy", "rollback", "rotate-secret", "backup", "restore", "account", "import"]),
  );
  expect(withOptions.flatMap(({ options }) => options).length).toBeGreaterThan(30);
});

describe.each(withOptions)("npm run $name", ({ name, options }) => {
  it("gets all of its options behind `--`", async () => {
    const given = options.flatMap(([option, value]) => [`--${option}`, ...value]);
    // `npm run dev` passes on what it does not know: it stops at the port.
    const end = name === "dev" ? ["--port", "no-port"] : ["--no-such-option"];
    const { code, stderr } = await account.runScript(name, "--", ...given, ...end);
    expect([code, stderr]).toEqual([1, expect.stringContaining(end[1] ?? `There is no option \`${end[0]}\`.`)]);
  });

  it("without `--` does nothing, and names every option that npm has kept", async () => {
    const given = options.flatMap(([option, value]) => [`--${option}`, ...value]);
    const { code, stderr } = await account.runScript(name, ...given);
    // What npm has kept of `--yes` is asked for.
    const kept = options.flatMap(([option]) => (option === "yes" ? [] : [`--${option}`])).join(", ");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`npm kept ${kept} for itself. Put \`--\``)]);
    expect(account.calls()).toEqual([]);
  });
});

it.each(["backup", "restore", "account"])(
  "npm run %s -- --local is refused, and names the option to write",
  async (name) => {
    const { code, stderr } = await account.runScript(name, "--", "--local");
    expect([code, stderr]).toEqual([1, expect.stringContaining("write --on-this-machine.")]);
    expect(account.calls()).toEqual([]);
  },
);
