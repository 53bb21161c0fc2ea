/**
 * A stand-in for wrangler: an account in a folder. It records its calls, keeps databases in SQLite files, and answers with what
 * wrangler 4.156.2 prints (taken from its code). It refuses what wrangler refuses. STAND_IN is the folder.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { AccountState } from "./account-state.ts";

const folder = process.env.STAND_IN ?? "";
const file = join(folder, "state.json");
const state: AccountState = JSON.parse(readFileSync(file, "utf8"));
const argv = process.argv.slice(2);
const { values, positionals } = parseArgs({
  args: argv,
  allowPositionals: true,
  strict: false,
  options: {
    env: { type: "string" },
    command: { type: "string" },
    file: { type: "string" },
    location: { type: "string" },
    format: { type: "string" },
    message: { type: "string" },
    outdir: { type: "string" },
  },
});
const environment = String(values.env ?? "");
const sections = readSections(readFileSync("wrangler.toml", "utf8"));
const worker = `${sections.get("")?.[0]?.name}${environment && `-${environment}`}`;
const called = positionals.join(" ");
const input = called.startsWith("secret put") ? readFileSync(0, "utf8") : "";

state.calls.push({ args: argv, account: process.env.CLOUDFLARE_ACCOUNT_ID });
const failure = state.failures.findIndex((start) => argv.join(" ").startsWith(start.replace(/!$/, "")));
if (failure !== -1) {
  const [start = ""] = state.failures.splice(failure, 1);
  // "!" at the end: it did its work, and the connection broke before the answer.
  if (start.endsWith("!")) answer();
  end(1, "", "✘ [ERROR] A request to the Cloudflare API failed.");
}
end(0, answer());

/** The sections of this environment with their keys. Loading wrangler's own reader takes a second, for each call. */
function readSections(toml: string): Map<string, Record<string, string>[]> {
  const found = new Map<string, Record<string, string>[]>();
  let keys: Record<string, string> = {};
  for (const line of `[]\n${toml}`.split("\n")) {
    const [, header] = /^\[+([^\]]*)\]+$/.exec(line) ?? [];
    if (header !== undefined) {
      keys = {};
      const name = header.startsWith(`env.${environment}.`) ? header.slice(`env.${environment}.`.length) : header;
      const foreign =
        environment !== "" && name === header && /^(d1_databases|kv_namespaces|vars|secrets)$/.test(header);
      if (!foreign) found.set(name, [...(found.get(name) ?? []), keys]);
    }
    const [, key, value] = /^(\w+) = \[?"?([^"#]*)"?/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) keys[key] = value;
  }
  return found;
}

function end(code: number, stdout: string, stderr = ""): never {
  writeFileSync(file, JSON.stringify(state));
  if (stdout) console.log(stdout);
  if (stderr) console.error(stderr);
  process.exit(code);
}

/** In wrangler's colors: the first line is bold. */
function refuse(message: string): never {
  const [first, ...more] = message.split("\n");
  const text = [`\x1b[1m${first}\x1b[0m`, ...more].join("\n");
  end(1, "", `\n\x1b[31m✘ \x1b[41;31m[\x1b[41;97mERROR\x1b[41;31m]\x1b[0m ${text}\n`);
}

