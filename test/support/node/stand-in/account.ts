/** An account of the stand-in, a checkout to deploy from, and a server that plays the deployment and Cloudflare's API. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeCheckout } from "../checkout.ts";
import type { AccountState } from "./account-state.ts";

/** The answers of the deployment, by path. */
export type Answers = Record<string, { status: number; body: string }>;

const WELL: Answers = {
  "/health": { status: 200, body: "{}" },
  "/tenant/whoami": { status: 401, body: '{"error":"unauthorized"}' },
  "/openapi.json": { status: 200, body: '{"openapi":"3.1.0"}' },
};

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export async function openAccount() {
  const checkout = await makeCheckout();
  const folder = await mkdtemp(join(tmpdir(), "stand-in-"));
  const file = join(folder, "state.json");
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
  await writeFile(file, JSON.stringify(initial));
  const state = async (): Promise<AccountState> => JSON.parse(await readFile(file, "utf8"));

  return {
    folder,
    checkout: checkout.folder,
    origin,
    answers,
    api,
    state,
    change: async (changes: Partial<AccountState>) =>
      writeFile(file, JSON.stringify({ ...(await state()), ...changes })),
    /** The calls since the last look, as they would be typed, without the environment and the names of temporary files. */
    calls: async (): Promise<string[]> => {
      const { calls, ...rest } = await state();
      await writeFile(file, JSON.stringify({ ...rest, calls: [] }));
      return calls.map(({ args }) =>
        args
          .join(" ")
          .replace(/ --env \S*$/, "")
          .replace(/\/\S*\//, "…/"),
      );
    },
    /** Runs a command of src/commands/deployment in the checkout. */
    run: (command: string, ...args: string[]): Promise<Ran> =>
      new Promise((done) => {
        const env = {
          ...process.env,
          PATH: `${folder}:${process.env.PATH}`,
          STAND_IN: folder,
          CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
          CLOUDFLARE_ACCOUNT_ID: undefined,
        };
        const child = execFile(
          process.execPath,
          [`src/commands/deployment/${command}.ts`, ...args],
          { cwd: checkout.folder, env },
          (_, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
        );
      }),
    close: async () => {
      await new Promise<void>((closed) => server.close(() => closed()));
      await checkout.remove();
      await rm(folder, { recursive: true });
    },
  };
}

export type StandInAccount = Awaited<ReturnType<typeof openAccount>>;
