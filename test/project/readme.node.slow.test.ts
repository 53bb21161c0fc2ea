/** What the README tells a reader to paste, pasted; and what the other documents do, read by a shell. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, startDev } from "../support/node/checkout.ts";
import { block, listDocuments, shellBlocks } from "../support/node/documents.ts";
import { pasteInto, SHELLS } from "../support/node/interactive-shell.ts";

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

  it("goes on with a survey, as docs/surveys.md has it", async () => {
    const code = `${walkThrough}\n${block("docs/surveys.md", "ask")}`;
    const { output, complaints } = await pasteInto(shell, code, checkout.folder);
    expect(complaints).not.toMatch(/not found|unmatched|parse error|syntax error|curl: /);
    expect(JSON.parse(output.slice(output.lastIndexOf('{\n  "responses"')))).toMatchObject({
      responses: 1,
      questions: [
        { id: "recommend", mean: 9, nps: { score: 100 } },
        { id: "why", notShown: 1 },
        { id: "next", answered: 1 },
      ],
    });
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
