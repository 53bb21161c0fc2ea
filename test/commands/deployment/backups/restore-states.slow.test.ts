/** Backup, and restore to a moment, against an account of the stand-in for wrangler: what is asked of Cloudflare, and every broken state. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import {
  account,
  addDatabase,
  calls,
  fileOf,
  inCheckout,
  keepMoment,
  keys,
  lastLines,
  MOMENT,
  REVOKED,
  refused,
  rows,
  schema,
  sql,
  THEN,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";

useAccount();

describe("npm run backup", () => {
  it("exports every database, as an operator types it", async () => {
    const { code, stdout, stderr } = await account.runNpm("backup", "--output", "backups/b");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nbackups\/b\/DB\.sql: \d+ bytes; 1 accounts, 1 API keys, 0 panelists, /);
    expect(stdout).toContain("To restore it: npm run restore -- --from backups/b\n");
    expect(calls()).toEqual(["d1 export DB --remote --output backups…/DB.part.sql --skip-confirmation"]);
  });

  it("of a database without tables is a failure, and leaves no file", async () => {
    const { stderr } = await refused("backup", "--on-this-machine", "--output", "backups/none");
    expect(stderr).toContain(
      "DB has no tables: there is nothing to back up, and no backup was kept. `npm run dev` creates",
    );
    expect(readdirSync(inCheckout("backups/none"))).toEqual([]);
  });

  describe("of this machine, while a server writes", () => {
    const local = (...scripts: string[]) => {
      const database = new DatabaseSync(join(account.folder, "local-DB.sqlite"));
      database.exec(scripts.join(";\n"));
      database.close();
    };
    beforeEach(() => local(schema, THEN));

    it("between two tables and then no more: exports it again, until nothing has changed meanwhile", async () => {
      let writes = 2;
      account.before("d1 export DB --local", () => {
        if (writes-- > 0)
          local(`INSERT INTO accounts (id, owner_email, created_at) VALUES ('w${writes}', 'w${writes}', 1)`);
      });
      const printed = await well("backup", "--on-this-machine", "--output", "backups/b");
      expect(printed).toContain("backups/b/DB.sql: ");
      expect(printed).toContain("; 3 accounts, ");
      expect(calls()).toHaveLength(3);
    });

    it("all the time: refuses, and leaves no file", async () => {
      let writes = 0;
      account.before("d1 export DB --local", () =>
        local(`INSERT INTO accounts (id, owner_email, created_at) VALUES ('w${writes}', 'w${writes++}', 1)`),
      );
      const { stderr } = await refused("backup", "--on-this-machine", "--output", "backups/b");
      expect(stderr).toContain("A server keeps writing to DB, so its export would not be of a single moment.");
      expect(readdirSync(inCheckout("backups/b"))).toEqual([]);
    });
  });

  it.each(["d1 export DB ", "d1 export DB_1 "])(
    "into the folder of the last one keeps that one when a call fails: %s",
    async (call) => {
      addDatabase();
      await well("backup", "--output", "backups/last");
      const last = () =>
        ["DB", "DB_1"].map((binding) => readFileSync(inCheckout(`backups/last/${binding}.sql`), "utf8"));
      const before = last();
      for (const binding of ["DB", "DB_1"]) sql(binding, REVOKED);
      account.change({ failures: [call] });
      await refused("backup", "--output", "backups/last");
      expect(last()).toEqual(before);
      await well("backup", "--output", "backups/last");
      expect(last()).not.toEqual(before);
      expect(readdirSync(inCheckout("backups/last")).toSorted()).toEqual(["DB.sql", "DB_1.sql", "backup.json"]);
    },
  );

  it("into the folder of the last one keeps that one when the new one is cut off, or has no tables", async () => {
    await well("backup", "--output", "backups/last");
    const last = () => readFileSync(inCheckout("backups/last/DB.sql"), "utf8");
    const before = last();
    account.cutExports(3_000);
    await refused("backup", "--output", "backups/last");
    await refused("backup", "--output", "backups/last", "--on-this-machine");
    expect(last()).toEqual(before);
    expect(readdirSync(inCheckout("backups/last")).toSorted()).toEqual(["DB.sql", "backup.json"]);
  });

  it("is readable for its owner alone, also where the folder and the file were there before", async () => {
    mkdirSync(inCheckout("kept"), { mode: 0o755 });
    writeFileSync(inCheckout("kept/DB.sql"), "old", { mode: 0o644 });
    chmodSync(inCheckout("kept/DB.sql"), 0o644);
    await well("backup", "--output", "kept");
    expect(statSync(inCheckout("kept/DB.sql")).mode & 0o777).toBe(0o600);
    await well("backup", "--output", "new");
    expect(statSync(inCheckout("new")).mode & 0o777).toBe(0o700);
  });
});

describe("npm run restore to a moment", () => {
  beforeEach(() => {
    keepMoment("DB");
    sql("DB", REVOKED);
  });

  it("exports, looks again, travels in time, ends again what had ended, and says so in three lines", async () => {
    const stdout = await well("restore", "--timestamp", MOMENT);
    expect(keys()).toEqual([["k1", 500]]);
    expect(calls()).toEqual([
      "d1 export DB --remote --output backups…/DB.part.sql --skip-confirmation",
      "d1 execute DB --remote --yes --json --command SELECT …",
      `d1 time-travel restore DB --timestamp=${MOMENT}`,
      "d1 execute DB --remote --yes --json --command SELECT …",
      "d1 execute DB --remote --yes --json --command SELECT …",
      "d1 execute DB --remote --yes --file backups…/DB-end-again.sql",
    ]);
    expect(lastLines(stdout)).toEqual([
      `Restored: ${MOMENT} (DB: 1 accounts).`,
      // One is for the invitations that were withdrawn since, one for who was signed in, and two are for waiting e-mails.
      "Ended again: what had been ended (5 statements).",
      "Next: npm run deploy, which empties the memory of every location.",
    ]);
  });

  it("that fails after the export says how to complete it", async () => {
    account.change({ failures: ["d1 execute DB --remote --yes --file"] });
    const { stdout } = await refused("restore", "--timestamp", MOMENT);
    expect(keys()).toEqual([["k1", null]]);
    const [, folder = ""] = /npm run restore -- --end-again (\S+)/.exec(stdout) ?? [];
    expect(lastLines(await well("restore", "--end-again", folder))[0]).toBe(
      "Restored: nothing; the databases keep their data.",
    );
    expect(keys()).toEqual([["k1", 500]]);
  });

  it("at which there were no tables says so, and the export brings the present back", async () => {
    new DatabaseSync(`${fileOf("DB")}.then`).exec(
      "DROP TABLE api_keys; DROP TABLE accounts; DROP TABLE token_revocations",
    );
    const { stdout, stderr } = await refused("restore", "--timestamp", MOMENT);
    expect(stderr).toContain(`At ${MOMENT} DB had no tables.`);
    const [, folder = ""] = /npm run restore -- --from (\S+)/.exec(stdout) ?? [];
    await well("restore", "--from", folder);
    expect(keys()).toEqual([["k1", 500]]);
  });
});

describe("what ends between the export and the restore", () => {
  beforeEach(addDatabase);

  it("is ended again: each database is looked at directly before it is restored", async () => {
    account.before("d1 time-travel restore DB ", () => sql("DB_1", REVOKED));
    const stdout = await well("restore", "--timestamp", MOMENT);
    expect(stdout).toContain("DB_1: something was ended since the export. Exporting it again.");
    expect(rows("DB_1", "SELECT id, revoked_at FROM api_keys")).toEqual([["k1", 500]]);
  });

  it.each([
    ["a suspended account", "UPDATE accounts SET status = 'suspended'", "SELECT status FROM accounts", ["suspended"]],
    [
      "a rotated key",
      "UPDATE api_keys SET secret_hash = 'new', rotated_at = 400",
      "SELECT secret_hash FROM api_keys",
      ["new"],
    ],
    [
      "a deleted panelist",
      "INSERT INTO panelists (id, account_id, created_at) VALUES ('p1', 'a1', 1); DELETE FROM panelists",
      "SELECT panelist_id FROM token_revocations",
      ["p1"],
    ],
  ])("is noticed: %s", async (_, ending, look, expected) => {
    account.before("d1 time-travel restore DB ", () => sql("DB_1", ending));
    await well("restore", "--timestamp", MOMENT);
    expect(rows("DB_1", look)).toEqual([expected]);
  });

  it("all the time: refuses before that database is touched", async () => {
    let revoked = 0;
    account.before("d1 execute DB_1 --remote --yes --json", () =>
      sql("DB_1", `UPDATE api_keys SET revoked_at = ${++revoked} WHERE id = 'k1'`),
    );
    const { stderr } = await refused("restore", "--timestamp", MOMENT);
    expect(stderr).toContain("DB_1 was not restored: keys or tokens are being ended all the time");
    expect(account.calls().filter((call) => call.includes("time-travel restore DB_1"))).toEqual([]);
  });

  it("all are exported before any is restored, the directory's last, and each gets its own data", async () => {
    await well("restore", "--timestamp", MOMENT);
    const kinds = calls().map((call) => call.split(" ").slice(1, 4).join(" "));
    expect(kinds.filter((call) => /^(export|time-travel)/.test(call))).toEqual([
      ...["export DB_1 --remote", "export DB --remote"],
      ...["time-travel restore DB", "time-travel restore DB_1"],
    ]);
  });
});
