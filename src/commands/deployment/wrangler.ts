/** Calls of wrangler, the first one on the PATH: npm scripts find the project's own. */
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { Failure } from "./failure.ts";

export type WranglerOptions = {
  /** Written to its standard input: for secrets, which never stand on a command line. */
  readonly input?: string;
  readonly env?: Record<string, string>;
  /** Shows its output while it runs. */
  readonly show?: boolean;
};

export type WranglerResult = { readonly ok: boolean; readonly stdout: string; readonly stderr: string };

/** One environment of wrangler.toml: "" is the top level. Every call names it, so that none acts on another by mistake. */
export class Wrangler {
  readonly environment: string;
  /** Chosen once, and the same for all calls. */
  accountId: string | undefined;

  constructor(environment: string) {
    this.environment = environment;
  }

  /** Resolves when it has ended, in whatever way. */
  try(args: readonly string[], { input = "", env = {}, show = false }: WranglerOptions = {}): Promise<WranglerResult> {
    return new Promise((resolve, reject) => {
      const account = this.accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: this.accountId };
      const child = spawn("wrangler", [...args, "--env", this.environment], {
        env: { ...process.env, ...account, ...env },
        stdio: ["pipe", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        if (show) process.stdout.write(text);
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
        if (show) process.stderr.write(text);
      });
      // A wrangler that ends before it has read its input closes the pipe: its exit code says what happened.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      child.once("error", reject);
      child.once("close", (code) => resolve({ ok: code === 0, stdout, stderr }));
    });
  }

  /** Its standard output. Throws a Failure that has what it wrote, if it failed. */
  async run(args: readonly string[], options: WranglerOptions = {}): Promise<string> {
    const result = await this.try(args, options);
    if (result.ok) return result.stdout;
    throw new Failure(
      [`\`wrangler ${args.join(" ")}\` failed:`, ...(options.show ? [] : [messageOf(result)])].join("\n"),
    );
  }

  /** What it printed as JSON. Wrangler may print lines before it. */
  async json<T>(args: readonly string[]): Promise<T> {
    const stdout = await this.run(args);
    const start = stdout.search(/^[[{]/m);
    try {
      return JSON.parse(stdout.slice(start));
    } catch {
      throw new Failure(`\`wrangler ${args.join(" ")}\` printed no JSON:\n${stdout.trim()}`);
    }
  }
}

/** What a failed call wrote, standard error first, without colors and empty lines. Wrangler colors what it writes into a pipe, too. */
export const messageOf = ({ stdout, stderr }: WranglerResult): string =>
  stripVTControlCharacters(`${stderr}\n${stdout}`)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n");
