/** Wrangler, for one environment of wrangler.toml. */
import { stripVTControlCharacters } from "node:util";
import type { Context } from "../../command-line/context.ts";
import { Failure } from "../../command-line/failure.ts";
import { tellWhileWaiting } from "../../command-line/progress.ts";
import type { WranglerResult } from "../../command-line/run-wrangler.ts";
import { shellWord } from "../arguments.ts";

type WranglerOptions = {
  /** Written to its standard input: for secrets, which never stand on a command line. */
  readonly input?: string;
  readonly variables?: Record<string, string>;
  /** Shows its output while it runs. */
  readonly show?: boolean;
};

/** "" is the top level. Every call names the environment, so that none acts on another by mistake. */
export class Wrangler {
  readonly context: Context;
  readonly environment: string;
  /** Chosen once, and the same for all calls. */
  accountId: string | undefined;

  constructor(context: Context, environment: string) {
    this.context = context;
    this.environment = environment;
  }

  /** Resolves when it has ended, in whatever way. */
  async try(
    args: readonly string[],
    { input = "", variables = {}, show = false }: WranglerOptions = {},
  ): Promise<WranglerResult> {
    const account = this.accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: this.accountId };
    const stop = show ? undefined : tellWhileWaiting(this.context, `wrangler ${args.slice(0, 2).join(" ")}`);
    try {
      return await this.context.runWrangler({
        args: [...args, "--env", this.environment],
        folder: this.context.folder,
        variables: { ...this.context.variables, ...account, ...variables },
        input,
        show,
      });
    } finally {
      stop?.();
    }
  }

  /** Its standard output. Throws a Failure with its messages if it failed. */
  async run(args: readonly string[], options: WranglerOptions = {}): Promise<string> {
    const result = await this.try(args, options);
    if (result.ok) return result.stdout;
    throw new Failure([`\`${lineOf(args)}\` failed:`, ...(options.show ? [] : [messageOf(result)])].join("\n"));
  }

  /** The JSON that it printed. Wrangler may print other lines before it. */
  async json<T>(args: readonly string[]): Promise<T> {
    const stdout = await this.run(args);
    const start = stdout.search(/^[[{]/m);
    try {
      return JSON.parse(stdout.slice(start));
    } catch {
      throw new Failure(`\`${lineOf(args)}\` printed no JSON:\n${stdout.trim()}`);
    }
  }
}

/** Without the text of a statement, which may have hundreds of characters and tells an operator nothing. */
const lineOf = (args: readonly string[]): string =>
  ["wrangler", ...args.map((arg, index) => (args[index - 1] === "--command" ? "…" : shellWord(arg)))].join(" ");

/** The messages of a failed call, standard error first, without colors and empty lines. Wrangler colors its output even in a pipe. */
export function messageOf({ stdout, stderr }: WranglerResult): string {
  const text = stripVTControlCharacters(`${stderr}\n${withoutJson(stdout)}`);
  // Wrangler's own lines about it end with a log file and a bug report.
  if (/^(?:✘ \[ERROR\] )?fetch failed$/m.test(text)) return NO_CLOUDFLARE;
  return text
    .replaceAll(IN_THE_STATEMENT, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n");
}

const NO_CLOUDFLARE =
  "Cloudflare's API does not answer. Check this machine's network, firewall, VPN and proxy, and try again.";

/** Where SQLite found the fault: nothing to somebody who has not written the statement. */
const IN_THE_STATEMENT = /(?: at offset \d+)?: SQLITE_ERROR(?: \[code: \d+\])?/g;

/** With `--json` wrangler prints its error as JSON, too. */
function withoutJson(stdout: string): string {
  try {
    const { error }: { error: { text: string; notes?: { text: string }[] } } = JSON.parse(stdout);
    return [error, ...(error.notes ?? [])].map(({ text }) => text).join("\n");
  } catch {
    return stdout;
  }
}
