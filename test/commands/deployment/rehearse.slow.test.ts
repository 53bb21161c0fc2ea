/** `npm run rehearse` against the stand-in: each step is done in the environment, and a step that fails ends it with what it saw. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

let account: StandInAccount;
beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const run = (...more: string[]) =>
  account.run("rehearse", "--env", "staging", "--url", account.origin, "--wait", "0", "--yes", ...more);
const summary = (text: string) => text.slice(text.indexOf("Results of the rehearsal:")).trim().split("\n");

it("does all of it, and says what it saw", async () => {
  const { code, stdout, stderr } = await run();
  expect([code, stderr.includes("failed")]).toEqual([0, false]);
  expect(summary(stdout).map((line) => line.replace(/ \(\d+ s\)$/, ""))).toEqual([
    "Results of the rehearsal:",
    "ok    deploy: deployed, and the smoke test passed",
    "ok    no other accounts: only the rehearsal's",
    expect.stringMatching(/^ok {4}read replication: auto\. To see which replicas answer/),
    expect.stringMatching(/^ok {4}backup: backups.rehearsal-/),
    "ok    restore: a change made after the backup is undone",
    "ok    rotate the signing secret: a new secret signs",
    "ok    deploy again, and roll back: the previous version was live, and now this one is",
    "look  doctor: its findings are above",
    expect.stringMatching(/^Commit wrangler\.toml/),
  ]);
  expect(Object.keys(account.state().workers)).toEqual(["edge-access-api-staging"]);
  // A second one finds an environment that was rehearsed in.
  expect((await run()).code).toBe(0);
});

it.each([
  ["deploy ", ["FAIL  deploy"]],
  ["d1 export", ["FAIL  backup"]],
  ["secret put CREDENTIAL_SECRETS_2", ["FAIL  rotate the signing secret"]],
  ["versions deploy", ["FAIL  deploy again, and roll back"]],
])("stops where %s fails, and says what it saw until then", async (call, last) => {
  account.change({ failures: [call] });
  const { code, stderr } = await run();
  expect(code).toBe(1);
  expect(summary(stderr).slice(-1)).toEqual(last);
});

it("refuses an environment in which there are accounts, and changes none", async () => {
  await account.run("deploy", "--env", "staging", "--wait", "0");
  const [database] = account.state().databases;
  const file = new DatabaseSync(join(account.folder, `${database?.uuid}.sqlite`));
  file.exec("INSERT INTO accounts (id, owner_email, created_at) VALUES ('0Account0001', 'o@example.com', 1)");
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([1, expect.stringContaining("DB has 1 accounts: a rehearsal is for")]);
  expect(file.prepare("SELECT id FROM accounts").all()).toEqual([{ id: "0Account0001" }]);
  file.close();
});

it("refuses production, and to begin unasked", async () => {
  const { stderr: production } = await account.run("rehearse", "--url", account.origin, "--yes");
  expect(production).toContain("Give --env and --url.");
  account.answerWith(undefined);
  const { stderr: unasked } = await account.run("rehearse", "--env", "staging", "--url", account.origin);
  expect(unasked).toContain("Nothing was done, because");
  expect(account.calls()).toEqual([]);
});
