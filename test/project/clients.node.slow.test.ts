/** The clients of docs/clients.md, made and run as it says; and the document that they are made of. */
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildServedDocuments } from "../../src/commands/development/served-documents.ts";
import { type DevServer, freePort, makeCheckout, paste, startDev } from "../support/node/checkout.ts";
import { block } from "../support/node/documents.ts";
import { install } from "../support/node/install.ts";

const DOCUMENT = "docs/clients.md";
const LOCAL = "http://localhost:8787";
const PROGRAMS = ["sync.mjs", "tenant.php", "tenant.py"] as const;
const readProgram = (name: (typeof PROGRAMS)[number]) => readFileSync(`docs/examples/${name}`, "utf8");

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let origin: string;
let key: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port));
  key = server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
});

afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

async function askTenantApi<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(origin + path, { method, headers, body: body ? JSON.stringify(body) : null });
  expect(response.ok).toBe(true);
  return (response.status === 204 ? null : await response.json()) as Answer;
}

/** Under the Node of this project, for the machine may have an older one. */
const runIn = (folder: string, commands: string) =>
  paste(`set -e; cd '${folder}'; export PATH='${dirname(process.execPath)}':"$PATH"\n${commands}`);

/** A folder with a program of the page, the ones that it can be beside, and the command that runs it. */
async function writeProgram(name: string, file: string) {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  for (const each of PROGRAMS) await writeFile(join(folder, each), readProgram(each).replace(LOCAL, origin));
  await writeFile(join(folder, file), block(DOCUMENT, name).replace(LOCAL, origin));
  const run = () => runIn(folder, block(DOCUMENT, `${name}-run`).replace("ibk_…", key));
  return { folder, run, remove: () => rm(folder, { recursive: true, force: true }) };
}

