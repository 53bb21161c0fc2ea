/** `npm run dev` on a fresh checkout, used as a developer uses it: over HTTP, with what it prints. */
import { globSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dev } from "../../../src/commands/development/dev.ts";
import {
  type DevServer,
  freePort,
  groupExists,
  makeCheckout,
  paste,
  startAsTyped,
  startDev,
  startDevWith,
  startWrangler,
  withoutProgress,
} from "../../support/node/checkout.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let port: number;
let server: DevServer;

const printed = (name: string, { output }: DevServer) => output.match(new RegExp(`^${name}: (\\S+)$`, "m"))?.[1] ?? "";
const curlLines = ({ output }: DevServer) => output.match(/^curl .*$/gm) ?? [];

beforeAll(async () => {
  checkout = await makeCheckout();
  port = await freePort();
  server = await startDev(checkout.folder, "--port", String(port), "--curl", "--platform");
});

afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; body: string };

/** A request as fetch cannot make it: any header, a body on any method. */
const send = (options: { method?: string; path: string; headers?: Record<string, string | string[]>; body?: string }) =>
  new Promise<Answer>((resolve, reject) => {
    const { body, ...rest } = options;
    const outgoing = request({ host: "localhost", port, ...rest }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk) => {
        text += chunk;
      });
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });

describe("npm run dev", () => {
  it("prints the desk and the board's page last, after the server is ready, and both open", async () => {
    const [desk, board] = server.output.trimEnd().split("\n").slice(-2);
    expect(desk).toBe(`Desk: http://localhost:${port}/account`);
    expect(board).toBe(`Board: http://localhost:${port}/b/0DemoBank000/riverline-rider-ideas`);
    for (const line of [desk, board]) {
      const answer = await fetch(line?.split(": ")[1] ?? "", { headers: { Accept: "text/html" } });
      expect([line, answer.status]).toEqual([line, 200]);
    }
  });

  it("does the scheduled job, with its e-mails, without a fault", async () => {
    const answer = await fetch(`http://localhost:${port}/cdn-cgi/local/scheduled`);
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    expect(server.output).not.toContain("ERROR");
  });

  it("shows nothing of wrangler above it: no bindings, no warnings", () => {
    const [, printed = ""] = withoutProgress(server.output).split(/^> node .*$/m);
    const [first, second, empty, curl] = printed.trimStart().split("\n");
    // What it does, before it takes long; the port is the one that was asked for.
    expect([first, second, empty]).toEqual(["Preparing the local databases.", "Starting the server.", ""]);
    expect(curl).toMatch(/^curl -i /);
    expect(server.output).toMatch(/^The platform: http:\/\/localhost:\d+$/m);
    expect(server.output).not.toMatch(/binding|warn|wrangler/i);
  });

  it("keeps its address in a file, for scripts", async () => {
    const address = await readFile(join(checkout.folder, ".wrangler/state/dev-address.txt"), "utf8");
    expect(address).toBe(`http://localhost:${port}\n`);
  });

  it("prints a key, a token and curl lines, on the port that was asked for", () => {
    expect(printed("API key", server)).toMatch(/^ibk_[0-9A-Za-z]{47}$/);
    expect(printed("Token", server)).toMatch(/^ibt_[0-9A-Za-z]{51}$/);
    expect(curlLines(server)).toHaveLength(6);
    for (const line of curlLines(server)) expect(line).toContain(`http://localhost:${port}/`);
  });

  it("answers the printed curl lines with the documented bodies", async () => {
    const [statuses, bodies]: [string[], ReturnType<typeof JSON.parse>[]] = [[], []];
    for (const line of curlLines(server)) {
      const answer = await paste(line);
      statuses.push(answer.slice("HTTP/1.1 ".length, answer.indexOf("\r\n")));
      bodies.push(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))));
    }
    expect(statuses).toEqual(["200 OK", "200 OK", "200 OK", "200 OK", "201 Created", "200 OK"]);
    const [whoami, changelog, capabilities, proposals, submitted, vote] = bodies;
    expect(whoami).toEqual({ apiKeyId: printed("API key", server).slice(4, 16) });
    expect(changelog.items).toHaveLength(20);
    expect(changelog.items[0]).toEqual({
      title: expect.any(String),
      description: expect.any(String),
      lastModified: expect.any(Number),
    });
    expect(capabilities.capabilities.canViewChangelog).toBe(true);
    expect(proposals.items[0].votes).toBeGreaterThan(proposals.items[19].votes);
    expect(submitted).toMatchObject({ title: "Night buses", mine: true, author: "Robin" });
    expect(vote).toEqual({ voted: true, votes: expect.any(Number) });
  });

  it("has an idea bank in use: names, comments, official responses, a merged idea, one that waits for approval, tags, and a search that finds", async () => {
    const get = async (path: string) =>
      JSON.parse((await send({ path, headers: { Authorization: printed("Token", server) } })).body);
    const { items } = await get("/ideabank/proposals?sort=top&limit=100");
    expect(new Set(items.map(({ status }: { status: string }) => status)).size).toBe(6);
    const most = items.find(({ title }: { title: string }) => title === "Pay with contactless at the gate");
    expect(most).toMatchObject({ votes: 248, comments: 5, author: "Jonas", response: { text: expect.any(String) } });
    const found = (await get("/ideabank/proposals?q=paper%20timetables&tag=Stations")).items;
    expect(found.map(({ title }: { title: string }) => title)).toEqual(["Bring back paper timetables at every stop"]);
    expect((await get("/ideabank/tags")).items.length).toBeGreaterThan(3);
    const comments = await get(`/ideabank/proposals/${most.id}/comments`);
    expect(comments.items.map(({ by }: { by: string }) => by)).toContain("tenant");
    const own = (await get("/ideabank/proposals?mine=submitted&limit=100")).items.map(({ id }: { id: string }) => id);
    expect(own).not.toEqual(own.filter((id: string) => items.some((item: { id: string }) => item.id === id)));
    const key = { "X-API-Key": printed("API key", server) };
    const list = await send({ path: "/tenant/ideabanks/0DemoBank000/proposals?visibility=pending", headers: key });
    expect(JSON.parse(list.body).items).toHaveLength(1);
  });

  it("keeps the key nowhere but in one ignored file, and the secrets in .dev.vars", async () => {
    const key = printed("API key", server);
    const found = await paste(`grep -rlaF '${key}' '${checkout.folder}' --exclude-dir=node_modules`);
    expect(found.trim().split("\n")).toEqual([join(checkout.folder, ".wrangler/state/demo-api-key.txt")]);
    expect(await readFile(join(checkout.folder, ".dev.vars"), "utf8")).toMatch(
      /^OPERATOR_SECRET="[0-9a-f]{64}"\nCREDENTIAL_SECRETS="[0-9a-f]{64}"\n$/,
    );
  });
});

