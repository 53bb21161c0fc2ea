/** Calls of wrangler, the first one on the PATH: npm scripts find the project's own. */
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { Failure } from "./failure.ts";

export type WranglerCall = {
  readonly args: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input: for secrets, which never stand on a command line. */
  readonly input: string;
  /** Whether its output is shown while it runs. */
  readonly show: boolean;
};

export type WranglerResult = { readonly ok: boolean; readonly stdout: string; readonly stderr: string };

/** Wrangler colors its output even in a pipe. A file and another program get none of it. */
export const forReader = ({ isTTY }: { readonly isTTY: boolean }, text: string): string =>
  isTTY ? text : stripVTControlCharacters(text);

const startProblemOf = (error: Error): string =>
  "code" in error && error.code === "ENOENT" ? "it is not on the PATH" : error.message;

/** Resolves when it has ended, in whatever way. */
export type RunWrangler = (call: WranglerCall) => Promise<WranglerResult>;

export const spawnWrangler: RunWrangler = ({ args, folder, variables, input, show }) =>
  new Promise((resolve, reject) => {
    const child = spawn("wrangler", args, {
      cwd: folder,
      env: { ...process.env, ...variables },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (show) process.stdout.write(forReader(process.stdout, text));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (show) process.stderr.write(forReader(process.stderr, text));
    });
    // A wrangler that ends before it has read its input closes the pipe. Its exit code tells the reason.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.once("error", (error) =>
      reject(
        new Failure(
          `wrangler cannot be started: ${startProblemOf(error)}. Run \`npm ci\`, and start the command with \`npm run\`.`,
        ),
      ),
    );
    child.once("close", (code) => resolve({ ok: code === 0, stdout, stderr }));
  });