function answer(): string {
  const [first, second, third, fourth] = positionals;
  if (called === "whoami") {
    if (!state.loggedIn) end(1, JSON.stringify({ loggedIn: false }));
    return JSON.stringify({
      loggedIn: true,
      authType: "OAuth Token",
      email: "o@example.com",
      accounts: state.accounts,
    });
  }
  if (state.accounts.length > 1 && process.env.CLOUDFLARE_ACCOUNT_ID === undefined) {
    refuse("More than one account available but unable to select one in non-interactive mode.");
  }
  if (called === "auth token") return JSON.stringify({ type: "oauth", token: "a-token-of-the-stand-in" });
  if (called === "d1 list") return JSON.stringify(state.databases, null, 2);
  if (first === "d1" && second === "create") return createDatabase(third ?? "");
  if (first === "d1" && second === "execute") return execute(third ?? "");
  if (called === "kv namespace list") return JSON.stringify(state.namespaces, null, 2);
  if (called.startsWith("kv namespace create")) {
    const title = fourth ?? "";
    if (state.namespaces.some((one) => one.title === title))
      refuse("a namespace with this title already exists [code: 10014]");
    state.namespaces.push({ id: `kv-id-${state.namespaces.length}`, title });
    return `🌀 Creating namespace with title "${title}"\n✨ Success!`;
  }
  if (called === "secret list") {
    const secrets = state.workers[worker]?.secrets;
    if (secrets === undefined)
      refuse(`Worker "${worker}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`);
    return JSON.stringify(
      Object.keys(secrets).map((name) => ({ name, type: "secret_text" })),
      null,
      2,
    );
  }
  if (first === "secret" && second === "put") {
    const existing = state.workers[worker] ?? { secrets: {}, deployments: [] };
    state.workers[worker] = { ...existing, secrets: { ...existing.secrets, [third ?? ""]: input.trim() } };
    return `🌀 Creating the secret for the Worker "${worker}"\n✨ Success! Uploaded secret ${third}`;
  }
  if (called === "deploy") return values["dry-run"] ? "--dry-run: exiting now." : deploy();
  if (first === "rollback")
    return `SUCCESS  Worker Version ${second ?? "the one before"} has been deployed to 100% of traffic.`;
  return refuse(`Unknown arguments: ${called}`);
}

function createDatabase(name: string): string {
  if (state.databases.some((one) => one.name === name)) refuse("A database with that name already exists [code: 7502]");
  state.databases.push({ uuid: `d1-id-${state.databases.length}`, name, location: String(values.location ?? "") });
  return `✅ Successfully created DB '${name}'`;
}

function execute(binding: string): string {
  const id = sections.get("d1_databases")?.find((one) => one.binding === binding)?.database_id;
  if (!values.remote || !state.databases.some(({ uuid }) => uuid === id))
    refuse(`Couldn't find DB with name '${binding}'`);
  const database = new DatabaseSync(join(folder, `${id}.sqlite`));
  try {
    if (typeof values.file === "string") {
      // D1's import: all of the file, or nothing.
      database.exec(`BEGIN; ${readFileSync(values.file, "utf8")} COMMIT;`);
      return JSON.stringify(
        [{ results: [{ "Total queries executed": 1 }], success: true, finalBookmark: "b" }],
        null,
        2,
      );
    }
    const results = database.prepare(String(values.command)).all();
    return JSON.stringify([{ results, success: true, meta: { duration: 1 } }], null, 2);
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : error}: SQLITE_ERROR [code: 7500]`);
  } finally {
    database.close();
  }
}

function deploy(): string {
  const existing = state.workers[worker];
  const required = [...(sections.get("secrets")?.[0]?.required ?? "").matchAll(/\w+/g)].map(([name]) => name);
  const missing = required.filter((name) => existing?.secrets[name] === undefined);
  if (existing === undefined || missing.length > 0)
    refuse(`The following required secrets have not been set: ${missing}`);
  const version = `version-${existing.deployments.length + 1}`;
  existing.deployments.push({ version, vars: sections.get("vars")?.[0] });
  const output = process.env.WRANGLER_OUTPUT_FILE_PATH;
  if (output !== undefined && !existsSync(output)) {
    const lines = [
      { type: "wrangler-session", version: 1, wrangler_version: "4.156.2" },
      { type: "deploy", version: 1, worker_name: worker, version_id: version, targets: state.targets },
    ];
    writeFileSync(output, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }
  return `Uploaded ${worker}\nDeployed ${worker} triggers\n  ${state.targets.join("\n  ")}\nCurrent Version ID: ${version}`;
}
