/**
 * `npm run dev`: runs everything on this machine, without any sign-up. Creates local secrets, applies the schema's steps, creates a
 * demo account, and starts `wrangler dev`. What to open and the credentials come last, when the server is ready.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { importSigningKeys } from "../../worker/credentials/envelope.ts";
import { defineCommand } from "../command-line/command.ts";
import type { Context } from "../command-line/context.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { whyNoAnswer } from "../command-line/no-answer.ts";
import { tellWhileWaiting } from "../command-line/progress.ts";
import { forReader } from "../command-line/run-wrangler.ts";
import { UnknownSchema } from "../deployment/databases/schema-steps.ts";
import { type DemoCredentials, ensureDemoAccount } from "./demo-account.ts";
import { MAX_DATABASES, writeDevConfig } from "./dev-config.ts";
import { localCredentialSecrets, localOperatorSecret } from "./local-secrets.ts";
import { playPlatform } from "./platform.ts";
import { DamagedFile, takeStateFolder } from "./state-folder.ts";

const DEFAULT_PORT = 8787;
const DEFAULT_INSPECTOR_PORT = 9229;
const DEFAULT_STATE_FOLDER = ".wrangler/state";
/** The file in the state folder with the server's address, for scripts. The key is beside it. */
const ADDRESS_FILE = "dev-address.txt";

export const dev = defineCommand({
  name: "dev",
  summary: [
    "Runs everything on this machine, with a demo account, without any sign-up. The data and the key stay in .wrangler/state.",
    "Prints an API key, a token, and the addresses of the desk and of the board's page when the server is ready.",
  ],
  passesOnTo: "wrangler dev",
  options: {
    port: {
      type: "string",
      value: "<number>",
      help: `Where the server listens. Without it ${DEFAULT_PORT}, or the next that is free.`,
    },
    databases: {
      type: "string",
      default: "1",
      value: "<number>",
      help: `How many databases to try, from 1 to ${MAX_DATABASES}. Default 1.`,
    },
    "persist-to": {
      type: "string",
      default: DEFAULT_STATE_FOLDER,
      value: "<folder>",
      help: `Where the data is. Default ${DEFAULT_STATE_FOLDER}.`,
    },
    curl: { type: "boolean", default: false, help: "Prints requests to paste, too." },
    platform: {
      type: "boolean",
      default: false,
      help: "Plays your own server that signs owners in (docs/operations.md), and prints the address of its page.",
    },
  },
  run: async ({ values, others }, context) => {
    const databases = checkDatabases(values.databases);
    const port = values.port === undefined ? await findFreePort(DEFAULT_PORT) : await checkPort(values.port);
    if (values.port === undefined && port !== DEFAULT_PORT)
      context.print(`Port ${DEFAULT_PORT} is taken: using ${port}.`);
    const stateFolder = resolve(context.folder, values["persist-to"]);
    await takeStateFolder(stateFolder, port).catch((error: Error) => {
      throw new Failure(error.message);
    });
    const config = await writeDevConfig(context.folder, databases);
    const origin = `http://localhost:${port}`;
    const operatorSecret = await localOperatorSecret(context.folder);
    const secrets = await localCredentialSecrets(context.folder);
    context.print("Preparing the local databases.");
    const prepared = await prepare(context, { config, stateFolder, secrets }).catch((error: unknown) => {
      if (!(error instanceof UnknownSchema || error instanceof DamagedFile)) throw error;
      throw new Failure(`${error.message} To start over without its data: rm -rf ${values["persist-to"]}`);
    });
    const platform = values.platform ? [`The platform: ${await playPlatform({ api: origin, operatorSecret })}`] : [];
    const lines = [
      ...(values.curl ? [...curlLines(origin, prepared), ""] : []),
      ...prepared.others,
      ...platform,
      `API key: ${prepared.apiKey}`,
      `Token: ${prepared.token}`,
      `Desk: ${origin}/account`,
      `Board: ${origin}${prepared.page}`,
    ];
    await writeFile(join(stateFolder, ADDRESS_FILE), `${origin}\n`);
    const args = [
      ...["dev", "--config", config],
      ...["--port", String(port), "--persist-to", stateFolder],
      // Another wrangler on this machine may have the port of its debugger.
      ...(others.some((each) => each.startsWith("--inspector-port"))
        ? []
        : ["--inspector-port", String(await findFreePort(DEFAULT_INSPECTOR_PORT))]),
      // wrangler takes no secret from .dev.vars that wrangler.toml does not require. Who reads this process's arguments can open
      // Account Settings at localhost anyway.
      ...[
        "--var",
        `OPERATOR_SECRET:${operatorSecret}`,
        "--var",
        `START_PAGE_TOKEN:${prepared.visitorToken}`,
        ...others,
      ],
    ];
    context.print("Starting the server.");
    await serve(args, context, async () => {
      await requireAnswers(origin, prepared);
      context.print(`\n${lines.join("\n")}`);
      runScheduledJobs(origin);
    });
  },
});

