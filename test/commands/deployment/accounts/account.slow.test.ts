/** `npm run account` against an account of the stand-in for wrangler, whose databases on this machine have today's schema. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

const schema = readFileSync("schema.sql", "utf8");
const [OWNER, ACCOUNT, KEY] = ["o'neil@example.com", "0Account0001", "0ApiKey00001"];
let standIn: StandInAccount;
let database: DatabaseSync;

beforeAll(async () => {
  standIn = await openAccount();
  database = new DatabaseSync(join(standIn.folder, "local-DB.sqlite"));
  database.exec(`PRAGMA synchronous = off; ${schema}`);
});
afterAll(async () => {
  database.close();
  await standIn.close();
});
beforeEach(() => {
  database.exec(`DELETE FROM accounts;
    INSERT INTO accounts (id, owner_email, created_at) VALUES ('${ACCOUNT}', 'o''neil@example.com', 1);
    INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at) VALUES ('${KEY}', '${ACCOUNT}', 'Import', 'h', '[]', 1);`);
});

const run = (...args: string[]) => standIn.run("account", ...args, "--on-this-machine");

it("shows an account and its keys, as an operator types it", async () => {
  const { code, stdout, stderr } = await standIn.runNpm("account", "show", OWNER.toUpperCase(), "--on-this-machine");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(
    `${OWNER} (account ${ACCOUNT}) is active. It stores 0.0 of 512.0 MiB.\n  ${KEY}  Import: 600 requests in 60 s\n`,
  );
});

it("shows the account of a key that the log names, and changes none by it", async () => {
  expect((await run("show", KEY)).stdout).toContain(`(account ${ACCOUNT})`);
  expect(await run("quota", KEY, "1024")).toMatchObject({
    code: 1,
    stderr: `\nNo account has the ID ${KEY}. Nothing was changed.\n`,
  });
  expect((await run("show", "0ApiKey00009")).stderr).toBe("\nNo account and no API key has the ID 0ApiKey00009.\n");
});

it("takes a whole key for its identifier, and does not print it", async () => {
  const whole = `ibk_${KEY}SecretSecretSecret`;
  for (const args of [
    ["show", whole],
    ["revoke", whole, "--dry-run"],
  ]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stderr, stdout.includes(KEY), stdout.includes("Secret")]).toEqual([0, "", true, false]);
  }
});

it("says of a key whether it has expired, expires, is paused or was revoked", async () => {
  const states = async (columns: string) => {
    database.exec(`UPDATE api_keys SET ${columns}`);
    const [list, show] = [await run("list"), await run("show", KEY)];
    return [list.stdout.match(/\d API keys?/)?.[0], show.stdout.match(/600 requests in 60 s, (.*)\n/)?.[1]];
  };
  expect(await states("expires_at = 2000")).toEqual(["0 API keys", "expired 1970-01-01T00:00:02.000Z"]);
  const later = Date.UTC(2100, 0);
  expect(await states(`expires_at = ${later}, paused_at = 1000`)).toEqual([
    "1 API key",
    "expires 2100-01-01T00:00:00.000Z, paused since 1970-01-01T00:00:01.000Z",
  ]);
  expect(await states("revoked_at = 3000")).toEqual(["0 API keys", "revoked 1970-01-01T00:00:03.000Z"]);
});

it("shows the webhooks: one that fails since when, with its next attempt, apart from one that waits", async () => {
  const webhook = (id: string, columns: string, values: string) =>
    `INSERT INTO webhooks (id, account_id, url, secret, created_at, number, ${columns}) VALUES ('${id}', '${ACCOUNT}', 'https://${id}.example/', 's', 1, 0, ${values});`;
  database.exec(
    webhook("w1", "state", "'active'") +
      webhook("w2", "state, due_at, failing_since, attempts", "'active', 90000, 1000, 3") +
      webhook("w3", "state, due_at", "'active', 2000") +
      webhook("w4", "state, failing_since, attempts", "'failed', 1000, 9") +
      webhook("w5", "state", "'paused'"),
  );
  const { stdout } = await run("show", ACCOUNT);
  expect(stdout.split("\n").filter((line) => line.includes("webhook"))).toEqual([
    "  w1  webhook https://w1.example/: active",
    "  w2  webhook https://w2.example/: active, failing since 1970-01-01T00:00:01.000Z, next attempt 1970-01-01T00:01:30.000Z",
    "  w3  webhook https://w3.example/: active, waiting for the scheduled job since 1970-01-01T00:00:02.000Z",
    "  w4  webhook https://w4.example/: failed, failing since 1970-01-01T00:00:01.000Z",
    "  w5  webhook https://w5.example/: paused",
  ]);
});

it("lists the activity by a key, too, with what an event is about", async () => {
  database.exec(`INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, subject_id, created_at)
    VALUES ('0Event000001', '${ACCOUNT}', 'ideabank-deleted', '${KEY}', '', '0Bank0000001', 1000)`);
  expect((await run("events", KEY)).stdout).toBe(`1970-01-01T00:00:01.000Z  ideabank-deleted  ${KEY} 0Bank0000001\n`);
  expect(JSON.parse((await run("events", ACCOUNT, "--json")).stdout)).toMatchObject({ subjectId: "0Bank0000001" });
});

it("shows what the quota counts: votes, too", async () => {
  database.exec(`UPDATE accounts SET stored_bytes = ${2 * 1_048_576}, counted_votes = ${1_048_576 / 128}`);
  expect(await run("show", ACCOUNT)).toMatchObject({ stdout: expect.stringContaining("It stores 3.0 of 512.0 MiB.") });
});

it.each([OWNER, ACCOUNT])("changes the quota of %s", async (subject) => {
  expect(await run("quota", subject, "1024")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("of 1024.0 MiB"),
  });
  expect(database.prepare("SELECT max_bytes AS bytes FROM accounts").get()).toEqual({ bytes: 1_073_741_824 });
  // Once: setting the present quota is no event.
  await run("quota", subject, "1024");
  const events = database.prepare("SELECT id, event, actor, changes FROM audit_events").all();
  expect(events.map((event) => ({ ...event }))).toEqual([
    {
      id: expect.stringMatching(/^0[0-9A-F]{11}$/),
      ...{ event: "quota-changed", actor: "the operator" },
      changes: '{"before":{"maxBytes":536870912},"after":{"maxBytes":1073741824}}',
    },
  ]);
});

it.each([OWNER, ACCOUNT])("ends all tokens of %s, which its activity shows", async (subject) => {
  const ends = () => ({ ...database.prepare("SELECT token_epoch AS ends, tokens_ended_at AS at FROM accounts").get() });
  expect(ends()).toEqual({ ends: 0, at: null });
  for (let times = 0; times < 2; times++)
    expect(await run("end-tokens", subject, "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`All tokens of the account ${ACCOUNT} of ${OWNER} have ended.`),
    });
  const { at, ...times } = ends();
  expect(times).toEqual({ ends: 2 });
  expect(Math.abs(Number(at) - Date.now())).toBeLessThan(60_000);
  const events = database.prepare("SELECT id, event, actor FROM audit_events ORDER BY created_at").all();
  expect(events.map((event) => ({ ...event }))).toEqual(
    Array(2).fill({ id: expect.stringMatching(/^0[0-9A-F]{11}$/), event: "tokens-ended", actor: "the operator" }),
  );
});

it.each([
  [[], "Say what to do. These exist: list, show, events, export, delete, quota, limit, revoke, end-tokens,"],
  [["quota", OWNER], "quota: <MiB> is missing.\nUsage: npm run account -- quota <account> <MiB>\n"],
  [["limit", KEY], "limit: <requests> is missing.\nUsage: npm run account -- limit <key> <requests> [<seconds>]\n"],
  [["remove", OWNER], "There is no `remove`. Did you mean `revoke`? These exist: list, show,"],
  [["lst"], "There is no `lst`. Did you mean `list`? These exist: list, show,"],
  [["revoke", KEY, "now"], "now: too much for revoke.\nUsage: npm run account -- revoke <key>\n"],
  [["show", "1Account0001"], "No account and no API key has the ID 1Account0001: wrangler.toml has no database DB_1."],
  [["quota", OWNER, "0"], "0: the quota in MiB is a number from 1 to 10240."],
  [["limit", KEY, "10001"], "10001: the limit is a number from 1 to 10000."],
  [["limit", KEY, "5", "0"], "0: the seconds is a number from 1 to 3600."],
  [["limit", OWNER, "5"], "an API key's identifier has 12 letters and digits"],
  [["show", "x'; DELETE FROM accounts; --"], "an owner's e-mail address, or"],
])("npm run account -- %j is refused, and asks no database", async (args, message) => {
  standIn.calls();
  expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  expect(standIn.calls()).toEqual([]);
});

it.each([
  ["nobody@example.com", "No account has the owner nobody@example.com."],
  ["x'OR'1'='1@example.com", "No account has the owner x'OR'1'='1@example.com."],
  ["0Account0009", "No account has the ID 0Account0009."],
  ["1Account0001", "No account has the ID 1Account0001: "],
])("says that there is no %s, and changes nothing", async (subject, message) => {
  const { code, stderr } = await run("quota", subject, "1");
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr).toContain("Nothing was changed.");
  expect(database.prepare("SELECT max_bytes AS bytes FROM accounts").get()).toEqual({ bytes: 536_870_912 });
});

it("says so where a list is empty, and prints nothing for a program", async () => {
  expect((await run("events", OWNER)).stdout).toBe(`No activity of ${OWNER} yet.\n`);
  expect((await run("events", OWNER, "--json")).stdout).toBe("");
  database.exec("DELETE FROM api_keys");
  expect((await run("show", OWNER)).stdout).toContain("\n  No API keys yet.\n");
  database.exec("DELETE FROM accounts");
  expect((await run("list")).stdout).toBe("No accounts yet. The first sign-in makes one.\n");
  expect((await run("list", "--json")).stdout).toBe("");
});

it("says of a database with an older schema what to run, not what SQL lacks", async () => {
  database.exec("ALTER TABLE accounts RENAME COLUMN max_bytes TO older");
  const { code, stdout, stderr } = await run("show", OWNER);
  database.exec("ALTER TABLE accounts RENAME COLUMN older TO max_bytes");
  expect([code, stdout, stderr.trim()]).toEqual([
    1,
    "",
    "DB has an older schema than this version. `npm run dev` creates the databases of this machine, in .wrangler/state.",
  ]);
});

it("with --persist-to the databases of a server that keeps its data elsewhere are asked", async () => {
  const state = join(standIn.checkout, "other/state");
  mkdirSync(join(state, "v3/d1"), { recursive: true });
  const other = new DatabaseSync(join(state, "local-DB.sqlite"));
  other.exec(
    `${schema}; INSERT INTO accounts (id, owner_email, created_at) VALUES ('0Account0005', 'other@example.com', 1);`,
  );
  other.close();
  expect(await run("list", "--persist-to", "other/state")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^0Account0005 {2}other@example\.com: active.*\n$/),
  });
  expect((await run("delete", "0Account0005", "--yes", "--persist-to", "other/state")).stderr).toContain(
    "npm run suspend -- other@example.com --on-this-machine --persist-to other/state\n",
  );
});

it.each([
  [
    ["--on-this-machine", "--persist-to", "none"],
    "There is no data of a local server in none: it has no folder v3/d1.",
  ],
  [["--persist-to", ".wrangler/state"], "--persist-to is for --on-this-machine."],
])("npm run account -- list %j is refused, and asks no database", async (where, message) => {
  standIn.calls();
  expect(await standIn.run("account", "list", ...where)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message),
  });
  expect(standIn.calls()).toEqual([]);
});
