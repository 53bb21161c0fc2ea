/** A copy of the project like a fresh checkout: without ignored and local files. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { endWithUs } from "./end-with-us.ts";

const SOURCES = ["package.json", "tsconfig.json", "wrangler.toml", "migrations", "src", "public", "docs/api.md"];

/** `shared`: what is not copied. Copying all takes a second: whoever writes into none of it shares it. */
export async function makeCheckout(
  shared: readonly string[] = [],
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  for (const source of SOURCES) {
    if (!shared.includes(source)) await cp(source, join(folder, source), { recursive: true });
  }
  for (const source of [...shared, "node_modules"]) await symlink(resolve(source), join(folder, source), "dir");
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** `kill` ends every process of it at once, as a crash does. `pid` leads their group. */
export type DevServer = {
  readonly output: string;
  readonly pid: number;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
};

/** The debugger's port is whichever is free then: two servers that start at the same time would choose the same one. */
const ANY_DEBUGGER_PORT = ["--inspector-port", "0"];

/** Runs `npm run dev` until it is ready: when it has printed its last line. */
export const startDev = (folder: string, ...args: string[]): Promise<DevServer> => startDevWith([], folder, ...args);

/** With variables of the environment, such as `HOME=/dev/null`. */
export const startDevWith = (variables: readonly string[], folder: string, ...args: string[]): Promise<DevServer> =>
  startAsTyped(folder, [...variables, "npm", "run", "dev", "--", ...args, ...ANY_DEBUGGER_PORT]);

/** Runs `npx wrangler dev` until it is ready. */
export const startWrangler = (folder: string, ...args: string[]): Promise<DevServer> =>
  start(folder, ["node_modules/.bin/wrangler", "dev", ...args, ...ANY_DEBUGGER_PORT], /Ready on http/);

/** Runs a line that starts `npm run dev`, with nothing added. */
export const startAsTyped = (folder: string, command: readonly string[]): Promise<DevServer> =>
  start(folder, command, /^Board: \S+\n/m);

async function start(folder: string, command: readonly string[], isReady: RegExp): Promise<DevServer> {
  const child: ChildProcess = spawn("env", ["-u", "CREDENTIAL_SECRETS", ...command], {
    cwd: folder,
    env: { ...process.env, CI: "true" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithUs(child);
  let output = "";
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  await new Promise<void>((ready, fail) => {
    const listen = (chunk: Buffer) => {
      output += chunk;
      if (isReady.test(output)) ready();
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("close", (code) => fail(new Error(`${command.join(" ")} ended with ${code}:\n${output}`)));
  });
  const { pid = 0 } = child;
  const endWith = async (signal: NodeJS.Signals) => {
    // The whole group, as Ctrl-C in a terminal does.
    if (pid > 0 && child.exitCode === null && child.signalCode === null) process.kill(-pid, signal);
    await ended;
  };
  const kill = async () => {
    await endWith("SIGKILL");
    // A killed process has its number until the system has taken notice, and the next start would find it running.
    while (groupExists(pid)) await setTimeout(20);
  };
  return { output, pid, stop: () => endWith("SIGINT"), kill };
}

/** Whether anything is left of the group of processes that `pid` has led. */
export function groupExists(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** A free port below the range that systems assign themselves (from 32768 on). */
export async function freePort(): Promise<number> {
  for (;;) {
    const candidate = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(candidate, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (free) return candidate;
  }
}

/** Runs a line as a developer would paste it. */
export const paste = async (line: string) => (await promisify(execFile)("sh", ["-c", line])).stdout;

/** Without what a command says only when it takes long, as it does on a busy machine. */
export const withoutProgress = (printed: string): string =>
  printed.replaceAll(/^(?:Still waiting for|Deleted so far:) .*\n/gm, "");

/** Runs one of the project's commands there. Returns what it printed on either output, and its status as the last line. */
export async function runCommand(folder: string, command: string, variables = ""): Promise<string> {
  return withoutProgress(
    await paste(`cd '${folder}' && ${variables} npm run --silent ${command} 2>&1; echo "exit $?"`),
  );
}