it("the Worker that it runs is not minified, so that a stack trace can be read", async () => {
  const [bundle = ""] = globSync(join(checkout.folder, ".wrangler/tmp/dev-*/index.js"));
  // Minified, it is fewer than a hundred long lines.
  expect((await readFile(bundle, "utf8")).split("\n").length).toBeGreaterThan(1_000);
});

describe("over HTTP, as it comes", () => {
  const auth = () => ({ "X-API-Key": printed("API key", server), Authorization: printed("Token", server) });

  it.each(["/tenant/whoami", "/public/ideabank/changelog", "/ideabank"])(
    "a body on GET %s is ignored",
    async (path) => {
      const answer = await send({ path, headers: { ...auth(), "Content-Length": "9" }, body: '{"a":"b"}' });
      expect(answer.status).toBe(200);
    },
  );

  it("a header sent twice, or of 60 KB, or with bytes beyond ASCII, is 401", async () => {
    for (const value of [[auth()["X-API-Key"], auth()["X-API-Key"]], "k".repeat(60_000), "cl\u00e9"]) {
      const answer = await send({ path: "/tenant/whoami", headers: { "X-API-Key": value } });
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.body)).toMatchObject({ error: "unauthorized" });
    }
  });

  it("a browser's conditional request is answered with 304", async () => {
    const first = await send({ path: "/public/ideabank/changelog", headers: auth() });
    const etag = String(first.headers.etag);
    const second = await send({ path: "/public/ideabank/changelog", headers: { ...auth(), "If-None-Match": etag } });
    expect([second.status, second.body]).toEqual([304, ""]);
  });
});

