/** An account of the stand-in, a checkout to deploy from, and a server that plays the deployment and Cloudflare's API. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { account } from "../../../../src/commands/deployment/accounts/account-command.ts";
import { suspend } from "../../../../src/commands/deployment/accounts/suspend.ts";
import { backup } from "../../../../src/commands/deployment/backups/backup.ts";
import { restore } from "../../../../src/commands/deployment/backups/restore.ts";
import { deploy } from "../../../../src/commands/deployment/deploy/deploy.ts";
import { rollback } from "../../../../src/commands/deployment/deploy/rollback.ts";
import { doctor } from "../../../../src/commands/deployment/doctor/doctor.ts";
import { rehearse } from "../../../../src/commands/deployment/rehearse.ts";
import { rotateSecret } from "../../../../src/commands/deployment/secrets/rotate-secret.ts";
import { makeCheckout, withoutProgress } from "../checkout.ts";
import { type AccountState, readState, writeState } from "./account-state.ts";
import { answerAsWrangler } from "./wrangler.ts";

const COMMANDS = {
  account,
  deploy,
  rollback,
  "rotate-secret": rotateSecret,
  backup,
  restore,
  suspend,
  doctor,
  rehearse,
};
type CommandName = keyof typeof COMMANDS;

/** The answers of the deployment, by path. */
export type Answers = Record<string, { status: number; body: string }>;

const WELL: Answers = {
  "/health": { status: 200, body: "{}" },
  "/tenant/whoami": { status: 401, body: '{"error":"unauthorized"}' },
  "/account/api/accounts": { status: 403, body: "" },
  "/openapi.json": { status: 200, body: '{"openapi":"3.1.0"}' },
};

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export async function openAccount() {
  const checkout = await makeCheckout(["src", "public"]);
  const folder = await mkdtemp(join(tmpdir(), "stand-in-"));
  const answers: Answers = { ...WELL };
  /** What was put to Cloudflare's API, by path. Reading gives it back. */
  const api = new Map<string, unknown>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname.startsWith("/client/v4/")) {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        if (request.method === "PUT") api.set(pathname, JSON.parse(body));
        const allowed = request.headers.authorization === "Bearer a-token-of-the-stand-in";
        response.writeHead(allowed ? 200 : 403);
        response.end(JSON.stringify({ result: api.get(pathname) ?? { read_replication: { mode: "disabled" } } }));
      });
      return;
    }
    const { status, body } = answers[pathname] ?? { status: 404, body: "" };
    response.writeHead(status).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  const script = `#!/bin/sh\nexec "${process.execPath}" "${resolve("test/support/node/stand-in/wrangler.ts")}" "$@"\n`;
  await writeFile(join(folder, "wrangler"), script, { mode: 0o755 });
  // `npm run` puts the project's own programs before the PATH; its shell puts the stand-in before those.
  const shell = join(folder, "shell");
  await writeFile(shell, `#!/bin/sh\nPATH="${folder}:$PATH" exec /bin/sh "$@"\n`, { mode: 0o755 });
  const initial: AccountState = {
    calls: [],
    failures: [],
    loggedIn: true,
    accounts: [{ id: "account-1", name: "Example Ltd" }],
    databases: [],
    namespaces: [],
    workers: {},
    targets: [origin, "schedule: * * * * *"],
  };
  writeState(folder, initial);
  const variables = {
    STAND_IN: folder,
    CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
    CLOUDFLARE_ACCOUNT_ID: undefined,
  };

  /** What happens directly before a call that starts so. */
  const befores = new Map<string, () => void>();
  let exportLimit = Number.POSITIVE_INFINITY;
  const cutExport = (path: string) => {
    if (Number.isFinite(exportLimit)) writeFileSync(path, readFileSync(path, "utf8").slice(0, exportLimit));
  };

  let person: ((question: string) => Promise<string>) | undefined = async () => "yes";

  /** The lines that a terminal has written over each other. */
  const shown: string[] = [];

  async function runWith(
    more: Record<string, string | undefined>,
    command: CommandName,
    ...args: string[]
  ): Promise<Ran> {
    let [stdout, stderr] = ["", ""];
    const code = await COMMANDS[command].run(args, {
      folder: checkout.folder,
      variables: { ...variables, ...more },
      print: (line) => {
        stdout += `${line}\n`;
      },
      complain: (line) => {
        stderr += `${line}\n`;
      },
      ask: person,
      showProgress: person && ((line) => void shown.push(line)),
      runWrangler: async (call) => {
        for (const [start, act] of befores) if (call.args.join(" ").startsWith(start)) act();
        const result = answerAsWrangler(folder, call);
        if (call.args[1] === "export")
          cutExport(join(checkout.folder, call.args[call.args.indexOf("--output") + 1] ?? ""));
        if (call.show) [stdout, stderr] = [stdout + result.stdout, stderr + result.stderr];
        return result;
      },
    });
    return { code, stdout, stderr };
  }

  const npm = (args: string[]): Promise<Ran> =>
    new Promise((done) => {
      const env = { ...process.env, ...variables, npm_config_script_shell: shell };
      const child = execFile("npm", ["run", "--silent", ...args], { cwd: checkout.folder, env }, (_, stdout, stderr) =>
        done({ code: child.exitCode ?? -1, stdout, stderr: withoutProgress(stderr) }),
      );
    });

  return {
    folder,
    checkout: checkout.folder,
    origin,
    answers,
    api,
    state: () => readState(folder),
    change: (changes: Partial<AccountState>) => writeState(folder, { ...readState(folder), ...changes }),
    /** The calls since the last look, as they would be typed, without the environment and the names of temporary files. */
    calls: (): string[] => {
      const { calls, ...rest } = readState(folder);
      writeState(folder, { ...rest, calls: [] });
      return calls.map(({ args }) =>
        args
          .join(" ")
          .replace(/ --env \S*$/, "")
          .replace(/\/\S*\//, "…/"),
      );
    },
    /** Runs a command of src/commands/deployment in the checkout, in this process. `more`: environment variables. */
    run: (command: CommandName, ...args: string[]): Promise<Ran> => runWith({}, command, ...args),
    runWith,
    /** What the person at the terminal answers: yes, unless a test says otherwise. Undefined: there is none. */
    answerWith: (answer: typeof person) => {
      person = answer;
    },
    /** What the terminal has shown in place since the last look. There is none while nobody answers. */
    shown: (): string[] => shown.splice(0),
    before: (start: string, act: () => void) => befores.set(start, act),
    /** From now on an export ends after so many characters. */
    cutExports: (characters: number) => {
      exportLimit = characters;
    },
    /** `npm run`, whole, in a process of its own, as an operator types it. */
    runNpm: (command: CommandName, ...args: string[]): Promise<Ran> => npm([command, "--", ...args]),
    /** Any script, with what stands behind it: without `--` npm takes the options. */
    runScript: (script: string, ...args: string[]): Promise<Ran> => npm([script, ...args]),
    close: async () => {
      await new Promise<void>((closed) => server.close(() => closed()));
      await checkout.remove();
      await rm(folder, { recursive: true });
    },
  };
}

export type StandInAccount = Awaited<ReturnType<typeof openAccount>>;
