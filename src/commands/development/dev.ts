/**
 * `npm run dev`: runs everything on this machine, without any sign-up. Creates local secrets, applies the schema's steps, creates a
 * demo account, prints its credentials, and starts `wrangler dev` with the given arguments. `--databases 2` adds databases to try.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import { importSigningKeys } from "../../worker/credentials/envelope.ts";
import { UnknownSchema } from "../deployment/schema-steps.ts";
import { ensureDemoAccount } from "./demo-account.ts";
import { MAX_DATABASES, writeDevConfig } from "./dev-config.ts";
import { OldIdentifiers, withLocalDatabases } from "./local-database.ts";
import { localCredentialSecrets } from "./local-secrets.ts";
import { takeStateFolder } from "./state-folder.ts";

const DEFAULT_PORT = 8787;
const DEFAULT_STATE_FOLDER = ".wrangler/state";

const args = process.argv.slice(2);
const { values, tokens } = parseArgs({
  args,
  options: { port: { type: "string" }, "persist-to": { type: "string" }, databases: { type: "string" } },
  strict: false,
  tokens: true,
});
// Everything else is wrangler's.
const own = tokens.flatMap((token) =>
  token.kind === "option" && token.name === "databases" ? [token.index, token.inlineValue ? -1 : token.index + 1] : [],
);
const passedOn = args.filter((_, index) => !own.includes(index));
const port = typeof values.port === "string" ? await checkPort(values.port) : await findFreePort(DEFAULT_PORT);
const databases = checkDatabases(values.databases);
const stateFolder = typeof values["persist-to"] === "string" ? values["persist-to"] : DEFAULT_STATE_FOLDER;
if (values.port === undefined && port !== DEFAULT_PORT) console.log(`Port ${DEFAULT_PORT} is taken: using ${port}.`);
await takeStateFolder(stateFolder, port).catch((error: Error) => fail(error.message));

const config = await writeDevConfig(databases);
const keys = await importSigningKeys(await localCredentialSecrets());
await withLocalDatabases(config ?? "wrangler.toml", stateFolder, async ([first, ...others]) => {
  if (first === undefined) return fail("wrangler.toml has no D1 database.");
  const { apiKey, token, proposalId } = await ensureDemoAccount(first, first.database, stateFolder, keys);
  const origin = `http://localhost:${port}`;
  // The token is in the fragment: the browser keeps it to itself, and no file that could be deployed holds it.
  console.log(`
Open this when the server below is ready: ${origin}/#token=${token}

API key: ${apiKey}
Token: ${token}

curl -i ${origin}/tenant/whoami -H 'X-API-Key: ${apiKey}'
curl -i ${origin}/public/ideabank/changelog -H 'Authorization: ${token}'
curl -i ${origin}/ideabank -H 'Authorization: ${token}'
curl -i '${origin}/ideabank/proposals?sort=top' -H 'Authorization: ${token}'
curl -i ${origin}/ideabank/proposals -H 'Authorization: ${token}' --json '{"title":"Night buses","description":"Every half hour, all week."}'
curl -i -X PUT ${origin}/ideabank/proposals/${proposalId}/vote -H 'Authorization: ${token}'

API reference: ${origin}/reference
Account Settings: ${origin}/account/api-keys
`);
  for (const other of others) {
    const demo = await ensureDemoAccount(other, first.database, stateFolder, keys);
    console.log(`${other.binding} API key: ${demo.apiKey}\n${other.binding} Token: ${demo.token}\n`);
  }
}).catch((error: unknown) => {
  if (!(error instanceof UnknownSchema || error instanceof OldIdentifiers)) throw error;
  fail(`${error.message} To start over without its data: rm -rf ${stateFolder}`);
});

const wrangler = spawn(
  "wrangler",
  // wrangler.toml minifies what is deployed. Here a stack trace names functions and lines.
  [
    "dev",
    "--minify=false",
    ...(config === undefined ? [] : ["--config", config]),
    ...(values.port === undefined ? ["--port", String(port)] : []),
    ...passedOn,
  ],
  {
    stdio: "inherit",
    shell: process.platform === "win32",
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => wrangler.kill(signal));
wrangler.on("exit", (code) => process.exit(code ?? 1));

// npm does not forward SIGTERM. When npm has ended, this process has to stop the server.
const parent = process.ppid;
setInterval(() => process.ppid === parent || wrangler.kill("SIGTERM"), 1_000).unref();

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The requested port, if it is valid and free. */
async function checkPort(text: string): Promise<number> {
  const wanted = Number(text);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65_535)
    fail(`--port ${text}: a port is a number from 1 to 65535.`);
  if (!(await isFree(wanted))) fail(`Port ${wanted} is in use. Try another: npm run dev -- --port ${wanted + 1}`);
  return wanted;
}

function checkDatabases(wanted: unknown = "1"): number {
  const count = Number(wanted);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_DATABASES) return count;
  return fail(`--databases ${wanted}: a number from 1 to ${MAX_DATABASES}.`);
}

/** The first free port from `first` on, so that the printed commands are right. */
async function findFreePort(first: number): Promise<number> {
  for (let candidate = first; candidate < first + 100; candidate++) if (await isFree(candidate)) return candidate;
  return fail(`No port is free between ${first} and ${first + 99}. Name one: npm run dev -- --port 9000`);
}

function isFree(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(candidate, "localhost", () => probe.close(() => resolve(true)));
  });
}