/** A start in this process, which never comes as far as the server. */
async function attempt(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line.trim());
  const code = await dev.run(args, {
    folder: checkout.folder,
    variables: {},
    print,
    complain: print,
    runWrangler: () => expect.unreachable("dev does not call wrangler through this"),
  });
  return [...lines, `exit ${code}`].join("\n");
}

describe("a start that cannot be", () => {
  it.each([
    [["--port", "abc"], "--port abc: a port is a number from 1 to 65535."],
    [["--port", "80000"], "--port 80000: a port is a number from 1 to 65535."],
    [["--databases", "0"], "--databases 0: a number from 1 to 9."],
  ])("with %j says so in one line", async (args, line) => {
    expect((await attempt(...args)).trim().split("\n")).toEqual([line, "exit 1"]);
  });

  it("on a port that is in use says so, and names another", async () => {
    expect(await attempt("--port", String(port))).toContain(
      `Port ${port} is in use. Try another: npm run dev -- --port ${port + 1}`,
    );
  });

  it("without a port takes the next free one when its own is taken, and says so", async () => {
    const other = createServer();
    // Taken by whoever comes first.
    await new Promise<void>((taken) => other.once("error", () => taken()).listen(8787, "localhost", taken));
    const [, using = ""] = (await attempt()).match(/^Port 8787 is taken: using (\d+)\.$/m) ?? [];
    expect(Number(using)).toBeGreaterThan(8787);
    other.close();
  });

  it("beside one that is running says where that one is, and leaves its data alone", async () => {
    expect(await attempt("--port", String(await freePort()))).toContain(
      `npm run dev is already running here, on port ${port} `,
    );
    const whoami = await send({ path: "/tenant/whoami", headers: { "X-API-Key": printed("API key", server) } });
    expect(whoami.status).toBe(200);
  });
});

