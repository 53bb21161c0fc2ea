/** What the README tells a reader to paste, pasted; and what the other documents do, read by a shell. */
import { execFileSync, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, startDev } from "../support/node/checkout.ts";
import { block, listDocuments, shellBlocks } from "../support/node/documents.ts";
import { endWithUs } from "../support/node/end-with-us.ts";

/**
 * An interactive shell that text is pasted into. It differs from `sh -c`: to zsh a `#` is a command and not a comment, an
 * apostrophe opens a quote that swallows what follows, and bash expands `!`. Without the user's own settings, which could turn
 * comments on.
 */
const ARGUMENTS = { zsh: ["-f", "-i"], bash: ["--norc", "--noprofile", "-i"] };

type Shell = keyof typeof ARGUMENTS;

const SHELLS = Object.keys(ARGUMENTS) as Shell[];

/** What the commands printed, and what they and the shell complained of. The prompts are among the complaints. */
function pasteInto(
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

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let walkThrough: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  server = await startDev(checkout.folder, "--port", String(port));
  walkThrough = block("README.md", "walk-through");
});

afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

describe.each(SHELLS)("the README's walk-through, pasted into an interactive %s,", (shell) => {
  it("leads from an API key to a panelist who reads the new entry", async () => {
    const { output, complaints } = await pasteInto(shell, walkThrough, checkout.folder);
    expect(complaints).not.toMatch(/not found|unmatched|parse error|syntax error|curl: /);
    expect(JSON.parse(output.slice(output.lastIndexOf('{\n  "items"')))).toEqual({
      items: [{ title: "Night buses", description: "Every half hour, all week.", lastModified: expect.any(Number) }],
    });
  });

  it("goes on with a change of what was seen, as docs/api.md has it", async () => {
    const code = `${walkThrough}\n${block("docs/api.md", "if-match")}\necho "$ETAG"\n`;
    const { output, complaints } = await pasteInto(shell, code, checkout.folder);
    expect(complaints).not.toMatch(/not found|unmatched|parse error|syntax error|curl: /);
    expect(output).toContain('"title":"Dark mode on the map"');
  });

  it("shows what is wrong when a request fails", async () => {
    const wrong = walkThrough.replace(/^KEY=.*$/m, "KEY=ibk_wrong");
    const { complaints } = await pasteInto(shell, wrong, checkout.folder);
    expect(complaints).toContain("The requested URL returned error: 401");
    expect(complaints).toContain('"error":"unauthorized"');
  });
});

it.each(listDocuments())("%s leaves no quote open in what can be pasted", (document) => {
  for (const code of shellBlocks(document)) execFileSync("bash", ["-n"], { input: code });
});
