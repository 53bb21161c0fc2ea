/** `npm run deploy` against an account of the stand-in for wrangler. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSchemaSteps } from "../../../../src/commands/deployment/databases/schema-steps.ts";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

const steps = (await readSchemaSteps()).map(({ name }) => name);
let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const configuration = () => readFile(join(account.checkout, "wrangler.toml"), "utf8");
const edit = async (change: (toml: string) => string) =>
  writeFile(join(account.checkout, "wrangler.toml"), change(await configuration()));

async function deploy(...args: string[]) {
  const ran = await account.run("deploy", ...args);
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/[0-9a-f]{64}/);
  return ran;
}

async function deployWell(...args: string[]) {
  const ran = await deploy(...args);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

/** Everything that a deployment has, whatever way led to it. */
async function everything() {
  const { databases, namespaces, workers } = account.state();
  const ledgers = databases.map(({ uuid }) => {
    const database = new DatabaseSync(join(account.folder, `${uuid}.sqlite`));
    const rows = database.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    database.close();
    return rows.map(({ name }) => name);
  });
  return {
    databases: databases.map(({ name }) => name),
    namespaces: namespaces.map(({ title }) => title),
    secrets: Object.values(workers).map(({ secrets }) => Object.keys(secrets)),
    ledgers,
  };
}

const COMPLETE = {
  databases: ["edge-access-api"],
  namespaces: ["edge-access-api-changelogs"],
  secrets: [["CREDENTIAL_SECRETS"]],
  ledgers: [steps],
};

it("as an operator types it, with wrangler in processes of its own", async () => {
  const { code, stdout, stderr } = await account.runNpm("deploy", "--database-location", "weur");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Smoke test   a forged API key: 401\n");
  expect(stdout).not.toMatch(/[0-9a-f]{64}/);
  expect(await everything()).toEqual(COMPLETE);
});

it("from nothing: creates the stores, applies the steps, makes the secret, deploys, tests, and says what is left", async () => {
  const stdout = await deployWell("--database-location", "weur");
  expect(await everything()).toEqual(COMPLETE);
  const { databases, workers } = account.state();
  expect(databases[0]?.location).toBe("weur");
  expect(workers["edge-access-api"]?.secrets.CREDENTIAL_SECRETS).toMatch(/^[0-9a-f]{64}$/);
  expect([...account.api]).toEqual([
    ["/client/v4/accounts/account-1/d1/database/d1-id-0", { read_replication: { mode: "auto" } }],
  ]);
  expect(await configuration()).toContain(
    'binding = "DB"\ndatabase_id = "d1-id-0"\ndatabase_name = "edge-access-api"\n',
  );
  expect(await configuration()).toContain('[[kv_namespaces]]\nbinding = "CHANGELOGS"\nid = "kv-id-0"\n');
  expect(stdout).toContain("Account      Example Ltd (account-1)\nD1           DB: edge-access-api created in weur;");
  expect(stdout).toContain("Smoke test   a forged API key: 401\n");
  expect(stdout).toContain("Commit wrangler.toml");
  expect(stdout).toContain("https://one.dash.cloudflare.com/account-1/access/apps");
});

it("run again: changes nothing, imports nothing, keeps the secret, and deploys", async () => {
  await deployWell();
  const [before, secrets] = [await configuration(), account.state().workers["edge-access-api"]?.secrets];
  account.calls();
  const stdout = await deployWell();
  expect(await configuration()).toBe(before);
  expect(account.state().workers["edge-access-api"]?.secrets).toEqual(secrets);
  expect(account.calls().filter((call) => !/^d1 execute DB --remote --yes --json --command SELECT/.test(call))).toEqual(
    [
      "whoami --json",
      "d1 list --json",
      "kv namespace list",
      "secret list --format json",
      "deployments list --json",
      "versions view version-1 --json",
      "deploy",
      "auth token --json",
    ],
  );
  expect(stdout).toContain("Schema       DB: has every step\n");
  expect(stdout).toContain("Replication  DB: on\n");
  expect(stdout).not.toContain("Commit wrangler.toml");
});

