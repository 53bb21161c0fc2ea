/** `npm run doctor`: each planted misconfiguration is found, with its fix; a deployment that is well has none. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { readSchemaState } from "../../../../src/commands/deployment/databases/schema-steps.ts";
import {
  type AddressSeen,
  type DatabaseSeen,
  findingsOf,
  type Seen,
} from "../../../../src/commands/deployment/doctor/findings.ts";
import {
  account,
  edit,
  fileOf,
  inCheckout,
  refused,
  schema,
  sql,
  THEN,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";

const NOW = Date.UTC(2026, 10, 26);
const DATABASE: DatabaseSeen = {
  ...{ binding: "DB", isCreated: true, replication: "auto", missingSteps: [], missingObjects: [] },
  ...{ failedWebhooks: [], failingWebhooks: [], lateWebhooks: 0, fullAccounts: 0 },
};
const ADDRESS: AddressSeen = {
  host: "ideas.example.com",
  noAnswer: undefined,
  ...{ plainHttp: 403, forgedKey: 401, accountSignedOut: 302, clockMs: 500 },
  health: { status: 200, stores: { DB: "ok", CHANGELOGS: "ok" } },
};
const VARIABLES = {
  ACCESS_AUD: "aud",
  FRESHNESS_SECONDS: "5",
  ANCHOR_SECONDS: "6",
  LEASE_SECONDS: "1",
  NEW_ACCOUNTS: "0",
};
const WELL: Seen = {
  variables: VARIABLES,
  live: { variables: VARIABLES, signers: ["CREDENTIAL_SECRETS"] },
  secrets: ["CREDENTIAL_SECRETS", "OPERATOR_SECRET"],
  rotation: { slot: "CREDENTIAL_SECRETS", since: NOW - 86_400_000, stage: "done" },
  databases: [DATABASE],
  owners: 3,
  address: ADDRESS,
};
const database = (changes: Partial<DatabaseSeen>): Partial<Seen> => ({ databases: [{ ...DATABASE, ...changes }] });
const address = (changes: Partial<AddressSeen>): Partial<Seen> => ({ address: { ...ADDRESS, ...changes } });
const variables = (changes: object): Partial<Seen> => ({
  variables: { ...VARIABLES, ...changes },
  live: { variables: {}, signers: ["CREDENTIAL_SECRETS"] },
});
const down = (stores: object) => ({ health: { status: 503, stores: { ...stores } } });

it("finds nothing where all is well, with the address and without", () => {
  expect(findingsOf(WELL, NOW)).toEqual([]);
  expect(findingsOf({ ...WELL, address: undefined }, NOW)).toEqual([]);
});

it.each<[string, Partial<Seen>, string]>([
  ["plain http is open", address({ plainHttp: 200 }), "plain http is answered with 200"],
  ["plain http tells keys apart", address({ plainHttp: 401 }), "plain http is answered with 401"],
  [
    "Access has no audience",
    variables({ ACCESS_AUD: "" }),
    "for any Access application of your organization opens Account Settings",
  ],
  ["replication is off", database({ replication: "disabled" }), "read replication of DB is off"],
  ["replication cannot be read", database({ replication: undefined }), "could not be read"],
  ["sessions hang", address(down({ DB: "down" })), "D1 sessions of DB hang"],
  ["a database cannot be asked", database({ missingSteps: undefined }), "DB could not be queried"],
  ["KV is down", address(down({ CHANGELOGS: "down" })), "/health says that CHANGELOGS is down"],
  ["nothing answers", address({ health: undefined }), "/health does not answer"],
  [
    "the host does not exist",
    address({ noAnswer: "no host has this name", forgedKey: undefined, health: undefined }),
    "ideas.example.com does not answer: no host has this name",
  ],
  ["the clock is behind", address({ clockMs: 90_000 }), "the clock of this machine is 90 s behind"],
  ["the clock is ahead", address({ clockMs: -90_000 }), "90 s ahead"],
  ["a forged key is admitted", address({ forgedKey: 200 }), "a forged API key is answered with 200"],
  ["Account Settings are open", address({ accountSignedOut: 200 }), "answers without a sign-in"],
  [
    "the secret is old",
    { rotation: { slot: "CREDENTIAL_SECRETS", since: NOW - 400 * 86_400_000, stage: "done" } },
    "older than a year",
  ],
  [
    "a rotation stopped",
    { rotation: { slot: "CREDENTIAL_SECRETS", since: undefined, stage: "setting" } },
    "stopped in the middle",
  ],
  [
    "another slot signs",
    { live: { variables: {}, signers: ["CREDENTIAL_SECRETS_2"] } },
    "signs with CREDENTIAL_SECRETS_2",
  ],
  ["the signing secret is missing", { secrets: ["OPERATOR_SECRET"] }, "has no secret CREDENTIAL_SECRETS"],
  ["the operator's secret is missing", { secrets: ["CREDENTIAL_SECRETS"] }, "OPERATOR_SECRET is missing"],
  [
    "webhooks failed",
    database({ failedWebhooks: [["a1", 2]] }),
    "webhooks of DB that failed for days and no longer receive anything: 2 (account a1: 2)",
  ],
  [
    "webhooks are failing",
    database({
      failingWebhooks: [
        ["a1", 2],
        ["a2", 1],
      ],
    }),
    "webhooks of DB whose deliveries have failed for more than an hour, and are tried again: 3 (account a1: 2, account a2: 1)",
  ],
  ["the scheduled job does not run", database({ lateWebhooks: 1 }), "waited for the scheduled job"],
  ["an account is nearly full", database({ fullAccounts: 1 }), "nine tenths of their storage: 1"],
  ["a schema step is missing", database({ missingSteps: ["0002_x.sql"] }), "has not had the schema step 0002_x.sql"],
  [
    "parts of the schema are gone",
    database({ missingObjects: ["table a", "column b.c", "index d", "trigger e"] }),
    "DB is incomplete: it has no table a, no column b.c, no index d, and 1 more are missing",
  ],
  ["the ledger is gone", database({ missingObjects: ["table d1_migrations"] }), "it has no table d1_migrations"],
  [
    "a setting is wrong",
    address({ forgedKey: 500, health: { status: 500, stores: {}, detail: "CREDENTIAL_SECRETS (not set)" } }),
    "/health is answered with 500: CREDENTIAL_SECRETS (not set)",
  ],
  ["a database was never created", database({ isCreated: false }), "was never created"],
  ["there are more owners than free seats", { owners: 51 }, "51 addresses sign in"],
  ["a setting is out of bounds", variables({ LEASE_SECONDS: "9" }), 'LEASE_SECONDS is "9"'],
  ["a setting is no number", variables({ FRESHNESS_SECONDS: "5s" }), 'FRESHNESS_SECONDS is "5s"'],
  ["rows are kept for too short", variables({ CHANGE_DAYS: "7" }), 'CHANGE_DAYS is "7": not a number of days from 30'],
  ["rows are kept for no number", variables({ USAGE_DAYS: "forever" }), 'USAGE_DAYS is "forever"'],
  [
    "a zone cannot be read",
    variables({ OWN_ZONES: "example.com, ex ample" }),
    'every request is refused: "ex", "ample"',
  ],
  [
    "the host is deeper than a zone, and no zone is named",
    address({ host: "ideas.eu.example.com" }),
    "the API is at ideas.eu.example.com: webhooks are kept out of eu.example.com, but not out of the rest of its zone",
  ],
  ["accounts are made nowhere", variables({ NEW_ACCOUNTS: "01" }), "NEW_ACCOUNTS names DB_1"],
  [
    "a change is not deployed",
    { live: { variables: { ...VARIABLES, ACCESS_AUD: "old" }, signers: ["CREDENTIAL_SECRETS"] } },
    "differ in ACCESS_AUD",
  ],
  ["nothing is deployed", { live: undefined, secrets: [] }, "nothing is deployed"],
])("when %s it says so, alone, with a fix", (_, planted, what) => {
  const findings = findingsOf({ ...WELL, ...planted }, NOW);
  expect(findings).toEqual([{ what: expect.stringContaining(what), fix: expect.stringMatching(/\w{4}/) }]);
});

it("finds nothing where the zone of a deep host is named, on workers.dev, and at an IP address", () => {
  const named = { ...WELL, ...address({ host: "ideas.eu.example.com" }), ...variables({ OWN_ZONES: "example.com" }) };
  expect(findingsOf(named, NOW)).toEqual([]);
  for (const host of ["edge-access-api.me.workers.dev", "127.0.0.1"])
    expect(findingsOf({ ...WELL, ...address({ host }) }, NOW)).toEqual([]);
});

it("a database that neither answers nor is healthy is down: its sessions do not hang", () => {
  const planted = { ...WELL, ...address(down({ DB: "down" })), ...database({ missingSteps: undefined }) };
  expect(findingsOf(planted, NOW).map(({ what }) => what)).toEqual([
    "DB could not be queried",
    "/health says that DB is down",
  ]);
});

describe("against a deployment", () => {
  useAccount();
  const set = (name: string, value: string) =>
    edit((toml) => toml.replace(new RegExp(`^${name} = .*$`, "m"), `${name} = "${value}"`));

  it("that is well finds nothing, and changes nothing", async () => {
    set("ACCESS_AUD", "aud");
    await well("deploy", "--wait", "0");
    const { workers } = account.state();
    const worker = workers["edge-access-api"];
    if (worker !== undefined) worker.secrets.OPERATOR_SECRET = "x";
    account.change({ workers });
    account.calls();
    const before = [account.state().workers, readFileSync(inCheckout("wrangler.toml"), "utf8")];
    const stdout = await well("doctor", "--url", account.origin);
    expect(stdout.trim().split("\n")).toEqual([
      "Checking the top level of wrangler.toml in the Cloudflare account Example Ltd (account-1).",
      "Nothing found.",
    ]);
    expect([account.state().workers, readFileSync(inCheckout("wrangler.toml"), "utf8")]).toEqual(before);
    expect(account.calls().filter((call) => /--file|put|create|^deploy$/.test(call))).toEqual([]);
  });

  it("that nobody is logged in to is seen from outside, with --url", async () => {
    account.change({ loggedIn: false });
    expect((await well("doctor", "--url", account.origin)).split("\n").slice(1)).toEqual(["Nothing found.", ""]);
    account.answers["/health"] = { status: 503, body: '{"stores":{"DB":"down"}}' };
    const { code, stdout, stderr } = await account.run("doctor", "--url", account.origin);
    expect([code, stderr.trim()]).toEqual([1, "1 finding."]);
    expect(stdout).toContain(`Checking ${account.origin} from outside.`);
    expect(stdout).toContain("- /health says that DB is down\n  Fix: ");
    expect((await account.run("doctor")).stderr).toContain("You are not logged in to Cloudflare.");
  });

  it.each([
    [
      "https://no-such-host.invalid",
      "no-such-host.invalid does not answer: (no host has this name|its name cannot .*)",
    ],
    ["http://127.0.0.1:65529", "127.0.0.1 does not answer: it refuses the connection: nothing listens there"],
  ])("at an address where nothing is, %s, is one finding in plain words", async (url, what) => {
    account.change({ loggedIn: false });
    const { code, stdout, stderr } = await account.run("doctor", "--url", url);
    expect([code, stderr.trim()]).toEqual([1, "1 finding."]);
    expect(stdout).toMatch(new RegExp(`^- ${what}\n  Fix: check --url`, "m"));
  });

  it.each([
    ["api.example.com", "--url api.example.com has no https:// in front. Write --url https://api.example.com."],
    ["localhost:8787", "--url localhost:8787 has no http:// in front. Write --url http://localhost:8787."],
    ["https://", "--url https:// is not an address. Write one such as https://api.example.com."],
  ])("--url %s is refused, and says what to write", async (url, message) => {
    expect(await account.run("doctor", "--url", url)).toEqual({ code: 1, stdout: "", stderr: `\n${message}\n` });
  });

  /** What the deployment's own database has. */
  const schemaAnswer = async () => {
    const database = new DatabaseSync(fileOf("DB"));
    const { ledger, objects } = await readSchemaState(async (statement) => database.prepare(statement).all());
    database.close();
    return JSON.stringify({ databases: [{ binding: "DB", steps: ledger, objects }] });
  };

  /** The database of a server on this machine that is well. */
  function useServerHere(): DatabaseSync {
    const local = new DatabaseSync(join(account.folder, "local-DB.sqlite"));
    local.exec(`${schema}; ${THEN}`);
    mkdirSync(inCheckout(".wrangler/state"), { recursive: true });
    writeFileSync(inCheckout(".wrangler/state/dev-address.txt"), account.origin);
    writeFileSync(inCheckout(".dev.vars"), 'OPERATOR_SECRET="x"');
    return local;
  }

  it("on this machine is asked where `npm run dev` answers, and its databases are, without a login", async () => {
    account.change({ loggedIn: false });
    const local = new DatabaseSync(join(account.folder, "local-DB.sqlite"));
    local.exec(`${schema}; ${THEN}`);
    const here = () => account.run("doctor", "--on-this-machine");
    expect((await here()).stderr).toContain("Start the server of this folder: npm run dev");
    mkdirSync(inCheckout(".wrangler/state"), { recursive: true });
    writeFileSync(inCheckout(".wrangler/state/dev-address.txt"), account.origin);
    writeFileSync(inCheckout(".dev.vars"), 'OPERATOR_SECRET="x"');
    // The server signs its developer in.
    account.answers["/account/api/accounts"] = { status: 200, body: "{}" };
    expect(await here()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/server of this folder\.\nNothing found\.\n$/),
    });
    local.exec(
      "INSERT INTO webhooks (id, account_id, url, secret, created_at, number, state) VALUES ('w1', 'a1', 'https://x.example/', 's', 1, 0, 'failed')",
    );
    local.close();
    const { code, stdout } = await here();
    expect([code, stdout]).toEqual([1, expect.stringContaining("webhooks of DB that failed")]);
    expect((await account.run("doctor", "--on-this-machine", "--url", account.origin)).stderr).toContain("not both");
  });

  const DROPPED = [
    ["a table", "DROP TABLE comments", "table comments"],
    ["a column", "ALTER TABLE webhooks DROP COLUMN created_by", "column webhooks.created_by"],
    ["an index", "DROP INDEX webhooks_by_account", "index webhooks_by_account"],
    ["a trigger", "DROP TRIGGER quota_exceeded", "trigger quota_exceeded"],
    [
      "what a trigger did",
      "DROP TRIGGER quota_exceeded; CREATE TRIGGER quota_exceeded AFTER INSERT ON accounts BEGIN SELECT 1; END",
      "trigger quota_exceeded as the schema has it",
    ],
    ["the ledger", "DROP TABLE d1_migrations", "table d1_migrations"],
  ] as const;
  const EXTRA = `CREATE TABLE own (id INTEGER, note TEXT); CREATE INDEX own_by_note ON own (note);
    CREATE VIEW own_view AS SELECT 1; CREATE TRIGGER own_added AFTER INSERT ON own BEGIN SELECT 1; END;
    ALTER TABLE surveys ADD COLUMN own_note TEXT`;

  describe.each(DROPPED)("whose database has lost %s", (_, statement, lost) => {
    it("finds that with a login, and backs nothing up: the last backup stays", async () => {
      await well("deploy", "--wait", "0");
      await well("backup", "--output", "backups/last");
      const before = readFileSync(inCheckout("backups/last/DB.sql"), "utf8");
      sql("DB", statement);
      const doctor = await account.run("doctor");
      expect([doctor.code, doctor.stdout]).toEqual([
        1,
        expect.stringContaining(`- DB is incomplete: it has no ${lost}`),
      ]);
      const backup = await account.run("backup", "--output", "backups/last");
      expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining(`DB is incomplete: it has no ${lost}`)]);
      expect(backup.stdout).not.toContain("To restore it");
      expect(readFileSync(inCheckout("backups/last/DB.sql"), "utf8")).toBe(before);
    });

    it("finds that without a login, with the operator's secret alone", async () => {
      account.change({ loggedIn: false });
      const ask = () => account.runWith({ OPERATOR_SECRET: "secret" }, "doctor", "--url", account.origin);
      const answer = async () => {
        account.answers["/operator/schema"] = { status: 200, body: await schemaAnswer() };
      };
      await answer();
      expect(await ask()).toMatchObject({ code: 0, stdout: expect.stringContaining("\nNothing found.\n") });
      sql("DB", statement);
      await answer();
      const { code, stdout } = await ask();
      expect([code, stdout]).toEqual([1, expect.stringContaining(`- DB is incomplete: it has no ${lost}`)]);
    });

    it("finds that on this machine", async () => {
      const local = useServerHere();
      const run = () => account.run("doctor", "--on-this-machine");
      expect(await run()).toMatchObject({ code: 0 });
      local.exec(statement);
      local.close();
      const { code, stdout } = await run();
      expect([code, stdout]).toEqual([1, expect.stringContaining(`- DB is incomplete: it has no ${lost}`)]);
    });
  });

  it("whose database has more than the schema finds nothing, and a backup says what a restore refuses", async () => {
    set("ACCESS_AUD", "aud");
    await well("deploy", "--wait", "0");
    sql("DB", EXTRA);
    expect((await account.run("doctor")).stdout).not.toContain("incomplete");
    const stdout = await well("backup", "--output", "backups/b");
    expect(stdout).toMatch(
      /A restore refuses this backup as it is, .* table surveys of DB, view own_view of DB, trigger own_added of DB: /,
    );
    const { stderr } = await refused("restore", "--from", "backups/b");
    expect(stderr).toContain("that are not in this version's schema");
  });

  it("that gives its schema to nobody with this secret says so", async () => {
    account.change({ loggedIn: false });
    account.answers["/operator/schema"] = { status: 401, body: '{"detail":"This needs the operator\'s secret."}' };
    const { code, stdout } = await account.runWith({ OPERATOR_SECRET: "x" }, "doctor", "--url", account.origin);
    expect([code, stdout]).toEqual([1, expect.stringContaining("401: This needs the operator's secret.")]);
  });

  it("that was changed since finds it, and fails", async () => {
    await well("deploy", "--wait", "0");
    set("LEASE_SECONDS", "9");
    account.api.clear();
    sql(
      "DB",
      "INSERT INTO webhooks (id, account_id, url, secret, created_at, number, state) VALUES ('w1', 'a1', 'https://x.example/', 's', 1, 0, 'failed')",
    );
    account.answers["/health"] = { status: 503, body: '{"stores":{"DB":"down"}}' };
    const { code, stdout, stderr } = await account.run("doctor", "--url", account.origin);
    expect([code, stderr.trim()]).toEqual([1, "7 findings."]);
    for (const what of [
      "Access has no audience",
      "LEASE_SECONDS",
      "differ in LEASE_SECONDS",
      "OPERATOR_SECRET",
      "replication of DB is off",
      "that failed",
      "D1 sessions of DB hang",
    ])
      expect(stdout).toContain(what);
    expect(stdout.match(/^ {2}Fix: \w/gm)).toHaveLength(7);
  });
});