describe("the package", () => {
  let program: Awaited<ReturnType<typeof writeProgram>>;
  beforeAll(async () => {
    await runIn(checkout.folder, block(DOCUMENT, "package-build"));
    program = await writeProgram("package", "tickets.mjs");
    await runIn(checkout.folder, `${block(DOCUMENT, "package-pack").trimEnd()} --pack-destination '${program.folder}'`);
    await runIn(
      program.folder,
      `npm init -y\n${block(DOCUMENT, "package-install").replace("npm install", "npm install --offline")}`,
    );
  });
  afterAll(() => program?.remove());

  it("makes an integration of 25 lines, which gives each new idea one ticket", async () => {
    const lines = block(DOCUMENT, "package").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(await program.run()).toBe("");
    const { id } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Tickets", status: "OPEN" });
    const path = `/tenant/ideabanks/${id}/proposals`;
    for (const title of ["Night buses", "Bike racks"])
      await askTenantApi("POST", path, { title, metadata: { team: "Apps" } });
    expect(await program.run()).toBe("A ticket for “Night buses”\nA ticket for “Bike racks”\n");
    const { items } = await askTenantApi<{ items: { id: string; metadata: object }[] }>("GET", path);
    expect(items.map(({ metadata }) => metadata)).toEqual(
      items.map((idea) => ({ team: "Apps", ticket: `TICKET-${idea.id}` })),
    );
    expect(await program.run()).toBe("");
  });

  it("has a README whose code runs: a first call, an error, If-Match, a webhook and a token", async () => {
    const readme = join(program.folder, "node_modules/@edge-access-api/client/README.md");
    const names = ["first", "errors", "if-match", "webhook", "token"];
    const code = names
      .map((name) => block(readme, `client-${name}`))
      .join("\n")
      .replace(LOCAL, origin);
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const [body, at] = ['{"type":"webhook.test"}', new Date()];
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": `v1,bm9uZQ== ${new Webhook(secret).sign("msg_1", at, body)}`,
    };
    const uses = `await receive(${JSON.stringify({ headers, body })});
      const answer = await fetch("${origin}/ideabank", { headers: { Authorization: token } });
      console.log((await answer.json()).name);\n`;
    await writeFile(join(program.folder, "readme.mjs"), code + uses);
    const said = await runIn(program.folder, `API_KEY=${key} WEBHOOK_SECRET=${secret} node readme.mjs`);
    expect(said.trimEnd().split("\n")).toEqual([
      "Night buses",
      "title",
      "Somebody else has changed it. Read it again.",
      "msg_1 webhook.test",
      "Rider ideas 2026",
    ]);
  });

  it("changes what it has seen, as the page shows", async () => {
    const { id: ideaBankId } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Seen" });
    const path = `/tenant/ideabanks/${ideaBankId}/proposals`;
    const { id: proposalId } = await askTenantApi<{ id: string }>("POST", path, { title: "Night buses" });
    const text = `import { Client } from "@edge-access-api/client";
      const api = new Client({ url: "${origin}", apiKey: process.env.API_KEY });
      const [ideaBankId, proposalId] = ["${ideaBankId}", "${proposalId}"];
      let etag;\n${block(DOCUMENT, "package-if-match")}
      const stale = { headers: { "If-Match": etag } };
      await api.updateProposal({ ideaBankId, proposalId, title: "No" }, stale).catch(({ error }) => console.log(error));\n`;
    await writeFile(join(program.folder, "seen.mjs"), text);
    expect(await runIn(program.folder, `API_KEY=${key} node seen.mjs`)).toBe("precondition-failed\n");
    expect(await askTenantApi("GET", `${path}/${proposalId}`)).toMatchObject({ title: "Night buses!" });
  });

  it("has types for a strict project, which know every operation, and depends on nothing", async () => {
    const { dependencies } = JSON.parse(await readFile(join(checkout.folder, "dist/client/package.json"), "utf8"));
    expect(dependencies).toBeUndefined();
    const check = async (call: string) => {
      const text = `import { Client, signToken, verifyWebhook } from "@edge-access-api/client";
        export const api = new Client({ url: "https://api.example", apiKey: "ibk_…" });
        export const made: Promise<string> = ${call}.then(({ id }) => id);
        export const read = async (body: string) => (await verifyWebhook({ headers: {}, body }, "")).change.type;
        export const sign = () => signToken({ kid: "", secret: "" }, { ideaBankId: "", externalId: "" });\n`;
      await writeFile(join(program.folder, "use.ts"), text);
      const options = "--noEmit --strict --exactOptionalPropertyTypes --lib es2024,dom --module nodenext";
      return runIn(program.folder, `node '${resolve("node_modules/typescript/bin/tsc")}' ${options} use.ts || true`);
    };
    expect(await check('api.createProposal({ ideaBankId: "b", title: "T", status: "planned" })')).toBe("");
    expect(await check('api.createProposal({ ideaBankId: "b", title: "T", status: "ajar" })')).toContain('"ajar"');
    expect(await check('api.createProposal({ title: "T" })')).toContain("ideaBankId");
    expect(await check("api.whoami()")).toContain("'id'");
  });
});

