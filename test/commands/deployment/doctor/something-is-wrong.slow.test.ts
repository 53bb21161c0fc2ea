/**
 * "Something is wrong" in docs/operations.md: what each row says is broken, and its first command shows it. Rows whose first
 * command asks the running Worker (`curl`, `wrangler tail`) are tried by the tests of what they ask.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { account, edit, sql, useAccount, well } from "../../../support/node/backed-up-account.ts";
import { answerAsWrangler } from "../../../support/node/stand-in/wrangler.ts";

useAccount();

const page = readFileSync("docs/operations.md", "utf8");
const [, section = ""] = /^## Something is wrong\n([\s\S]*?)^## /m.exec(page) ?? [];
const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)]
  .map(([, symptom = "", command = ""]) => ({ symptom, command: /^`([^`]+)`$/.exec(command)?.[1] ?? command }))
  .filter(({ command }) => /^np[mx] /.test(command) && !command.startsWith("npx wrangler tail"));

const KEY = "0ApiKey00001";
const ACCOUNT = "0Account0001";
const seed = (...more: string[]) =>
  sql(
    "DB",
    `INSERT INTO accounts (id, owner_email, created_at) VALUES ('${ACCOUNT}', 'tenant@example.com', 1)`,
    `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at) VALUES ('${KEY}', '${ACCOUNT}', 'Shop', 'h', '[]', 1)`,
    ...more,
  );
const event = (name: string) =>
  `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, subject_id, actor, created_at)
   VALUES ('0Event000001', '${ACCOUNT}', '${name}', '${KEY}', 'Shop', '0Bank0000001', 'the operator', 1000)`;
const webhook = (id: string, columns: string, values: string) =>
  `INSERT INTO webhooks (id, account_id, url, secret, created_at, number, ${columns})
   VALUES ('${id}', '${ACCOUNT}', 'https://x.example/', 's', 1, 0, ${values})`;
const HOUR_MS = 3_600_000;

/** The way to break it, and what the first command has to show. */
const TRIES: Record<string, { readonly breaks: () => unknown; readonly shows: readonly RegExp[] }> = {
  "Everything fails": {
    breaks: () => {
      const detail = "Something went wrong.";
      for (const path of ["/health", "/tenant/whoami", "/account/api/accounts"])
        account.answers[path] = { status: 500, body: JSON.stringify({ detail }) };
    },
    shows: [/^- \/health is answered with 500: Something went wrong\.\n {2}Fix: npx wrangler tail/m],
  },
  "A part of it fails": {
    breaks: () => sql("DB", "DROP TABLE comments"),
    shows: [/^- DB is incomplete: it has no table comments, .*\n {2}Fix: npm run restore/m],
  },
  "One tenant gets 429": {
    breaks: () => seed("UPDATE api_keys SET rate_limit = 5"),
    shows: [new RegExp(`^ {2}${KEY} {2}Shop: 5 requests in 60 s$`, "m")],
  },
  "One tenant gets 401 or 403": {
    breaks: () => seed(event("revoked")),
    shows: [new RegExp(`^1970-01-01T00:00:01.000Z {2}revoked {2}${KEY} .* by the operator$`, "m")],
  },
  "Nobody can sign in": {
    breaks: () => edit((toml) => toml.replace(/^ACCESS_AUD = .*$/m, 'ACCESS_AUD = ""')),
    shows: [/^- Access has no audience: .*\n {2}Fix: /m],
  },
  "Webhooks are late": {
    breaks: () =>
      seed(
        webhook("w1", "failing_since, due_at, attempts", `${Date.now() - 2 * HOUR_MS}, ${Date.now() + HOUR_MS}, 3`),
        webhook("w2", "due_at", String(Date.now() - HOUR_MS)),
        webhook("w3", "state", "'failed'"),
      ),
    shows: [
      new RegExp(
        `failed for more than an hour, and are tried again: 1 \\(account ${ACCOUNT}: 1\\)\n {2}Fix: npm run account -- show`,
      ),
      /waited for the scheduled job for more than ten minutes: 1\n/,
      new RegExp(`no longer receive anything: 1 \\(account ${ACCOUNT}: 1\\)\n`),
    ],
  },
  "A deployment broke it": {
    breaks: () => well("deploy", "--wait", "0"),
    shows: [/"created_on": "2026-01-01T00:00:00\.000Z"/, /"version_id": "version-1"/],
  },
  "A key or a secret has leaked": {
    breaks: () => seed(),
    shows: [new RegExp(`^Would revoke the API key ${KEY} \\(Shop\\) of tenant@example\\.com\\.`, "m")],
  },
  "Data is missing": {
    breaks: () => seed(event("ideabank-deleted")),
    shows: [/^1970-01-01T00:00:01.000Z {2}ideabank-deleted {2}.*0Bank0000001.* by the operator$/m],
  },
  "Storage is full (409)": {
    breaks: () => seed(`UPDATE accounts SET stored_bytes = max_bytes WHERE id = '${ACCOUNT}'`),
    shows: [new RegExp(`^${ACCOUNT} {2}tenant@example\\.com: .* 512\\.0 of 512\\.0 MiB`, "m")],
  },
};

/** What the command of the table prints. */
async function run(command: string): Promise<string> {
  const given: Record<string, string> = { "<url>": account.origin, "<account>": ACCOUNT, "<key>": KEY };
  const [program, , ...words] = command.split(" ").map((word) => given[word] ?? word);
  if (program === "npx") {
    const [args, variables] = [command.split(" ").slice(2), { CLOUDFLARE_ACCOUNT_ID: undefined }];
    return answerAsWrangler(account.folder, { args, folder: account.checkout, variables, input: "", show: false })
      .stdout;
  }
  const [name = "", ...args] = words.filter((word) => word !== "--");
  return (await account.run(name as Parameters<typeof account.run>[0], ...args)).stdout;
}

it.each(rows)("$symptom: `$command` shows it", async ({ symptom, command }) => {
  const { breaks, shows } = TRIES[symptom] ?? expect.unreachable("say in TRIES how to break it, and what is shown");
  if (!["A deployment broke it"].includes(symptom)) await well("deploy", "--wait", "0");
  await breaks();
  const printed = await run(command);
  for (const what of shows) expect(printed).toMatch(what);
});

it("no row has a try that nobody needs", () =>
  expect(Object.keys(TRIES).toSorted()).toEqual(rows.map(({ symptom }) => symptom).toSorted()));