type Prepared = DemoCredentials & {
  /** The lines about the demo accounts of the other databases. */ readonly others: readonly string[];
};

/** Makes the databases ready, each with a demo account. */
async function prepare(
  context: Context,
  {
    config,
    stateFolder,
    secrets,
  }: { readonly config: string; readonly stateFolder: string; readonly secrets: readonly [string, ...string[]] },
): Promise<Prepared> {
  const keys = await importSigningKeys(secrets);
  // Loading wrangler takes seconds on a busy machine. The first line is printed before.
  const { requireWholeFiles, withLocalDatabases } = await import("./local-database.ts");
  requireWholeFiles(stateFolder);
  return withLocalDatabases(join(context.folder, config), stateFolder, async ([first, ...others]) => {
    if (first === undefined) throw new Failure("wrangler.toml has no D1 database.");
    const lines: string[] = [];
    for (const other of others) {
      const demo = await ensureDemoAccount(other, { directory: first.database, stateFolder, keys });
      lines.push(`${other.binding} API key: ${demo.apiKey}`, `${other.binding} Token: ${demo.token}`);
    }
    const demo = await ensureDemoAccount(first, { directory: first.database, stateFolder, keys });
    return { ...demo, others: lines };
  });
}

const curlLines = (origin: string, { apiKey, token, proposalId }: DemoCredentials): readonly string[] => [
  `curl -i ${origin}/tenant/whoami -H 'X-API-Key: ${apiKey}'`,
  `curl -i ${origin}/public/ideabank/changelog -H 'Authorization: ${token}'`,
  `curl -i ${origin}/ideabank -H 'Authorization: ${token}'`,
  `curl -i '${origin}/ideabank/proposals?sort=top' -H 'Authorization: ${token}'`,
  `curl -i ${origin}/ideabank/proposals -H 'Authorization: ${token}' -H 'Content-Type: application/json' -d '{"title":"Night buses","description":"Every half hour, all week."}'`,
  `curl -i -X PUT ${origin}/ideabank/proposals/${proposalId}/vote -H 'Authorization: ${token}'`,
];

/** Longer than the first answer takes on a slow machine: the Worker is loaded with it. */
const FIRST_ANSWER_MS = 60_000;

/** The printed key and token must work. Throws a Failure that says what the server answers in place of it. */
async function requireAnswers(origin: string, { apiKey, token }: DemoCredentials): Promise<void> {
  const requests = [
    ["/tenant/whoami", "the API key", { "X-API-Key": apiKey }],
    ["/public/ideabank/changelog", "the token", { Authorization: token }],
  ] as const;
  for (const [path, what, headers] of requests) {
    const response = await fetch(origin + path, { headers, signal: AbortSignal.timeout(FIRST_ANSWER_MS) }).catch(
      (error: unknown) => {
        throw new Failure(`The server has started and does not answer: ${whyNoAnswer(error).words}.`);
      },
    );
    const text = await response.text();
    if (response.ok) continue;
    throw new Failure(
      `The server does not work with ${what}: it answers ${path} with ${response.status}. ${detailIn(text)}`,
    );
  }
}

function detailIn(text: string): string {
  try {
    return String(JSON.parse(text).detail);
  } catch {
    return text;
  }
}

/** wrangler's lines about the requests of `requireAnswers`, which may come after it has its answers. */
const OWN_REQUEST = /\[wrangler:info\] GET \/(?:tenant\/whoami|public\/ideabank\/changelog) /;
const OWN_REQUESTS = 2;

/** The last line that wrangler prints before requests are answered. */
const READY = /Ready on http/;

/** After an error wrangler may stay without a server. It is given this long to start in spite of it. */
const AFTER_ERROR_MS = 10_000;
const NOT_STARTED = "The server did not start. wrangler says above why. Fix that, then run it again.";
/** And this long to end. */
const END_MS = 5_000;

/**
 * Runs `wrangler dev` until it ends. Before `ready` has resolved, its output is held back: only an error is shown. Throws a Failure
 * when it does not start, and when `ready` does. Then the server is ended.
 */