describe("the standard library", () => {
  it.for([
    ["python", "python3", "ideas.py"],
    ["php", "php", "ideas.php"],
  ] as const)("of %s creates ideas and lists them", async ([name, interpreter, file], { skip }) => {
    if (spawnSync(interpreter, ["--version"]).error !== undefined) skip(`${interpreter} is not installed`);
    const program = await writeProgram(name, file);
    expect(await program.run()).toBe("Bike racks, Night buses\n");
    await program.remove();
  });

  const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = '{"type":"webhook.test"}';
  const verified = (source: string, of: { interpreter: string; call: (headers: object) => string }) => {
    const sign = (text: string, at = new Date()) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": `v1,bm8= ${new Webhook(SECRET).sign("msg_1", at, text)}`,
    });
    const run = (headers: object) => {
      const program = `${source}\n${of.call(headers)}\n`;
      const { stdout, stderr } = spawnSync(of.interpreter, { input: program, encoding: "utf8" });
      return stdout.trim() + stderr;
    };
    // As PHP-FPM and Python's http.server name them.
    const capitalized = Object.entries(sign(body)).map(([header, value]) => [header.replace(/\bw/g, "W"), value]);
    return {
      genuine: [sign(body), Object.fromEntries(capitalized)].map(run),
      refused: [
        sign("{}"),
        sign(body, new Date(Date.now() - 301_000)),
        { ...sign(body), "webhook-timestamp": "soon" },
        { ...sign(body), "webhook-signature": "v1,\u00eb" },
        {},
      ].map(run),
    };
  };

  it("of PHP gives each signed-in customer a token of their own, and nobody else one", async ({ skip }) => {
    if (spawnSync("php", ["--version"]).error !== undefined) skip("php is not installed");
    const board = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "PHP", status: "OPEN" });
    const folder = await mkdtemp(join(tmpdir(), "php-"));
    await writeFile(join(folder, "tenant.php"), readProgram("tenant.php").replace(LOCAL, origin));
    await writeFile(join(folder, "panelist-token.php"), block(DOCUMENT, "php-token"));
    const hanging = createServer(() => {});
    await new Promise<void>((listens) => hanging.listen(0, "127.0.0.1", listens));
    const address = hanging.address();
    const nowhere = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    await mkdir(join(folder, "down"));
    await writeFile(join(folder, "down/tenant.php"), readProgram("tenant.php").replace(LOCAL, nowhere));
    await writeFile(join(folder, "down/panelist-token.php"), block(DOCUMENT, "php-token"));
    const login = '<?php session_start(); $_SESSION = ["user_id" => (int) $_GET["id"], ...$_GET];';
    await writeFile(join(folder, "login.php"), login);
    const port = await freePort();
    const env = { ...process.env, API_KEY: key, BOARD: board.id, PHP_CLI_SERVER_WORKERS: "4" };
    const site = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", folder], { env, stdio: "ignore", detached: true });
    onTestFinished(async () => {
      if (site.pid !== undefined) process.kill(-site.pid);
      hanging.closeAllConnections();
      hanging.close();
      await rm(folder, { recursive: true, force: true });
    });
    const get = (path: string, cookie = "") => fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
    await expect
      .poll(
        () =>
          get("/login.php?id=0").then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    const signIn = async (person: Record<string, string>) =>
      (await get(`/login.php?${new URLSearchParams(person)}`)).headers.get("Set-Cookie")?.split(";")[0];
    const tokenOf = async (id: number) => {
      const person = { id: String(id), name: "Robin", email: `robin-${id}@example.com` };
      const answer = await get("/panelist-token.php", await signIn(person));
      expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
      return answer.text();
    };
    const tokens = [await tokenOf(7), await tokenOf(8)];
    const headers = tokens.map((token) => ({ Authorization: token }));
    const answers = await Promise.all(headers.map((each) => fetch(`${origin}/ideabank`, { headers: each })));
    expect([answers.map(({ status }) => status), new Set(tokens).size]).toEqual([[200, 200], 2]);
    const stranger = await get("/panelist-token.php");
    expect([stranger.status, await stranger.text()]).toEqual([401, ""]);
    const people = await askTenantApi<{ items: object[] }>("GET", "/tenant/panelists?externalId=7");
    expect(people.items).toMatchObject([{ displayName: "Robin", email: "robin-7@example.com" }]);
    // Nobody loses the board for a name or an address that the API does not take.
    for (const name of ["", "ü".repeat(101), "\ud83d\ude80".repeat(101)]) {
      const person = { id: "9", name, email: "none" };
      expect([name, (await get("/panelist-token.php", await signIn(person))).status]).toEqual([name, 200]);
    }
    const refused = await get("/panelist-token.php", await signIn({ id: "9", user_id: " 9" }));
    expect([refused.status, await refused.text()]).toEqual([502, ""]);
    // While the API does not answer, the customer's other pages do.
    const cookie = await signIn({ id: "7" });
    const asked = new Promise<void>((done) => hanging.once("request", () => done()));
    let isAnswered = false;
    const pending = get("/down/panelist-token.php", cookie).finally(() => (isAnswered = true));
    await asked;
    expect([(await get("/login.php?id=7", cookie)).status, isAnswered]).toEqual([200, false]);
    hanging.closeAllConnections();
    hanging.close();
    expect((await pending).status).toBe(502);
  });

  /** As somebody who knows no secret signs for a server whose secret is not set. */
  const byNoSecret = () => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac("sha256", "").update(`msg_1.${timestamp}.${body}`).digest("base64");
    return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
  };
  const NO_SECRETS = ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_§"];

  it.for([
    [
      "python3",
      "tenant.py",
      (secret: string) => `print(verify("${secret}", ${JSON.stringify(byNoSecret())}, b'${body}'))`,
    ],
    [
      "php",
      "tenant.php",
      (secret: string) =>
        `echo json_encode(verify("${secret}", json_decode('${JSON.stringify(byNoSecret())}', true), '${body}'));`,
    ],
  ] as const)("of %s takes no webhook where no secret is set", ([interpreter, file, call], { skip }) => {
    if (spawnSync(interpreter, ["--version"]).error !== undefined) skip(`${interpreter} is not installed`);
    for (const secret of NO_SECRETS) {
      const { stdout, stderr, status } = spawnSync(interpreter, {
        input: `${readProgram(file)}\n${call(secret)}\n`,
        encoding: "utf8",
      });
      expect([secret, stdout + stderr], secret).toEqual([secret, expect.stringContaining("begins with whsec_")]);
      expect(status).not.toBe(0);
    }
  });

  it("of Python verifies a webhook", ({ skip }) => {
    if (spawnSync("python3", ["--version"]).error !== undefined) skip("python3 is not installed");
    const call = (headers: object) => `print(verify("${SECRET}", ${JSON.stringify(headers)}, b'${body}'))`;
    const { genuine, refused } = verified(readProgram("tenant.py"), { interpreter: "python3", call });
    expect([genuine, new Set(refused)]).toEqual([["True", "True"], new Set(["False"])]);
  });

  it("of PHP verifies a webhook", ({ skip }) => {
    if (spawnSync("php", ["--version"]).error !== undefined) skip("php is not installed");
    const call = (headers: object) =>
      `echo json_encode(verify("${SECRET}", json_decode('${JSON.stringify(headers)}', true), '${body}'));`;
    const { genuine, refused } = verified(readProgram("tenant.php"), { interpreter: "php", call });
    expect([genuine, new Set(refused)]).toEqual([["true", "true"], new Set(["false"])]);
  });

  it("of PHP receives a webhook whose header names are capitalized", async ({ skip }) => {
    if (spawnSync("php", ["--version"]).error !== undefined) skip("php is not installed");
    const folder = await mkdtemp(join(tmpdir(), "php-"));
    await writeFile(join(folder, "tenant.php"), readProgram("tenant.php"));
    await writeFile(join(folder, "webhook.php"), block(DOCUMENT, "php-receiver"));
    const port = await freePort();
    const env = { ...process.env, WEBHOOK_SECRET: SECRET };
    const site = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", folder], { env, stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void site.kill());
    let said = "";
    site.stderr.on("data", (chunk: Buffer) => (said += chunk));
    await expect.poll(() => said).toContain("started");
    const deliver = (text: string, signed: string, id = "msg_1") =>
      new Promise<number | undefined>((resolve, reject) => {
        const at = new Date();
        const headers = {
          "Webhook-Id": id,
          "Webhook-Timestamp": String(Math.floor(at.getTime() / 1_000)),
          "Webhook-Signature": new Webhook(SECRET).sign(id, at, signed),
        };
        const options = { port, host: "127.0.0.1", path: "/webhook.php", method: "POST", headers };
        request(options, (answer) => resolve(answer.resume().statusCode))
          .on("error", reject)
          .end(text);
      });
    const change = JSON.stringify({ type: "proposal.created", proposal: { title: "Night buses" } });
    const deleted = JSON.stringify({ type: "proposal.created", proposal: null });
    const statuses = [await deliver(change, change), await deliver(deleted, deleted), await deliver(change, "{}")];
    expect([...statuses, await deliver(change, change, "test_1")]).toEqual([204, 204, 401, 204]);
    await expect.poll(() => said.match(/New idea: .*|Warning.*/g)).toEqual(["New idea: Night buses"]);
    await rm(folder, { recursive: true, force: true });
  });

  it("of PHP refuses a text that is not UTF-8, and sends an empty object", async ({ skip }) => {
    if (spawnSync("php", ["--version"]).error !== undefined) skip("php is not installed");
    const client = readProgram("tenant.php").replace(LOCAL, origin);
    const run = (code: string) => {
      const env = { ...process.env, API_KEY: key };
      const { stdout, stderr } = spawnSync("php", { input: `${client}\n${code}`, encoding: "utf8", env });
      return stdout + stderr;
    };
    expect(run('call("POST", "/surveys", ["title" => "Caf\\xe9"]);')).toContain("JsonException");
    const idea = '["title" => "T", "metadata" => (object) []]';
    const bank = `call("POST", "/ideabanks", ["name" => "M"])["id"]`;
    expect(run(`$id = ${bank}; echo call("POST", "/ideabanks/$id/proposals", ${idea})["title"];`)).toBe("T");
  });
});

