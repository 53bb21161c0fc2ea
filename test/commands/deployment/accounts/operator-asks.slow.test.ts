/** Commands that end something ask first, and say in a dry run what they would do; and the lists of accounts and events. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  account,
  calls,
  contentOf,
  keys,
  refused,
  sql,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";

useAccount();

const KEY = "0ApiKey00001";
const ACCOUNT = "0Account0001";
beforeEach(() =>
  sql(
    "DB",
    "DELETE FROM accounts",
    `INSERT INTO accounts (id, owner_email, created_at) VALUES ('${ACCOUNT}', 'o@example.com', 1), ('0Account0002', 'p@example.com', 2)`,
    `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at, revoked_at) VALUES
      ('${KEY}', '${ACCOUNT}', 'Import', 'h', '[]', 1, NULL), ('0ApiKey00002', '${ACCOUNT}', 'Old', 'i', '[]', 1, 5)`,
    `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited) VALUES ('${KEY}', ${Date.now() - 7_200_000}, 40, 2), ('${KEY}', ${Date.now() - 90_000_000}, 9, 9)`,
    `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m1', '${ACCOUNT}', 'm@example.com', 'x', 1)`,
  ),
);

const ENDING: [string, Parameters<typeof refused>, string][] = [
  [
    "account revoke",
    ["account", "revoke", KEY, "--url", "https://api.example.com"],
    `The API key ${KEY} of https://api.example.com is revoked for good.`,
  ],
  [
    "suspend",
    ["suspend", "o@example.com", "--url", "https://api.example.com"],
    "o@example.com is suspended at https://api.example.com",
  ],
  ["restore", ["restore", "--from", "backups/b"], "All data is replaced by backups/b."],
];

describe.each(ENDING)("npm run %s", (_, args, sentence) => {
  const run = () => account.runWith({ OPERATOR_SECRET: "secret" }, ...args);

  it("where nobody can be asked refuses without --yes, and does nothing", async () => {
    await well("backup", "--output", "backups/b");
    calls();
    account.answerWith(undefined);
    const before = contentOf("DB");
    const { code, stderr } = await run();
    expect([code, stderr.trim()]).toEqual([
      1,
      // Words that say what would be done come last: read first, they sound as if it was done.
      expect.stringMatching(/^Nothing was done, because there is no terminal to confirm at\. .* add --yes:\n/),
    ]);
    expect(stderr.trim().split("\n")[1]).toContain(sentence);
    expect([contentOf("DB"), calls().filter((call) => !call.includes("--command SELECT"))]).toEqual([before, []]);
  });

  it("does nothing when the person answers anything but yes", async () => {
    await well("backup", "--output", "backups/b");
    const asked: string[] = [];
    account.answerWith(async (question) => {
      asked.push(question);
      return "y";
    });
    const { code, stderr } = await run();
    expect([code, stderr.trim()]).toEqual([1, "Nothing was done."]);
    expect(asked).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("npm run rotate-secret -- --end-old", () => {
  beforeEach(async () => {
    await well("deploy", "--wait", "0");
    await well("rotate-secret", "--wait", "0");
    calls();
  });
  const secrets = () => account.state().workers["edge-access-api"]?.secrets;

  it("asks, and refuses where nobody can be asked", async () => {
    const before = secrets();
    account.answerWith(undefined);
    const { stderr } = await refused("rotate-secret", "--end-old", "--now");
    expect(stderr).toContain("What CREDENTIAL_SECRETS signed stops working for good: 1 valid API key");
    expect(secrets()).toEqual(before);
    await well("rotate-secret", "--end-old", "--now", "--yes");
    expect(secrets()).not.toEqual(before);
  });

  it.each([
    [["--end-old"], "Would end what CREDENTIAL_SECRETS signed: 1 valid API key"],
    [[], "Would set a new secret in CREDENTIAL_SECRETS, wait 120 seconds, and deploy the Worker"],
  ])("--dry-run with %j says what it would do, and does nothing", async (more, sentence) => {
    const before = account.state().workers;
    expect(await well("rotate-secret", ...more, "--dry-run")).toContain(sentence);
    expect(account.state().workers).toEqual(before);
  });
});

it("npm run rollback -- --dry-run names the version, and does nothing", async () => {
  await well("deploy", "--wait", "0");
  await well("deploy", "--wait", "0");
  const before = account.state().workers;
  expect(await well("rollback", "--dry-run")).toMatch(
    /^Would roll edge-access-api back from version-\d to version-\d\. A dry run: nothing was done\.$/m,
  );
  expect(account.state().workers).toEqual(before);
});

it("npm run account -- revoke --dry-run names the key, and does nothing", async () => {
  const before = keys();
  expect(await well("account", "revoke", KEY, "--dry-run")).toBe(
    `Would revoke the API key ${KEY} (Import) of o@example.com. A dry run: nothing was done.\n`,
  );
  expect(await well("account", "revoke", "0ApiKey00002", "--dry-run")).toContain("Is revoked already:");
  expect((await refused("account", "revoke", "0ApiKey00009", "--dry-run")).stderr).toBe(
    "\nNo API key has the ID 0ApiKey00009.\n",
  );
  expect(keys()).toEqual(before);
});

describe("npm run account -- list", () => {
  it("has a line for each account", async () => {
    expect((await well("account", "list")).trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^0Account0001 {2}o@example\.com: active, 1 API key, 1 more member, 0\.0 of 512\.0 MiB, 42 requests in the last day$/,
      ),
      expect.stringMatching(
        /^0Account0002 {2}p@example\.com: active, 0 API keys, 0 more members, .* 0 requests in the last day$/,
      ),
    ]);
  });

  it("has a line of JSON for each account, as an operator types it", async () => {
    const { code, stdout } = await account.runNpm("account", "list", "--json");
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))[0],
    ).toEqual({
      ...{
        id: ACCOUNT,
        owner: "o@example.com",
        status: "active",
        storedBytes: expect.any(Number),
        maxBytes: 536_870_912,
      },
      ...{ createdAt: "1970-01-01T00:00:00.001Z", apiKeys: 1, members: 1, requestsOfLastDay: 42 },
    });
  });
});

it("npm run account -- events has every event, however many there are, and JSON stays JSON", async () => {
  const events = Array.from(
    { length: 1_203 },
    (_, index) =>
      `('0Event${String(index).padStart(6, "0")}', '${ACCOUNT}', 'changed', '${KEY}', 'K\u009b', 'them', ${Math.floor(index / 2)}, '{"before":{},"after":{"limit":5}}')`,
  );
  sql(
    "DB",
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, created_at, changes) VALUES ${events.join(", ")}`,
  );
  const text = (await well("account", "events", "o@example.com")).trimEnd().split("\n");
  expect(text).toHaveLength(1_203);
  expect(text[0]).toBe(
    `1970-01-01T00:00:00.000Z  changed  ${KEY} K\\u{9b}  by them  {"before":{},"after":{"limit":5}}`,
  );
  const json = (await well("account", "events", ACCOUNT, "--json"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(new Set(json.map(({ id }) => id)).size).toBe(1_203);
  expect(json[0]).toMatchObject({ apiKeyName: "K\u009b", changes: { before: {}, after: { limit: 5 } } });
});
