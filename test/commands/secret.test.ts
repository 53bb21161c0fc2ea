/** Secrets in environment variables: what no header can have is refused before anything is sent, and is not printed. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { account } from "../../src/commands/deployment/accounts/account-command.ts";
import { suspend } from "../../src/commands/deployment/accounts/suspend.ts";
import { importIdeas } from "../../src/commands/import/import.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "secret-"));
  await writeFile(join(folder, "ideas.csv"), "id,title\n1,One\n");
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

const SECRET = "0123456789abcdef0123456789abcdef";
const url = ["--url", "https://api.example.com"];
const commands = [
  { name: "OPERATOR_SECRET", command: suspend, args: ["owner@example.com", ...url] },
  { name: "OPERATOR_SECRET", command: account, args: ["revoke", "0ApiKey00001", ...url] },
  {
    name: "API_KEY",
    command: importIdeas,
    args: ["--from", "csv", "ideas.csv", "--idea-bank", "b4nKb4nKb4nK", ...url],
  },
];

async function run({ name, command, args }: (typeof commands)[number], secret: string) {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", async (_: unknown, { headers }: RequestInit) => {
    fetched.push(JSON.stringify(headers));
    return Response.json({ detail: "refused" }, { status: 401 });
  });
  let printed = "";
  const print = (line: string) => {
    printed += `${line}\n`;
  };
  const runWrangler = () => expect.unreachable("it needs no wrangler");
  const variables = { [name]: secret };
  const code = await command.run(args, {
    folder,
    variables,
    print,
    complain: print,
    ask: async () => "yes",
    runWrangler,
  });
  return { code, printed, fetched };
}

it.each(commands)("$name with a line break or a foreign character in it is not sent and not printed", async (one) => {
  for (const secret of [`${SECRET}\nsecond`, `${SECRET}\r\nsecond`, `${SECRET}…`]) {
    const { code, printed, fetched } = await run(one, secret);
    expect([code, fetched]).toEqual([1, []]);
    expect(printed).toContain(`${one.name} has a line break, or another character`);
    expect(printed).not.toContain(SECRET);
  }
});

it.each(commands)("$name is sent without the line break at its end", async (one) => {
  const { fetched } = await run(one, `${SECRET}\n`);
  expect(fetched).toEqual([expect.stringMatching(`${SECRET}"`)]);
});