describe("a failure in the middle", () => {
  const calls = [
    "d1 create",
    "kv namespace create",
    "d1 execute DB --remote --yes --file",
    "secret put",
    "deploy --env",
  ];

  it.each([
    ["before it has done anything", ["whoami", "d1 list", ...calls]],
    ["after it has done everything, and the answer was lost", calls.map((call) => `${call}!`)],
  ])(
    "of each call, %s: each run goes on where the one before stopped, and the last completes it",
    async (_, failures) => {
      account.change({ failures: [...failures] });
      for (let left = failures.length; left > 0; left--) {
        expect(account.state().failures).toHaveLength(left);
        const failed = await deploy();
        expect([failed.code, failed.stderr]).toEqual([1, expect.not.stringContaining("    at ")]);
      }
      const stdout = await deployWell();
      expect(stdout).toContain("Smoke test   GET /health: 200");
      expect(await everything()).toEqual(COMPLETE);
    },
  );

  it("of a step: the database is as before, and the Worker is not deployed", async () => {
    const file = join(account.checkout, "migrations/9999_broken.sql");
    await writeFile(file, "CREATE TABLE another (id TEXT);\nINSERT INTO nowhere VALUES (1);\n");
    const failed = await deploy();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("no such table: nowhere");
    expect((await everything()).ledgers).toEqual([steps]);
    expect(account.calls().filter((call) => call.startsWith("deploy"))).toEqual([]);
    await rm(file);
    await deployWell();
    expect(await everything()).toEqual(COMPLETE);
  });

  it("of the replication: says the line that turns it on, and goes on", async () => {
    account.change({ failures: ["auth token"] });
    const { code, stdout } = await deploy();
    expect(code).toBe(0);
    expect(stdout).toContain(`curl -X PUT ${account.origin}/client/v4/accounts/account-1/d1/database/d1-id-0 -H "Auth`);
  });

  it.each([
    ["/health", { status: 503, body: "" }, "FAIL GET /health: 503, expected 200."],
    ["/tenant/whoami", { status: 200, body: '{"error":"unauthorized"}' }, "FAIL a forged API key: 200, expected 401."],
    [
      "/account/api/accounts",
      { status: 503, body: "" },
      "FAIL Account Settings, signed out: 503, expected 302 or 401 or 403.",
    ],
    ["/openapi.json", { status: 200, body: "<html>" }, "FAIL GET /openapi.json: 200, expected 200. <html>"],
  ])("of the smoke test, %s: says which, and how to go back", async (path, answer, line) => {
    account.answers[path] = answer;
    const first = await deploy("--wait", "0");
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining(line)]);
    // Before the first deployment there was an empty Worker, which its secret has made.
    expect(first.stderr).not.toContain("npm run rollback");
    expect((await deploy("--wait", "0")).stderr).toContain(
      "To return to the previous version: npm run rollback -- version-1\n",
    );
  });

  it("of the smoke test: while it tries again, it says how long it will", async () => {
    account.answers["/health"] = { status: 503, body: "" };
    account.shown();
    expect((await deploy("--wait", "3")).code).toBe(1);
    expect(account.shown()).toEqual([
      expect.stringMatching(/^Waiting until http:\/\/127\.0\.0\.1:\d+ answers as it should, for [123] s at most$/),
    ]);
  });
});

