/** What docs/operations.md shows as the output of a command is what the command prints. */
import { readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { account, edit, fileOf, sql, useAccount, well } from "../../support/node/backed-up-account.ts";

useAccount();

const page = readFileSync("docs/operations.md", "utf8");
/** Blocks of code without a language. */
const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  .filter(([, language]) => language === "")
  .map(([, , text = ""]) => text.trimEnd().split("\n"));

/** Shown while it deploys. */
const OF_WRANGLER = /^(?:Uploaded |Deployed | {2}http| {2}schedule:|Current Version ID:)/;

/** Without what differs from run to run. */
const inForm = (line: string) =>
  line
    .replaceAll(account.origin, "https://api.example.com")
    .replace(/\((?:[0-9a-f]{32}|account-\d)\)/, "(an account)")
    .replace(/, version \S+$/, ", version V")
    .replace(/\d+ seconds/, "N seconds")
    .replace(/rehearsal-\S+/, "rehearsal-T")
    .replace(/\d{4}-\d\d-\d\d/, "DATE")
    .replace(/\(\d+ s\)$/, "(N s)");

/** How each is printed, by its first word. */
const PRINTS: Record<string, () => Promise<string>> = {
  Account: async () => {
    account.change({ databases: [] });
    rmSync(fileOf("DB"));
    edit((toml) => toml.replace('database_id = "d1-id-0"\n', ""));
    const { stdout } = await account.run("deploy", "--database-location", "weur", "--wait", "0");
    const lines = stdout.split("\n");
    const later = lines.filter((line) => line.startsWith("Schema")).slice(1);
    return lines.filter((line) => !later.includes(line)).join("\n");
  },
  Results: async () => {
    const { stdout } = await account.run(
      "rehearse",
      "--env",
      "staging",
      "--url",
      account.origin,
      "--wait",
      "0",
      "--yes",
    );
    return stdout.slice(stdout.indexOf("Results of the rehearsal:"));
  },
  CREDENTIAL_SECRETS_2: async () => {
    await well("deploy", "--wait", "0");
    const keys = Array.from({ length: 11 }, (_, index) => `('more${index}', 'a1', 'K', 'h', '[]', 1)`);
    sql("DB", `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at) VALUES ${keys}`);
    return well("rotate-secret", "--wait", "0");
  },
  "owner@example.com": async () => {
    const answer = { accountId: "0DemoAccount", status: "suspended", apiKeys: 2, sessionsEnded: true };
    account.answers["/operator/account-status"] = { status: 200, body: JSON.stringify(answer) };
    const args = ["suspend", "owner@example.com", "--url", account.origin, "--yes"] as const;
    const { stdout } = await account.runWith({ OPERATOR_SECRET: "secret" }, ...args);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    return stdout;
  },
};

it.each(blocks.map((lines) => [lines[0]?.split(" ")[0] ?? "", lines] as const))(
  "the output that begins with %s",
  async (first, lines) => {
    const print = PRINTS[first];
    if (print === undefined) return expect.unreachable("say in PRINTS which command prints it");
    const own = (await print()).split("\n").filter((line) => line !== "" && !OF_WRANGLER.test(line));
    const printed = own.slice(0, lines.length);
    expect(printed.map(inForm)).toEqual(lines.map(inForm));
  },
);

it("each is tried", () => expect(blocks).toHaveLength(Object.keys(PRINTS).length));