describe("the typed client", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const client = block(DOCUMENT, "typed-client");
  const write = (text: string) => writeFile(join(folder, "client.ts"), text.replace(LOCAL, origin));
  const run = (commands: string) => runIn(folder, commands);

  it("needs what the page installs and nothing more, and issues a token", async () => {
    const setup = block(DOCUMENT, "typed-client-setup").replace(LOCAL, origin).split("\n");
    const isInstall = (line: string) => line.startsWith("npm install ");
    const specifiers = setup.filter(isInstall).flatMap((line) => line.split(" ").filter((word) => /^[^-]/.test(word)));
    await install(
      folder,
      specifiers.filter((word) => word !== "npm" && word !== "install"),
    );
    await run(setup.filter((line) => !isInstall(line)).join("\n"));
    await write(client);
    const output = await run(block(DOCUMENT, "typed-client-run").replace("ibk_…", key));
    expect(output.trim()).toMatch(/^ibt_[0-9A-Za-z]{51}$/);
  });

  it("does not compile with a status or a field that the API does not have", async () => {
    await write(client.replace('"OPEN"', '"AJAR"').replace("data.token", "data.secret"));
    const [check = ""] = block(DOCUMENT, "typed-client-run").split("\n");
    const mistakes = await run(check).catch((error: { stdout: string }) => error.stdout);
    expect(mistakes).toMatch(/client\.ts\(\d+.*"AJAR"/);
    expect(mistakes).toMatch(/client\.ts\(\d+.*'secret'/);
  });
});

describe("the copy that stays up to date", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "copy-"));
    await writeFile(join(folder, "sync.mjs"), readProgram("sync.mjs").replace(LOCAL, origin));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const sync = (apiKey = key) => runIn(folder, block(DOCUMENT, "sync-run").replace("ibk_…", apiKey));
  /** The proposals, as the copy has them and as the API lists them. */
  const copied = async (path: string) => {
    const copy = new DatabaseSync(join(folder, "copy.db"));
    const place = copy.prepare("SELECT cursor FROM place").all();
    const rows = copy.prepare("SELECT kind, content FROM resources ORDER BY kind, id").all();
    const listed = await askTenantApi<{ items: { id: string }[] }>("GET", `${path}/proposals?limit=100`);
    const proposals = rows.flatMap(({ kind, content }) => (kind === "proposal" ? [JSON.parse(String(content))] : []));
    return {
      kinds: new Set(rows.map(({ kind }) => kind)),
      found: listed.items.map(({ id }) => proposals.find((proposal) => proposal.id === id)),
      listed: listed.items,
      titles: proposals.map(({ title }) => title),
      place,
    };
  };

  it("has everything after the first run, and what has changed after the next", async () => {
    const { id } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Copied", status: "OPEN" });
    const path = `/tenant/ideabanks/${id}`;
    const propose = (title: string) => askTenantApi<{ id: string }>("POST", `${path}/proposals`, { title });
    const [first, second] = [await propose("First"), await propose("Second")];
    await askTenantApi("POST", `${path}/proposals/${first.id}/comments`, { body: "Ours." });
    await sync();
    const before = await copied(path);
    expect(before.kinds).toEqual(new Set(["comment", "ideaBank", "panelist", "proposal", "survey"]));
    expect(before.found).toEqual(before.listed);
    expect(before.listed).toHaveLength(2);

    await propose("Third");
    await askTenantApi("PATCH", `${path}/proposals/${first.id}`, { title: "Renamed" });
    await askTenantApi("DELETE", `${path}/proposals/${second.id}`);
    await sync();
    const after = await copied(path);
    expect(after.found).toEqual(after.listed);
    expect(after.titles).toEqual(expect.arrayContaining(["Renamed", "Third"]));
    expect(after.titles).not.toContain("Second");
    expect(after.place).not.toEqual(before.place);

    const held = () =>
      new DatabaseSync(join(folder, "copy.db"))
        .prepare("SELECT kind FROM resources WHERE bank = ? OR id = ? ORDER BY kind, id")
        .all(id, id)
        .map(({ kind }) => kind);
    expect(held()).toEqual(["comment", "ideaBank", "proposal", "proposal"]);
    await askTenantApi("DELETE", `${path}/proposals/${first.id}`);
    await sync();
    expect(held()).toEqual(["ideaBank", "proposal"]);
    await askTenantApi("DELETE", path);
    await sync();
    expect(held()).toEqual([]);
  });

  it("waits where the limit is reached, and has all of a large idea bank with its comments", async () => {
    const { id } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Large", status: "OPEN" });
    const path = `/tenant/ideabanks/${id}`;
    for (let index = 0; index < 250; index++) {
      const proposal = await askTenantApi<{ id: string }>("POST", `${path}/proposals`, { title: `Large ${index}` });
      if (index % 2 === 0) await askTenantApi("POST", `${path}/proposals/${proposal.id}/comments`, { body: "B" });
    }
    const created = await fetch(`${origin}/account/api/keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Slow", limit: 2, windowSeconds: 1 }),
    });
    const slow = (await created.json()) as { key: string };
    await rm(join(folder, "copy.db"), { force: true });
    await sync(slow.key);
    const copy = new DatabaseSync(join(folder, "copy.db"));
    const count = (kind: string) => copy.prepare("SELECT count(*) AS n FROM resources WHERE kind = ?").get(kind)?.n;
    expect(count("proposal")).toBeGreaterThanOrEqual(250);
    expect(count("comment")).toBeGreaterThanOrEqual(125);
  });

  it("copies 2,000 proposals with their comments within a limit of 600 requests a minute", async () => {
    const { id } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Larger", status: "OPEN" });
    const rows = (values: string) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      SELECT ${values} FROM n`;
    await writeFile(
      join(checkout.folder, "larger.sql"),
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
         ${rows(`'0LargerP' || printf('%04d', i), '0DemoAccount', '${id}', 'Larger ' || i, '', i, i`)};
       INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at, by_tenant)
         ${rows(`'0LargerC' || printf('%04d', i), '0DemoAccount', '${id}', '0LargerP' || printf('%04d', i), 'B', i, 1`)};`,
    );
    const execute = "node_modules/.bin/wrangler d1 execute DB --local --yes --file larger.sql";
    // All rows are written or none. The server writes into the same file, and may hold it.
    await paste(`cd '${checkout.folder}'; ${execute} || ${execute} || ${execute}`);
    const created = await fetch(`${origin}/account/api/keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Minute", limit: 600, windowSeconds: 60 }),
    });
    const { key: minute } = (await created.json()) as { key: string };
    await rm(join(folder, "copy.db"), { force: true });
    await sync(minute);
    const copy = new DatabaseSync(join(folder, "copy.db"));
    const count = (kind: string) =>
      copy.prepare("SELECT count(*) AS n FROM resources WHERE kind = ? AND id GLOB '0Larger*'").get(kind)?.n;
    expect([count("proposal"), count("comment")]).toEqual([2_000, 2_000]);
    // A request brings 100 of them: a request for each proposal would not fit into the limit.
    const usage = await fetch(`${origin}/tenant/whoami`, { headers: { "X-API-Key": minute } });
    const [, remaining] = /r=(\d+)/.exec(usage.headers.get("RateLimit") ?? "") ?? [];
    expect(Number(remaining)).toBeGreaterThan(400);
  });
});

