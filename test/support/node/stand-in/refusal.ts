/** What wrangler says when it refuses, and how it ends. */
import type { WranglerResult } from "../../../../src/commands/command-line/run-wrangler.ts";

export class Refusal extends Error {
  readonly result: WranglerResult;

  /** A message is written in wrangler's colors: the first line is bold. */
  constructor(answer: string | WranglerResult) {
    super("refused");
    this.result = typeof answer === "string" ? { ok: false, stdout: "", stderr: `\n${colored(answer)}\n` } : answer;
  }
}

function colored(message: string): string {
  const [first, ...more] = message.split("\n");
  const text = [`\x1b[1m${first}\x1b[0m`, ...more].join("\n");
  return `\x1b[31m✘ \x1b[41;31m[\x1b[41;97mERROR\x1b[41;31m]\x1b[0m ${text}`;
}
