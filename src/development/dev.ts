/**
 * `npm run dev`: everything on this machine, nothing to sign up for. Makes local secrets, loads the schema, seeds a demo
 * account, prints its credentials, and starts `wrangler dev` with whatever arguments follow.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import { importSigningKeys } from "../credentials/envelope.ts";
import { ensureDemoAccount } from "./demo-account.ts";
import { withLocalDatabase } from "./local-database.ts";
import { localCredentialSecrets } from "./local-secrets.ts";

const DEFAULT_PORT = 8787;
const DEFAULT_STATE_FOLDER = ".wrangler/state";

const passedOn = process.argv.slice(2);
const { values } = parseArgs({
  args: passedOn,
  options: { port: { type: "string" }, "persist-to": { type: "string" } },
  strict: false,
});
const port = typeof values.port === "string" ? values.port : String(await findFreePort(DEFAULT_PORT));
const stateFolder = typeof values["persist-to"] === "string" ? values["persist-to"] : DEFAULT_STATE_FOLDER;

const keys = await importSigningKeys(await localCredentialSecrets());
await withLocalDatabase(stateFolder, async (database) => {
  const { apiKey, token } = await ensureDemoAccount(database, stateFolder, keys);
  const origin = `http://localhost:${port}`;
  console.log(`
A demo account is ready.

API key: ${apiKey}
Token: ${token}

When the server below is ready, try:

curl -i ${origin}/tenant/whoami -H 'X-API-Key: ${apiKey}'
curl -i ${origin}/public/ideabank/changelog -H 'Authorization: ${token}'
curl -i ${origin}/ideabank -H 'Authorization: ${token}'
`);
});

const wrangler = spawn("wrangler", ["dev", ...(values.port === undefined ? ["--port", port] : []), ...passedOn], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => wrangler.kill(signal));
wrangler.on("exit", (code) => process.exit(code ?? 1));

/** The first port from `first` on that nobody listens on, so that the printed commands are right. */
async function findFreePort(first: number): Promise<number> {
  for (let candidate = first; candidate < first + 100; candidate++) {
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once("error", () => resolve(false));
      probe.listen(candidate, "localhost", () => probe.close(() => resolve(true)));
    });
    if (free) return candidate;
  }
  throw new Error(`no free port between ${first} and ${first + 99}; name one: npm run dev -- --port 9000`);
}
