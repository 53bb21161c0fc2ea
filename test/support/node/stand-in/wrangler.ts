/**
 * A stand-in for wrangler: an account in a folder. It records its calls, keeps databases in SQLite files, and answers with what
 * wrangler 4.156.2 prints (taken from its code). It refuses what wrangler refuses. As a process, STAND_IN is the folder.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { WranglerCall, WranglerResult } from "../../../../src/commands/command-line/run-wrangler.ts";
import { type AccountState, readState, writeState } from "./account-state.ts";
import { executeIn, exportOf, fileOfDatabase, travelIn } from "./databases.ts";
import { Refusal } from "./refusal.ts";
import { deployVersion, deployWorker, listDeployments, putSecret, viewVersion } from "./workers.ts";

/** What each part of the stand-in answers from. */
export type Request = {
  /** Of the account. */
  readonly folder: string;
  readonly state: AccountState;
  readonly call: WranglerCall;
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Sections of wrangler.toml, with their keys. */
  readonly sections: ReadonlyMap<string, Record<string, string>[]>;
  /** The Worker's name in this environment. */
  readonly worker: string;
};

export function answerAsWrangler(folder: string, call: WranglerCall): WranglerResult {
  const state = readState(folder);
  const { values, positionals } = parseArgs({
    args: [...call.args],
    allowPositionals: true,
    strict: false,
    options: Object.fromEntries(
      [
        "config",
        "env",
        "command",
        "file",
        "location",
        "format",
        "message",
        "outdir",
        "output",
        "timestamp",
        "persist-to",
      ].map((name) => [name, { type: "string" as const }]),
    ),
  });
  const environment = String(values.env ?? "");
  const file = join(call.folder, String(values.config ?? "wrangler.toml"));
  const sections = readSections(readFileSync(file, "utf8"), environment);
  const worker = `${sections.get("")?.[0]?.name}${environment && `-${environment}`}`;
  const request: Request = { folder, state, call, positionals, values, sections, worker };
  state.calls.push({ args: [...call.args], account: call.variables.CLOUDFLARE_ACCOUNT_ID });
  const failure = state.failures.findIndex((start) => call.args.join(" ").startsWith(start.replace(/!$/, "")));
  try {
    if (failure !== -1) {
      const [start = ""] = state.failures.splice(failure, 1);
      // "!" at the end: it did its work, and the connection broke before the answer.
      if (start.endsWith("!")) answer(request);
      return { ok: false, stdout: "", stderr: "✘ [ERROR] A request to the Cloudflare API failed.\n" };
    }
    return { ok: true, stdout: `${answer(request)}\n`, stderr: "" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.result;
  } finally {
    writeState(folder, state);
  }
}

/** The sections of this environment with their keys. Loading wrangler's own reader takes a second, for each call. */
function readSections(toml: string, environment: string): Map<string, Record<string, string>[]> {
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

function answer(request: Request): string {
  const { state, positionals, values, call, worker } = request;
  const [first, second, third, fourth] = positionals;
  const called = positionals.join(" ");
  if (called === "whoami") {
    if (!state.loggedIn) throw new Refusal({ ok: false, stdout: JSON.stringify({ loggedIn: false }), stderr: "" });
    return JSON.stringify({
      loggedIn: true,
      authType: "OAuth Token",
      email: "o@example.com",
      accounts: state.accounts,
    });
  }
  if (!values.local && state.accounts.length > 1 && call.variables.CLOUDFLARE_ACCOUNT_ID === undefined) {
    throw new Refusal("More than one account available but unable to select one in non-interactive mode.");
  }
  if (called === "auth token") return JSON.stringify({ type: "oauth", token: "a-token-of-the-stand-in" });
  if (called === "d1 list") return JSON.stringify(state.databases, null, 2);
  if (first === "d1" && second === "create") return createDatabase(request, third ?? "");
  if (first === "d1" && second === "execute") return executeIn(fileOfDatabase(request, third ?? ""), request);
  if (first === "d1" && second === "export") {
    const sql = exportOf(fileOfDatabase(request, third ?? ""));
    writeFileSync(resolve(call.folder, String(values.output)), sql);
    return `🌀 Exporting SQL to ${values.output}...\nDone!`;
  }
  if (first === "d1" && second === "time-travel" && third === "restore") {
    travelIn(fileOfDatabase(request, fourth ?? ""));
    return `⚡️ Time travel in progress...\n✅ Database ${fourth} restored back to bookmark b`;
  }
  if (called === "kv namespace list") return JSON.stringify(state.namespaces, null, 2);
  if (called.startsWith("kv namespace create")) {
    const title = `${values.env ? `${values.env}-` : ""}${fourth}`;
    if (state.namespaces.some((one) => one.title === title))
      throw new Refusal("a namespace with this title already exists [code: 10014]");
    state.namespaces.push({ id: `kv-id-${state.namespaces.length}`, title });
    return `🌀 Creating namespace with title "${title}"\n✨ Success!`;
  }
  if (called === "secret list") {
    const secrets = state.workers[worker]?.secrets;
    if (secrets === undefined)
      throw new Refusal(
        `Worker "${worker}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`,
      );
    return JSON.stringify(
      Object.keys(secrets).map((name) => ({ name, type: "secret_text" })),
      null,
      2,
    );
  }
  if (first === "secret" && second === "put") return putSecret(request, third ?? "");
  if (called === "deploy") return values["dry-run"] ? "--dry-run: exiting now." : deployWorker(request);
  if (called === "deployments list") return listDeployments(request);
  if (first === "versions" && second === "view") return viewVersion(request, third ?? "");
  if (first === "versions" && second === "deploy") return deployVersion(request, third?.split("@")[0] ?? "", false);
  if (first === "rollback") return deployVersion(request, second ?? "", true);
  throw new Refusal(`Unknown arguments: ${called}`);
}

function createDatabase({ state, values }: Request, name: string): string {
  if (state.databases.some((one) => one.name === name))
    throw new Refusal("A database with that name already exists [code: 7502]");
  state.databases.push({ uuid: `d1-id-${state.databases.length}`, name, location: String(values.location ?? "") });
  return `✅ Successfully created DB '${name}'`;
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const input = args.join(" ").startsWith("secret put") ? readFileSync(0, "utf8") : "";
  const call = { args, folder: process.cwd(), variables: process.env, input, show: false };
  const { ok, stdout, stderr } = answerAsWrangler(process.env.STAND_IN ?? "", call);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = ok ? 0 : 1;
}
