/**
 * An interactive shell that text is pasted into. It differs from `sh -c`: to zsh a `#` is a command and not a comment, an
 * apostrophe opens a quote that swallows what follows, and bash expands `!`.
 */
import { spawn } from "node:child_process";
import { endWithUs } from "./end-with-us.ts";

/** Without the user's own settings, which could turn comments on. */
const ARGUMENTS = { zsh: ["-f", "-i"], bash: ["--norc", "--noprofile", "-i"] };

export type Shell = keyof typeof ARGUMENTS;

export const SHELLS = Object.keys(ARGUMENTS) as Shell[];

/** What the commands printed, and what they and the shell complained of. The prompts are among the complaints. */
export function pasteInto(
  shell: Shell,
  text: string,
  folder: string,
): Promise<{ readonly output: string; readonly complaints: string }> {
  return new Promise((resolve, reject) => {
    // In a session of its own: an interactive shell takes the terminal of whoever runs the tests. It saves no history.
    const options = { cwd: folder, detached: true, env: { ...process.env, HISTFILE: "" } };
    const child = spawn(shell, ARGUMENTS[shell], options);
    endWithUs(child);
    let output = "";
    let complaints = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      complaints += chunk;
    });
    child.once("error", reject);
    child.once("close", () => resolve({ output, complaints }));
    child.stdin.end(`${text}\n`);
  });
}
