/** A restore that stopped, and what is run next: whatever that is, what had been ended stays ended. */
import { expect, it } from "vitest";
import {
  account,
  addDatabase,
  keepMoment,
  keys,
  lastLines,
  MOMENT,
  REVOKED,
  refused,
  rows,
  sql,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";

useAccount();

const K1_REVOKED = [["k1", 500]];
const folderIn = (stdout: string) => /npm run restore -- --end-again (\S+)/.exec(stdout)?.[1] ?? "";
const keysOf = (binding: string) => rows(binding, "SELECT id, revoked_at FROM api_keys");
/** Stops between the two databases: the first one was put back, and nothing is ended again. Returns what it printed. */
async function stopBetween(call = "d1 time-travel restore DB_1"): Promise<string> {
  addDatabase();
  for (const binding of ["DB", "DB_1"]) sql(binding, REVOKED);
  account.change({ failures: [call] });
  const { stdout } = await refused("restore", "--timestamp", MOMENT);
  expect([keysOf("DB"), keysOf("DB_1")]).toEqual([[["k1", null]], K1_REVOKED]);
  return stdout;
}

it("one database, stopped before what had ended was ended again: the same command completes it", async () => {
  keepMoment("DB");
  sql("DB", REVOKED);
  account.change({ failures: ["d1 execute DB --remote --yes --file"] });
  const { stdout } = await refused("restore", "--timestamp", MOMENT);
  expect(stdout).toContain(
    `the message says what. To complete the restore: npm run restore -- --timestamp ${MOMENT}\n`,
  );
  expect(keys()).toEqual([["k1", null]]);
  expect(await well("restore", "--timestamp", MOMENT)).toContain(
    "DB: a restore stopped before it had ended everything",
  );
  expect(keys()).toEqual(K1_REVOKED);
});

it("several databases, stopped between them: the same command completes it", async () => {
  await stopBetween();
  await well("restore", "--timestamp", MOMENT);
  expect([keysOf("DB"), keysOf("DB_1")]).toEqual([K1_REVOKED, K1_REVOKED]);
});

it("several databases, when the second one was put back and its answer was lost: the same command completes it", async () => {
  addDatabase();
  for (const binding of ["DB", "DB_1"]) sql(binding, REVOKED);
  account.change({ failures: ["d1 time-travel restore DB_1!"] });
  await refused("restore", "--timestamp", MOMENT);
  await well("restore", "--timestamp", MOMENT);
  expect([keysOf("DB"), keysOf("DB_1")]).toEqual([K1_REVOKED, K1_REVOKED]);
});

it("several databases, stopped because keys are being ended all the time: run again, it completes it", async () => {
  addDatabase();
  sql("DB", REVOKED);
  let revoked = 0;
  account.before("d1 execute DB_1 --remote --yes --json", () => {
    if (revoked < 6) sql("DB_1", `UPDATE api_keys SET revoked_at = ${++revoked} WHERE id = 'k1'`);
  });
  expect((await refused("restore", "--timestamp", MOMENT)).stderr).toContain("Run it again when that is over.");
  revoked = 6;
  await well("restore", "--timestamp", MOMENT);
  expect(keysOf("DB")).toEqual(K1_REVOKED);
  expect(keysOf("DB_1")).not.toEqual([["k1", null]]);
});

it("that stops twice, and is completed with the second folder: what each had found is ended again", async () => {
  keepMoment("DB");
  sql("DB", REVOKED);
  account.change({ failures: ["d1 execute DB --remote --yes --file"] });
  await refused("restore", "--timestamp", MOMENT);
  sql("DB", "UPDATE accounts SET status = 'suspended'");
  account.change({ failures: ["d1 execute DB --remote --yes --file"] });
  const { stdout } = await refused("restore", "--timestamp", MOMENT);
  await well("restore", "--end-again", folderIn(stdout));
  expect([keys(), rows("DB", "SELECT status FROM accounts")]).toEqual([K1_REVOKED, [["suspended"]]]);
});

it.each(["--from", "--timestamp", "--without-export"])("that is followed by another one with %s", async (option) => {
  await well("backup", "--output", "backups/b");
  keepMoment("DB");
  sql("DB", REVOKED);
  account.change({ failures: ["d1 execute DB --remote --yes --file"] });
  await refused("restore", "--timestamp", MOMENT);
  await well(
    "restore",
    ...(option === "--timestamp" ? [option, MOMENT] : ["--from", "backups/b"]),
    ...(option === "--without-export" ? [option] : []),
  );
  expect(keys()).toEqual(K1_REVOKED);
});

it("that stopped between databases: --end-again ends in the one that was put back, and leaves the other one alone", async () => {
  const folder = folderIn(await stopBetween("d1 execute DB_1 --remote --yes --json"));
  account.calls();
  expect(await well("restore", "--end-again", folder)).toContain("DB_1: left as it is.");
  expect(account.calls().filter((call) => call.startsWith("d1 execute DB_1"))).toEqual([]);
  expect([keysOf("DB"), keysOf("DB_1")]).toEqual([K1_REVOKED, K1_REVOKED]);
});

it("that stopped between databases: the way back brings both back", async () => {
  const folder = folderIn(await stopBetween());
  await well("restore", "--from", folder);
  expect([keysOf("DB"), keysOf("DB_1")]).toEqual([K1_REVOKED, K1_REVOKED]);
});

it("that was completed is over: the next one ends only what its own export has", async () => {
  keepMoment("DB");
  sql("DB", "UPDATE accounts SET status = 'suspended'");
  await well("restore", "--timestamp", MOMENT);
  sql("DB", "UPDATE accounts SET status = 'active'");
  await well("restore", "--timestamp", MOMENT);
  expect(rows("DB", "SELECT status FROM accounts")).toEqual([["active"]]);
});

it("that was completed: --end-again changes nothing more, whatever people have done since", async () => {
  keepMoment("DB");
  sql("DB", "UPDATE accounts SET status = 'suspended'");
  const folder = folderIn(await well("restore", "--timestamp", MOMENT));
  sql("DB", "UPDATE accounts SET status = 'active'");
  expect(lastLines(await well("restore", "--end-again", folder))[1]).toBe(
    `Ended again: nothing; the restore that made ${folder} is complete.`,
  );
  expect(rows("DB", "SELECT status FROM accounts")).toEqual([["active"]]);
});

it("--end-again with the folder of another environment's restore is refused", async () => {
  keepMoment("DB");
  sql("DB", REVOKED);
  const folder = folderIn(await well("restore", "--timestamp", MOMENT));
  expect((await refused("restore", "--end-again", folder, "--on-this-machine")).stderr).toContain(
    `${folder} is of a restore of other databases (--remote).`,
  );
});

it("--end-again from an export that no restore has made takes every database", async () => {
  sql("DB", REVOKED);
  await well("backup", "--output", "backups/b");
  sql("DB", "UPDATE api_keys SET revoked_at = NULL");
  await well("restore", "--end-again", "backups/b");
  expect(keys()).toEqual(K1_REVOKED);
});