describe("environments and databases", () => {
  it("--env staging: has a Worker, stores and a secret of its own, in every call", async () => {
    await deployWell();
    const before = account.state().workers["edge-access-api"];
    account.change({ calls: [] });
    await deployWell("--env", "staging");
    const { calls, workers } = account.state();
    for (const { args } of calls) expect(args.slice(-2)).toEqual(["--env", "staging"]);
    expect(workers["edge-access-api"]).toEqual(before);
    expect(workers["edge-access-api-staging"]?.secrets.CREDENTIAL_SECRETS).not.toBe(before?.secrets.CREDENTIAL_SECRETS);
    expect(await everything()).toMatchObject({
      databases: ["edge-access-api", "edge-access-api-staging"],
      // Wrangler puts the environment before a namespace's name.
      namespaces: ["edge-access-api-changelogs", "staging-edge-access-api-staging-changelogs"],
      ledgers: [steps, steps],
    });
    expect(await configuration()).toContain('[[env.staging.d1_databases]]\nbinding = "DB"\ndatabase_id = "d1-id-1"\n');
  });

  it.each(["staging-edge-access-api-staging-changelogs", "edge-access-api-staging-changelogs"])(
    "--env staging: uses the namespace %s, which is there",
    async (title) => {
      account.change({ namespaces: [{ id: "kv-1", title }] });
      expect(await deployWell("--env", "staging")).toContain(`KV           CHANGELOGS: ${title} found by its name;`);
      expect(account.state().namespaces).toHaveLength(1);
    },
  );

  it.each(["production", "stag", "a(b"])("--env %s, which wrangler.toml does not have, is refused", async (name) => {
    expect(await deploy("--env", name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`wrangler.toml has no [env.${name}]. Copy [env.staging]`),
    });
    expect(account.calls()).toEqual([]);
  });

  it.each([
    ["that is no TOML", "[vars", "wrangler.toml cannot be read: "],
    ["that wrangler refuses", "d1_databases = 1", "wrangler.toml cannot be read: "],
  ])("a wrangler.toml %s is refused in a sentence", async (_, toml, message) => {
    await writeFile(join(account.checkout, "wrangler.toml"), toml);
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    await rm(join(account.checkout, "wrangler.toml"));
    expect((await deploy()).stderr).toContain("There is no wrangler.toml in ");
  });

  it("every D1 binding is created, where it was asked for, and gets the steps", async () => {
    const second = '\n[[d1_databases]]\nbinding = "DB_1"\ndatabase_name = "edge-access-api-1"\n';
    await edit((toml) => toml.replace("\n# One rendered changelog", `${second}\n# One rendered changelog`));
    await deployWell("--database-location", "weur", "--database-location", "DB_1=enam");
    expect(account.state().databases.map(({ name, location }) => [name, location])).toEqual([
      ["edge-access-api", "weur"],
      ["edge-access-api-1", "enam"],
    ]);
    expect((await everything()).ledgers).toEqual([steps, steps]);
    expect(account.api.size).toBe(2);
  });

  it("a location that Cloudflare does not have is refused at once", async () => {
    expect((await deploy("--database-location", "moon")).stderr).toContain(
      "--database-location moon: one of weur, eeur",
    );
  });

  it("a location for a database that wrangler.toml does not have is refused at once", async () => {
    expect((await deploy("--database-location", "DB_9=weur")).stderr).toContain('no D1 database with binding = "DB_9"');
    expect(account.calls()).toEqual([]);
  });
});

describe("databases with data", () => {
  it("one that has not had a step gets it alone, and keeps its data", async () => {
    await deployWell();
    const database = new DatabaseSync(join(account.folder, "d1-id-0.sqlite"));
    database.exec("INSERT INTO accounts (id, owner_email, created_at) VALUES ('a1', 'o@example.com', 1)");
    const step = "ALTER TABLE accounts ADD COLUMN language TEXT NOT NULL DEFAULT 'en';\n";
    await writeFile(join(account.checkout, "migrations/9998_language.sql"), step);
    expect(await deployWell()).toContain("9998_language.sql");
    expect(database.prepare("SELECT language FROM accounts").all()).toEqual([{ language: "en" }]);
    database.close();
    expect((await everything()).ledgers).toEqual([[...steps, "9998_language.sql"]]);
  });

  it("one whose schema is of no step is refused, and stays as it is", async () => {
    const database = new DatabaseSync(join(account.folder, "d1-id-0.sqlite"));
    database.exec("CREATE TABLE mine (id TEXT)");
    account.change({ databases: [{ uuid: "d1-id-0", name: "edge-access-api", location: "" }] });
    expect((await deploy()).stderr).toContain("Nothing was changed.");
    expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "mine" }]);
    database.close();
  });

  it("one that a newer version has changed is left alone: this version is deployed", async () => {
    await deployWell();
    const database = new DatabaseSync(join(account.folder, "d1-id-0.sqlite"));
    database.exec("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
    database.close();
    expect(await deployWell()).toContain("also has 9999_later.sql, of a newer version");
  });
});

describe("the address that is tested", () => {
  it("is your own domain where there is one, and --url where the domain is set elsewhere", async () => {
    account.change({ targets: ["schedule: * * * * *"] });
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringContaining("custom_domain = true")]);
    expect(await deployWell("--url", account.origin)).toContain("Smoke test   GET /health: 200");
  });

  it.each([
    ["api.example.com", "has no https:// in front. Write --url https://api.example.com."],
    ["api.example.com:443", "has no https:// in front. Write --url https://api.example.com:443."],
    ["ftp://api.example.com", "is not an address of the web. Write one such as https://api.example.com."],
  ])("--url %s is refused at once", async (url, message) => {
    const refusal = `\n--url ${url} ${message}\n`;
    expect(await deploy("--url", url)).toMatchObject({ code: 1, stderr: refusal });
    expect((await account.run("rollback", "--url", url)).stderr).toBe(refusal);
    expect(account.calls()).toEqual([]);
  });
});