describe("the receiver of webhooks", () => {
  it("verifies a change, and names who voted for what is implemented", async () => {
    const folder = await mkdtemp(join(tmpdir(), "receiver-"));
    const [, , ...specifiers] = block(DOCUMENT, "receiver-setup").trim().split(" ");
    await install(folder, specifiers);
    const port = await freePort();
    const script = block(DOCUMENT, "receiver").replace(LOCAL, origin).replace("9999", String(port));
    await writeFile(join(folder, "receiver.mjs"), script);
    const made = await fetch(`${origin}/account/api/webhooks`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ url: `http://localhost:${port}` }),
    });
    const { secret } = (await made.json()) as { secret: string };
    const command = block(DOCUMENT, "receiver-run").replace("ibk_…", key).replace("whsec_…", secret);
    const receiver = spawn("bash", ["-c", `exec env ${command}`], {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
    let said = "";
    for (const stream of [receiver.stdout, receiver.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk));
    await expect
      .poll(() =>
        fetch(`http://localhost:${port}`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(500);
    expect(said).toContain("Missing required headers");
    said = "";

    const { id } = await askTenantApi<{ id: string }>("POST", "/tenant/ideabanks", { name: "Heard", status: "OPEN" });
    const path = `/tenant/ideabanks/${id}/proposals`;
    const proposal = await askTenantApi<{ id: string }>("POST", path, { title: "Night buses" });
    for (const externalId of ["customer-7", "customer-8"]) {
      await askTenantApi("POST", "/tenant/panelists", { externalId });
      await askTenantApi("POST", `${path}/${proposal.id}/votes`, { panelistExternalId: externalId });
    }
    await askTenantApi("PATCH", `${path}/${proposal.id}`, { status: "planned" });
    await askTenantApi("PATCH", `${path}/${proposal.id}`, { status: "implemented" });
    const letter = (who: string) => `To ${who}: “Night buses” is implemented.`;
    await expect.poll(() => said.trim().split("\n").toSorted()).toEqual([letter("customer-7"), letter("customer-8")]);
    receiver.kill();
    await rm(folder, { recursive: true, force: true });
  });
});

describe("llms.txt", () => {
  it("has first calls that work, one after the other", async () => {
    const text = (await buildServedDocuments()).get("llms.txt") ?? "";
    const calls = [...text.matchAll(/^- `(GET|POST|PATCH|PUT) (\/\S+)`(.*)$/gm)];
    expect(calls.length).toBeGreaterThan(7);
    const ids = { ideaBankId: "", proposalId: "", surveyId: "", token: "" };
    const send = async (method: string, path: string, body?: string) => {
      const credential = path.startsWith("/tenant/") ? { "X-API-Key": key } : { Authorization: ids.token };
      const fill = (text: string) => text.replace(/\{(\w+Id)\}/g, (_, name: keyof typeof ids) => ids[name]);
      const headers = { ...credential, ...(body !== undefined && { "Content-Type": "application/json" }) };
      const response = await fetch(origin + fill(path), {
        method,
        headers,
        body: body === undefined ? null : fill(body),
      });
      expect(response.ok, `${method} ${path}`).toBe(true);
      return response.json() as Promise<{ id: string; token: string }>;
    };
    for (const [, method = "", path = "", rest = ""] of calls) {
      const [, body] = /with `(\{[^`]*\})`/.exec(rest) ?? [];
      const { id, token } = await send(method, path, body);
      if (method === "POST" && path.endsWith("/ideabanks")) ids.ideaBankId = id;
      if (method === "POST" && path.endsWith("/proposals")) ids.proposalId = id;
      if (method === "POST" && path.endsWith("/surveys")) ids.surveyId = id;
      if (method === "POST" && path.endsWith("/tokens")) ids.token = token;
    }
    expect(Object.values(ids).every((value) => value !== "")).toBe(true);
  });
});

describe("the static assets", () => {
  it("serve the document to any origin", async () => {
    const response = await fetch(`${origin}/openapi.json`);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(await response.json()).toEqual(JSON.parse(await readFile("public/openapi.json", "utf8")));
  });

  it("are what they say, and come over TLS only, each of them", async () => {
    const files = globSync("public/**/*.{css,html,js,json,svg}").map((file) =>
      file.slice("public".length).replaceAll("\\", "/"),
    );
    expect(files.length).toBeGreaterThan(10);
    for (const path of files) {
      const { status, headers } = await fetch(origin + path);
      expect(status, path).toBe(200);
      const found = ["X-Content-Type-Options", "Strict-Transport-Security"].map((name) => headers.get(name));
      expect(found, path).toEqual(["nosniff", "max-age=31536000"]);
    }
  });

  it("serve the reference page with everything that it loads, from here alone", async () => {
    const page = await fetch(`${origin}/reference`);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, url = ""]) => url)
      .filter((url) => !url.startsWith("#"));
    expect(loaded.length).toBeGreaterThan(3);
    for (const url of loaded) {
      expect(url).toMatch(/^\//);
      expect((await fetch(origin + url)).status, url).toBe(200);
    }
  });
});