describe("a second start", () => {
  it("runs the scheduled job, as production does: an event of the activity that is too old goes", async () => {
    await server.stop();
    const [file = ""] = globSync(join(checkout.folder, ".wrangler/state/v3/d1/**/*[0-9a-f].sqlite"));
    const inFile = (sql: string) => {
      const database = new DatabaseSync(file);
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    };
    inFile(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at)
       VALUES ('0Old00000001', '0DemoAccount', 'created', 'x', 'K', 1)`,
    );
    const old = "SELECT id FROM audit_events WHERE created_at = 1";
    expect(inFile(old)).toHaveLength(1);
    server = await startDev(checkout.folder, `--port=${port}`);
    await expect.poll(() => inFile(old), { timeout: 30_000 }).toEqual([]);
  });

  it("prints four lines by itself: the API key, the token, the desk and the board's page", () => {
    const [, credentials = ""] = server.output.split("Starting the server.\n");
    const names = withoutProgress(credentials)
      .trim()
      .split("\n")
      .map((line) => line.split(": ")[0]);
    expect(names).toEqual(["API key", "Token", "Desk", "Board"]);
  });

  it("keeps the data, and the same key and the older token work", async () => {
    const [key, token] = [printed("API key", server), printed("Token", server)];
    const before = await send({ path: "/public/ideabank/changelog", headers: { Authorization: token } });
    await server.stop();
    server = await startDev(checkout.folder, `--port=${port}`);
    expect(printed("API key", server)).toBe(key);
    const whoami = await send({ path: "/tenant/whoami", headers: { "X-API-Key": key } });
    expect(whoami.status).toBe(200);
    const after = await send({ path: "/public/ideabank/changelog", headers: { Authorization: token } });
    expect(after.body).toBe(before.body);
  });

  it("starts while another debugger has the usual port", async () => {
    await server.stop();
    const other = createServer();
    // Taken by whoever comes first.
    await new Promise<void>((taken) => other.once("error", () => taken()).listen(9229, "localhost", taken));
    server = await startAsTyped(checkout.folder, ["npm", "run", "dev", "--", `--port=${port}`]);
    other.close();
    expect((await send({ path: "/health" })).status).toBe(200);
  });

  it("by `npx wrangler dev` runs the same Worker on the same data, Account Settings in it", async () => {
    const key = printed("API key", server);
    await server.stop();
    server = await startWrangler(checkout.folder, "--port", String(port));
    const whoami = await send({ path: "/tenant/whoami", headers: { "X-API-Key": key } });
    expect([whoami.status, whoami.body]).toEqual([200, JSON.stringify({ apiKeyId: key.slice(4, 16) })]);
    const own = await send({ path: "/account/api/keys" });
    expect(JSON.parse(own.body).items.map(({ id }: { id: string }) => id)).toEqual([key.slice(4, 16)]);
    await server.stop();
    server = await startDev(checkout.folder, "--port", String(port));
  });

  it("by `npx wrangler dev` without a secret says in each answer what is missing, and what to run", async () => {
    await server.stop();
    const vars = join(checkout.folder, ".dev.vars");
    await rename(vars, `${vars}.away`);
    server = await startWrangler(checkout.folder, "--port", String(port));
    for (const path of ["/health", "/tenant/whoami", "/account/api/keys"]) {
      const { status, body } = await send({ path });
      expect([status, JSON.parse(body).detail]).toEqual([
        500,
        expect.stringMatching(/CREDENTIAL_SECRETS \(not set\).*`npm run dev`/),
      ]);
    }
    await server.stop();
    await rename(`${vars}.away`, vars);
    server = await startDev(checkout.folder, "--port", String(port));
  });

  it("with --databases 2 has a second demo account in a database of its own", async () => {
    const key = printed("API key", server);
    await server.stop();
    server = await startDev(checkout.folder, "--port", String(port), "--databases", "2");
    expect(printed("API key", server)).toBe(key);
    const other = printed("DB_1 API key", server);
    expect([key[4], other[4]]).toEqual(["0", "1"]);
    for (const each of [key, other]) {
      const whoami = await send({ path: "/tenant/whoami", headers: { "X-API-Key": each } });
      expect(JSON.parse(whoami.body)).toEqual({ apiKeyId: each.slice(4, 16) });
      const banks = await send({ path: "/tenant/ideabanks", headers: { "X-API-Key": each } });
      expect(JSON.parse(banks.body).items.map(({ id }: { id: string }) => id)).toEqual([`${each[4]}DemoBank000`]);
    }
    const changelog = { path: "/public/ideabank/changelog", headers: { Authorization: printed("DB_1 Token", server) } };
    expect(JSON.parse((await send(changelog)).body).items).toHaveLength(20);
    const own = await send({ path: "/account/api/keys" });
    expect(JSON.parse(own.body).items.map(({ id }: { id: string }) => id)).toEqual([key.slice(4, 16)]);
  });

  it("is over, server and all, when npm alone is told to end", async () => {
    expect(groupExists(server.pid)).toBe(true);
    process.kill(server.pid, "SIGTERM");
    try {
      await expect.poll(() => groupExists(server.pid)).toBe(false);
    } finally {
      if (groupExists(server.pid)) process.kill(-server.pid, "SIGKILL");
    }
  });
});

/** What the server would answer with 500, or never. */
describe("a start that would print what does not work", () => {
  const failureOf = async (start: () => Promise<DevServer>): Promise<string> => {
    const started = start().then(
      async (unexpected) => {
        await unexpected.stop();
        return expect.unreachable("it started");
      },
      (error: Error) => error.message,
    );
    const message = await started;
    expect(message).toContain("ended with 1:");
    expect(message).not.toMatch(/^(?:API key|Token|Desk|Board): /m);
    return message;
  };
  const startHere = async (...env: string[]) =>
    failureOf(async () => startDevWith(env, checkout.folder, "--port", String(await freePort())));

  beforeAll(() => server.stop());

  it.each([
    ["the copied example", async () => readFile(".dev.vars.example", "utf8"), "CREDENTIAL_SECRETS"],
    [
      "a second secret that is short",
      async () => `CREDENTIAL_SECRETS="${"a".repeat(64)}, short"\n`,
      "CREDENTIAL_SECRETS",
    ],
    ["an operator's secret that is short", async () => 'OPERATOR_SECRET="short"\n', "OPERATOR_SECRET"],
  ])("with %s names it, and what to do", async (_, content, name) => {
    const vars = join(checkout.folder, ".dev.vars");
    await rename(vars, `${vars}.away`);
    await writeFile(vars, await content());
    const message = await startHere();
    await rename(`${vars}.away`, vars);
    expect(message).toContain(
      `${name} in .dev.vars is wrong: each secret must have at least 32 characters. Remove its line from .dev.vars`,
    );
  });

  it("with a wrong setting in wrangler.toml asks the server, which names it, and ends", async () => {
    const file = join(checkout.folder, "wrangler.toml");
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.replace(/^FRESHNESS_SECONDS = .*$/m, 'FRESHNESS_SECONDS = "soon"'));
    const message = await startHere();
    await writeFile(file, whole);
    expect(message).toMatch(
      /The server does not work with the API key: it answers \/tenant\/whoami with 500\. This server has wrong settings: FRESHNESS_SECONDS /,
    );
  });

  it("with a source that is no program shows wrangler's error, and ends", async () => {
    const file = join(checkout.folder, "src/worker/index.ts");
    const whole = await readFile(file, "utf8");
    await writeFile(file, `${whole}\nexport const = ;\n`);
    const message = await startHere();
    await writeFile(file, whole);
    expect(message).toContain("[ERROR]");
    expect(message).toContain("The server did not start. wrangler says above why.");
  });

  it("with a wrangler that shows an error, and neither starts nor ends, ends", async () => {
    const programs = await mkdtemp(join(tmpdir(), "programs-"));
    const mode = { mode: 0o755 };
    await writeFile(join(programs, "wrangler"), '#!/bin/sh\necho "[ERROR] no server" >&2\nexec sleep 600\n', mode);
    // `npm run` puts the project's own programs first.
    await writeFile(join(programs, "shell"), `#!/bin/sh\nPATH="${programs}:$PATH" exec /bin/sh "$@"\n`, mode);
    const message = await startHere(`npm_config_script_shell=${join(programs, "shell")}`);
    await rm(programs, { recursive: true });
    expect(message).toContain("[ERROR] no server\n\nThe server did not start. wrangler says above why.");
  });

  it("with a home that cannot be written says which folder, and ends", async () => {
    const message = await startHere("HOME=/dev/null");
    expect(message).toMatch(/\/dev\/null\/.* cannot be used: a part of its path is a file, not a folder/);
  });
});

