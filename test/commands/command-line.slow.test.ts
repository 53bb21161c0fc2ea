/** Every script of package.json: its help explains each option, and does nothing. And what every command does with its arguments. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineCommand } from "../../src/commands/command-line/command.ts";
import { Failure } from "../../src/commands/command-line/failure.ts";

const scripts: Record<string, string> = JSON.parse(await readFile("package.json", "utf8")).scripts;
/** Programs that have a help of their own, and what nobody types. */
const FOREIGN = /vitest|^wrangler|biome|^node \.ci\//;
const isOwn = (script: string) => !FOREIGN.test(script);
const own = Object.entries(scripts).filter(([, script]) => isOwn(script));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "help-"));
});
afterEach(() => rm(folder, { recursive: true }));

it.each(own)("npm run %s -- --help explains every option, and does nothing", async (name, script) => {
  // One program and nothing behind it: npm puts the arguments at the end. Before it stands only what it needs.
  const [, file = ""] = /^(?:node test\/support\/node\/programs\.ts && )?node (\S+\.ts)$/.exec(script) ?? [];
  const { stdout, stderr, code } = await new Promise<{ stdout: string; stderr: string; code: unknown }>((done) =>
    execFile(process.execPath, [resolve(file), "--help"], { cwd: folder }, (error, out, err) =>
      done({ stdout: out, stderr: err, code: error?.code ?? 0 }),
    ),
  );
  expect([code, stderr]).toEqual([0, ""]);
  const [usage = "", , ...lines] = stdout.split("\n");
  expect(usage).toMatch(new RegExp(`^Usage: npm run ${name}( -- |$)`));
  expect(lines[0]).toMatch(/^[A-Z]/);
  for (const [, option] of usage.matchAll(/\[(--[\w-]+)/g)) {
    expect(lines.filter((line) => new RegExp(`^  ${option}\\b.*  [A-Z].*\\.$`).test(line))).toHaveLength(1);
  }
  // Whatever it does, it would do here.
  expect(await readdir(folder)).toEqual([]);
});

describe("a command", () => {
  const given: unknown[] = [];
  const command = (passesOnTo?: string) =>
    defineCommand({
      name: "example",
      summary: ["Does something."],
      ...(passesOnTo === undefined ? {} : { passesOnTo }),
      options: {
        port: { type: "string", value: "<number>", help: "Where." },
        now: { type: "boolean", default: false, help: "At once." },
        "dry-run": { type: "boolean", default: false, help: "Nothing." },
      },
      run: async ({ values, others }) => {
        if (values.port === "0") throw new Failure("There is no port 0.");
        if (values.port === "1") throw new TypeError("a defect");
        given.push([{ ...values }, others]);
      },
    });

  async function run(args: string[], passesOnTo?: string, variables = {}) {
    const printed: string[] = [];
    const write = (line: string) => void printed.push(line);
    const context = { folder, variables, print: write, complain: write, runWrangler: () => expect.unreachable() };
    const code = await command(passesOnTo).run(args, context);
    return { code, printed: printed.join("\n"), given: given.splice(0) };
  }

  it("gets its options", async () => {
    expect(await run(["--port", "2", "--now"])).toMatchObject({
      code: 0,
      given: [[{ port: "2", now: true, "dry-run": false }, []]],
    });
  });

  it.each([
    [["--prot", "2"], "There is no option `--prot`. Did you mean `--port`?\nUsage: npm run example"],
    [
      ["--dryrun", "--nwo=1"],
      "no option `--dryrun`. Did you mean `--dry-run`? There is no option `--nwo`. Did you mean",
    ],
    [["--hlep"], "There is no option `--hlep`. Did you mean `--help`?"],
    [["--nonsense", "-n"], "There is no option `--nonsense`. There is no option `-n`.\nUsage:"],
    [["more"], "Unexpected argument 'more'."],
    [["--port"], "Option '--port <value>' argument missing."],
    [["--port", "0"], "There is no port 0."],
    [["--port", ""], "--port has no value. Is a variable not set?\nUsage: npm run example"],
    [["--now", "--port="], "--port has no value. Is a variable not set?"],
  ])("refuses %j in a sentence", async (args, message) => {
    const { code, printed, given } = await run(args);
    expect([code, printed, given]).toEqual([1, expect.stringContaining(message), []]);
  });

  it("passes on what is not its own, in its order, whatever stands in it", async () => {
    const args = ["--var", "A:--now", "--port=2", "--ip", "2", "rest", "--now"];
    const { given } = await run(args, "wrangler dev");
    expect(given).toEqual([[{ port: "2", now: true, "dry-run": false }, ["--var", "A:--now", "--ip", "2", "rest"]]]);
  });

  it("does not pass on an option of its own without its value", async () => {
    expect(await run(["--port"], "wrangler dev")).toMatchObject({ code: 1, given: [] });
  });

  it("keeps the stack of a defect", async () => {
    await expect(run(["--port", "1"])).rejects.toThrow(TypeError);
  });

  it.each([
    ["now", "true"],
    ["now", ""],
    ["port", "3000"],
    ["dry_run", "true"],
  ])("does nothing when npm has kept an option for itself: %s=%j", async (option, value) => {
    const { code, printed, given } = await run([], undefined, { [`npm_config_${option}`]: value });
    expect([code, given]).toEqual([1, []]);
    expect(printed).toContain(
      "Put `--` before the options.\nUsage: npm run example -- [--port <number>] [--now] [--dry-run]",
    );
  });

  it("runs with what npm sets by itself for an option that is also npm's", async () => {
    expect(await run([], undefined, { npm_config_dry_run: "", npm_config_loglevel: "silent" })).toMatchObject({
      code: 0,
    });
  });
});