async function serve(args: readonly string[], context: Context, ready: () => Promise<void>): Promise<void> {
  const colors = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const wrangler = spawn("wrangler", args, {
    cwd: context.folder,
    // No request to Cloudflare for the `cf` of requests: nothing here reads it.
    env: { ...process.env, ...colors, CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    stdio: ["inherit", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const stopTelling = tellWhileWaiting(context, "the server");
  const end = () => {
    // With a shell between, only the whole tree ends.
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(wrangler.pid), "/t", "/f"]);
    else wrangler.kill("SIGTERM");
  };
  let [isAsked, isShown] = [false, false];
  let held = "";
  let ownToCome = OWN_REQUESTS;
  const withoutOwn = (text: string) =>
    text
      .split(/(?<=\n)/)
      .filter((line) => {
        const isOwn = ownToCome > 0 && OWN_REQUEST.test(stripVTControlCharacters(line));
        if (isOwn) ownToCome -= 1;
        return !isOwn;
      })
      .join("");
  const started = Promise.withResolvers<void>();
  const show = (out: NodeJS.WriteStream) => (text: string) => {
    const others = withoutOwn(text);
    if (isShown) return others === "" || out.write(forReader(out, others));
    held += others;
    const printed = stripVTControlCharacters(held);
    if (!isAsked && READY.test(printed)) {
      isAsked = true;
      ready().then(() => {
        isShown = true;
        started.resolve();
      }, started.reject);
    } else if (!isAsked && /\[ERROR\]/.test(printed)) {
      process.stderr.write(forReader(process.stderr, held));
      held = "";
      errorShown();
    }
  };
  let waiting: NodeJS.Timeout | undefined;
  const errorShown = () => {
    waiting ??= globalThis.setTimeout(() => {
      if (!isAsked) started.reject(new Failure(NOT_STARTED));
    }, AFTER_ERROR_MS);
  };
  wrangler.stdout.setEncoding("utf8").on("data", show(process.stdout));
  wrangler.stderr.setEncoding("utf8").on("data", show(process.stderr));
  let isInterrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      isInterrupted = true;
      wrangler.kill(signal);
    });
  // npm does not forward SIGTERM. When npm has ended, this process has to stop the server.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || wrangler.kill("SIGTERM"), 1_000).unref();
  const ended = new Promise<number | null>((closed) => wrangler.once("close", closed));
  try {
    await Promise.race([started.promise, ended]);
  } catch (error) {
    end();
    await Promise.race([ended, setTimeout(END_MS)]);
    throw error;
  } finally {
    stopTelling();
    clearTimeout(waiting);
  }
  const code = await ended;
  if (!isShown && !isInterrupted) {
    process.stderr.write(forReader(process.stderr, held));
    throw new Failure(NOT_STARTED);
  }
  process.exit(code ?? 1);
}

const MINUTE_MS = 60_000;

/** The job that Cloudflare starts once a minute: at once, and every minute until the process ends. What fails, wrangler prints. */
function runScheduledJobs(origin: string): void {
  const run = () =>
    fetch(`${origin}/cdn-cgi/local/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) }).catch(() => {});
  void run();
  setInterval(run, MINUTE_MS).unref();
}

/** The requested port, if it is valid and free. */
async function checkPort(text: string): Promise<number> {
  const wanted = Number(text);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65_535)
    throw new Failure(`--port ${text}: a port is a number from 1 to 65535.`);
  if (!(await isFree(wanted)))
    throw new Failure(`Port ${wanted} is in use. Try another: npm run dev -- --port ${wanted + 1}`);
  return wanted;
}

function checkDatabases(wanted: string): number {
  const count = Number(wanted);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_DATABASES) return count;
  throw new Failure(`--databases ${wanted}: a number from 1 to ${MAX_DATABASES}.`);
}

/** The first free port from `first` on, so that the printed commands are right. */
async function findFreePort(first: number): Promise<number> {
  for (let candidate = first; candidate < first + 100; candidate++) if (await isFree(candidate)) return candidate;
  throw new Failure(`No port is free between ${first} and ${first + 99}. Name one: npm run dev -- --port 9000`);
}

function isFree(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(candidate, "localhost", () => probe.close(() => resolve(true)));
  });
}

if (import.meta.main) {
  await main(dev);
  // What was begun before a failure, such as the local runtime, would keep the process. On Windows output arrives later.
  process.stderr.write("", () => process.exit());
}