/** What a disk or a crash may leave of the local data. */
describe("damaged local data", () => {
  const state = () => join(checkout.folder, ".wrangler/state");
  const [main, metadata] = ["*[0-9a-f].sqlite", "metadata.sqlite"].map(
    (name) => `v3/d1/miniflare-D1DatabaseObject/${name}`,
  );

  beforeAll(async () => {
    for (const file of globSync(join(state(), "v3/d1/**/*.sqlite"))) {
      const database = new DatabaseSync(file);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    }
    await cp(state(), `${state()}-whole`, { recursive: true });
  });

  it.each([
    ["is no database", main, (whole: Buffer) => Buffer.alloc(whole.length, 7)],
    ["ends early", main, (whole: Buffer) => whole.subarray(0, 3 * 4_096)],
    ["has other bytes in the middle", main, (whole: Buffer) => Buffer.from(whole).fill(3, 2 * 4_096, 20 * 4_096)],
    ["is the runtime's own", metadata, (whole: Buffer) => Buffer.alloc(whole.length, 7)],
  ])("that %s ends in a sentence that says what to delete, without a stack", async (_, name = "", damage) => {
    await rm(state(), { recursive: true });
    await cp(`${state()}-whole`, state(), { recursive: true });
    const file =
      globSync(join(state(), name)).find((each) => name === metadata || !each.endsWith("metadata.sqlite")) ?? "";
    await writeFile(file, damage(await readFile(file)));
    for (const log of ["-wal", "-shm"]) await rm(file + log, { force: true });
    const failure: Error = await startDev(checkout.folder, "--port", String(await freePort())).then(
      () => expect.unreachable("it started"),
      (error) => error,
    );
    expect(failure.message).toContain("ended with 1:");
    expect(failure.message).toContain("The local data is damaged (v3/d1/");
    expect(failure.message.trimEnd()).toMatch(/ To start over without its data: rm -rf \.wrangler\/state$/);
    expect(failure.message).not.toMatch(/^ +at |stack/m);
  });
});
