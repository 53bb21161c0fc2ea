/** `npm run account -- delete` and `-- export`: all of an account, with a neighbour in each database. On the stand-in's databases. */
import { beforeEach, describe, expect, it } from "vitest";
import { account, addDatabase, refused, rows, sql, useAccount, well } from "../../../support/node/backed-up-account.ts";

useAccount();

const [MINE, OTHERS] = ["1Account0001", "1Account0002"];
const OWNER = "owner@example.com";

/** A row in every table, directories included. `d`: the digit of the database. */
function seed(id: string, owner: string, status = "suspended"): void {
  const binding = id.startsWith("0") ? "DB" : "DB_1";
  const [d, n] = [id[0], id.slice(-2)];
  const ids = (kind: string) => `'${d}${kind}${n}'`;
  for (const place of new Set(["DB", binding])) sql(place, `INSERT INTO owners VALUES ('${owner}', '${id}')`);
  sql(
    "DB",
    `INSERT INTO memberships VALUES ('m-${owner}', '${id}')`,
    `INSERT INTO invitees VALUES ('i-${owner}', '${id}')`,
    `INSERT INTO subjects VALUES ('s-${owner}', '${owner}')`,
  );
  sql(
    binding,
    `INSERT INTO accounts (id, owner_email, status, created_at, panelist_salt) VALUES ('${id}', '${owner}', '${status}', 1, 'SALT')`,
    `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES (${ids("member")}, '${id}', 'm-${owner}', 'x', 1)`,
    `INSERT INTO invitations (id, account_id, email, added_by, created_at, declined_at) VALUES (${ids("invite")}, '${id}', 'i-${owner}', 'x', 1, NULL)`,
    `INSERT INTO api_keys (id, account_id, name, secret_hash, previous_secret_hash, scopes, created_at)
       VALUES (${ids("key")}, '${id}', 'K', 'A-HASH', 'AN-OLD-HASH', '[]', 1)`,
    `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited) VALUES (${ids("key")}, 3600000, 1, 0)`,
    `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at) VALUES (${ids("event")}, '${id}', 'e', 'n', 1)`,
    `INSERT INTO undo_texts VALUES ('${owner}', '${id}', NULL, NULL, 1)`,
    `INSERT INTO idempotency_keys VALUES ('${id}', 'key', 'h', '{}', 1)`,
    `INSERT INTO surveys (id, account_id, title, description, status, created_at, updated_at) VALUES (${ids("survey")}, '${id}', 'T', '', 'OPEN', 1, 1)`,
    `INSERT INTO panelists (id, account_id, external_id, display_name, created_at) VALUES (${ids("person")}, '${id}', 'e', 'Kim \u202e', 1)`,
    `UPDATE panelists SET tokens_revoked_at = 5 WHERE id = ${ids("person")}`,
    `INSERT INTO webhooks (id, account_id, url, secret, previous_secret, created_at, number) VALUES (${ids("hook")}, '${id}', 'https://x.example', 'A-SECRET', 'AN-OLD-SECRET', 1, 0)`,
    ...["bank", "gone"].map(
      (bank) => `INSERT INTO idea_banks (id, account_id, name, created_at) VALUES (${ids(bank)}, '${id}', 'N', 1)`,
    ),
    ...["one", "two", "three"].map(
      (name) =>
        `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at, words, text_terms, tags, private_tags)
         VALUES (${ids(name)}, '${id}', ${ids(name === "three" ? "gone" : "bank")}, ${ids("person")}, 'T', 'D', 1, 1, '["t"]', '["=d"]', '["tag"]', '["private"]')`,
    ),
    `INSERT INTO notes (id, account_id, proposal_id, body, created_at) VALUES (${ids("n-one")}, '${id}', ${ids("one")}, 'N', 1)`,
    `INSERT INTO notes (id, account_id, panelist_id, body, created_at) VALUES (${ids("n-two")}, '${id}', ${ids("person")}, 'N', 1)`,
    `INSERT INTO member_outbox VALUES ('${id}', '${id}', ${ids("one")}, 'assigned', NULL, 1)`,
    `INSERT INTO writing_members VALUES ('${id}', '${id}', ${ids("one")}, 1)`,
    `INSERT INTO votes VALUES (${ids("one")}, ${ids("person")}, '${id}', ${ids("bank")}, 1)`,
    `INSERT INTO votes VALUES (${ids("two")}, ${ids("person")}, '${id}', ${ids("bank")}, 1)`,
    ...["one", "three"].map(
      (name) =>
        `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
         VALUES (${ids(`c-${name}`)}, '${id}', ${ids(name === "three" ? "gone" : "bank")}, ${ids(name)}, ${ids("person")}, 'B', 1)`,
    ),
    `UPDATE surveys SET idea_bank_id = ${ids("bank")} WHERE id = ${ids("survey")}`,
    `INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
       VALUES (${ids("survey")}, ${ids("person")}, '${id}', '{"why":"A"}', '["why"]', 'r', 1, 1)`,
    `INSERT INTO survey_texts (survey_id, question_id, place, text) VALUES (${ids("survey")}, 'why', ${ids("place")}, 'A')`,
    `INSERT INTO survey_former VALUES (${ids("survey")}, 0, 'f', '[]')`,
    // Merges, and deletions that the scheduled job has not finished.
    `UPDATE proposals SET duplicate_of = ${ids("one")} WHERE id = ${ids("two")}`,
    `DELETE FROM idea_banks WHERE id = ${ids("gone")}`,
    `INSERT INTO signing_secrets VALUES (${ids("hash")}, '${id}', ${ids("bank")}, 0, 1)`,
    `INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at) VALUES ('${id}', ${ids("bank")}, ${ids("one")}, 'decision', 1, 1)`,
    `INSERT INTO recipients SELECT max(id), 'kim@example.com', '${id}', ${ids("bank")}, ${ids("person")}, 'sent', 1 FROM outbox`,
    `INSERT INTO follows VALUES (${ids("one")}, ${ids("person")}, '${id}', ${ids("bank")}, 1)`,
    `INSERT INTO mutes VALUES ('${id}', 'kim@example.com', '${id}', 1)`,
    `INSERT INTO mail_days VALUES (1, '${id}', 1)`,
    `INSERT INTO sign_in_codes VALUES (${ids("code")}, '${id}', ${ids("bank")}, 'b', 'kim@example.com', 'm', 's', 'c', 1, 2, 0)`,
    `INSERT INTO acting_members VALUES ('${id}', NULL, 'kim@example.com')`,
    // Last: what a key does has more rows.
    `INSERT INTO acting_keys (account_id, api_key_id) VALUES ('${id}', ${ids("key")})`,
  );
}

/** Sign-ins and subjects are an address's, and a stop is everybody's. */
const tables = (binding: string) =>
  rows(
    binding,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT IN ('d1_migrations', 'sign_ins', 'subjects', 'mail_stops')",
  )
    .flat()
    .map(String);
/** Every row of every table. */
const contents = (binding: string) =>
  Object.fromEntries(tables(binding).map((table) => [table, rows(binding, `SELECT * FROM ${table} ORDER BY 1, 2`)]));

beforeEach(() => {
  addDatabase();
  for (const binding of ["DB", "DB_1"]) sql(binding, "DELETE FROM accounts");
  seed("0Account0003", "neighbour@example.com", "active");
  seed(OTHERS, "other@example.com", "active");
});

describe("delete", () => {
  it("leaves no row of the account in any table, and every row of the others", async () => {
    const before = ["DB", "DB_1"].map(contents);
    seed(MINE, OWNER);
    const seeded = ["DB", "DB_1"].map(contents);
    const grown = Object.keys(before[1] ?? {}).filter((table) =>
      seeded.some((content, index) => (content[table]?.length ?? 0) > (before[index]?.[table]?.length ?? 0)),
    );
    // A new table gets its row in `seed`: without it nobody sees whether it is deleted.
    expect(grown).toEqual(tables("DB_1"));
    const ran = await account.runNpm("account", "delete", OWNER.toUpperCase(), "--yes");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("API keys: 1, idea banks: 1 with everything in them, panelists: 1, surveys: 1.");
    expect(ran.stdout).toContain(`The account ${MINE} of ${OWNER} is deleted.`);
    expect(["DB", "DB_1"].map(contents)).toEqual(before);
    expect(rows("DB", "SELECT subject FROM subjects ORDER BY 1").flat()).toEqual([
      "s-neighbour@example.com",
      "s-other@example.com",
    ]);
  });

  it("goes in slices, and goes on where it was stopped", async () => {
    const before = ["DB", "DB_1"].map(contents);
    seed(MINE, OWNER);
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)";
    sql(
      "DB_1",
      `${many} INSERT INTO panelists (id, account_id, created_at) SELECT 'P' || i, '${MINE}', i FROM n`,
      `${many} INSERT INTO votes SELECT '1one01', 'P' || i, '${MINE}', '1bank01', 1 FROM n`,
      `${many} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at) SELECT 'C' || i, '${MINE}', '1bank01', '1one01', 'B', i FROM n`,
    );
    const slices: number[] = [];
    const counts = () =>
      ["votes", "comments", "panelists", "change_log", "token_revocations"].map((table) =>
        Number(rows("DB_1", `SELECT count(*) FROM ${table}`).flat()[0]),
      );
    let last = counts();
    account.before("d1 execute", () => {
      const now = counts();
      slices.push(...now.map((count, index) => (last[index] ?? 0) - count));
      last = now;
      // The connection breaks in the middle of the votes.
      if (slices.filter((size) => size === 10_000).length === 2) account.change({ failures: ["d1 execute"] });
    });
    account.shown();
    const stopped = await refused("account", "delete", OWNER, "--yes");
    expect(account.shown().slice(0, 1)).toEqual(["Deleted so far: 0 rows"]);
    expect(stopped.stderr).toContain("failed");
    expect(counts()[0]).toBeGreaterThan(0);
    account.before("d1 execute", () => {
      const now = counts();
      slices.push(...now.map((count, index) => (last[index] ?? 0) - count));
      last = now;
    });
    await well("account", "delete", MINE, "--yes");
    const told = account
      .shown()
      .map((line) => Number(/^Deleted so far: ([\d,]+) rows$/.exec(line)?.[1]?.replaceAll(",", "")));
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    // 25,000 panelists, 25,000 comments less those of the first run, and their revocations.
    expect(told.at(-1)).toBeGreaterThan(50_000);
    expect(Math.max(...slices)).toBe(10_000);
    expect(["DB", "DB_1"].map(contents)).toEqual(before);
  });

  it("asks for the owner's address, and does nothing for anything else", async () => {
    seed(MINE, OWNER);
    const before = ["DB", "DB_1"].map(contents);
    const asked: string[] = [];
    account.answerWith(async (question) => {
      asked.push(question);
      return "yes";
    });
    expect((await refused("account", "delete", OWNER)).stderr).toContain("Nothing was done.");
    expect(asked).toEqual([`All of the account ${MINE} of ${OWNER} is deleted for good. Type ${OWNER} to do it: `]);
    account.answerWith(undefined);
    expect((await refused("account", "delete", OWNER)).stderr).toMatch(/^\nNothing was done.* add --yes:\n/);
    expect(await well("account", "delete", OWNER, "--dry-run")).toContain("A dry run: nothing was done.");
    expect(["DB", "DB_1"].map(contents)).toEqual(before);
    account.answerWith(async () => OWNER);
    await well("account", "delete", OWNER);
    expect(["DB", "DB_1"].map(contents)).not.toEqual(before);
  });

  it("refuses an account that is not suspended, and says how to", async () => {
    const before = ["DB", "DB_1"].map(contents);
    const { stderr } = await refused("account", "delete", "other@example.com", "--yes");
    expect(stderr).toContain("is active. Nothing was deleted. Suspend it first");
    expect(["DB", "DB_1"].map(contents)).toEqual(before);
  });
});

describe("export", () => {
  const toLines = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));

  it("has a line for each row, of no other account, and no secret", async () => {
    seed(MINE, OWNER);
    const { stdout, stderr, code } = await account.runNpm("account", "export", OWNER);
    expect([code, stderr]).toEqual([0, ""]);
    const lines = toLines(stdout);
    const names = new Set(lines.map(({ table }) => table));
    // E-mails stay for 30 days. Directories repeat members and owners; words and tags repeat proposals, and texts responses; signing secrets are hashes alone; the rest is of a
    // transaction, of a day, or on its way out.
    const without = [
      "owners",
      "memberships",
      "invitees",
      "invited",
      ...["proposal_words", "proposal_terms"],
      "proposal_tags",
      "idea_bank_tags",
      ...["proposal_private_tags", "account_private_tags", "member_outbox", "writing_members"],
      ...["signing_secrets", "survey_texts", "survey_former"],
    ];
    without.push(
      "sign_in_codes",
      ...["outbox", "recipients", "mail_days"],
      "undo_texts",
      ...["acting_keys", "acting_members"],
      "idempotency_keys",
      "token_revocations",
      "merges",
      "deleted_idea_banks",
    );
    expect(names).toEqual(new Set(tables("DB_1").filter((table) => !without.includes(table))));
    for (const name of names) {
      // Of a table's columns, those alone that verify, sign, reveal whose an identifier is, or what few have answered anonymously.
      const columns = rows("DB_1", `SELECT name FROM pragma_table_xinfo('${name}')`).flat().map(String);
      const wanted = [
        "table",
        ...columns.filter(
          (column) => !/secret|hash|salt|mail_key|^(responses|totals|bytes|unshown|counted)$/.test(column),
        ),
      ];
      const line = lines.find(({ table }) => table === name);
      expect(Object.keys(line ?? {}), String(name)).toEqual(wanted);
    }
    expect(stdout).not.toMatch(/HASH|SECRET|SALT|other@example|neighbour@example|\u202e/);
    expect(lines.find(({ table }) => table === "panelists")).toMatchObject({
      external_id: "e",
      display_name: "Kim \u202e",
    });
    expect(lines.filter(({ table }) => table === "votes")).toHaveLength(2);
    const accounts = lines.flatMap(({ account_id }) => (account_id === undefined ? [] : [account_id]));
    expect(new Set(accounts)).toEqual(new Set([MINE]));
  });

  it("goes in pages, and has each row once", async () => {
    seed(MINE, OWNER);
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)";
    sql(
      "DB_1",
      `${many} INSERT INTO panelists (id, account_id, created_at) SELECT 'P' || i, '${MINE}', i / 7 FROM n`,
      `${many} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
         SELECT 'Q' || i, '${MINE}', '1bank01', 'T', '', i / 7, 1 FROM n WHERE i <= 250`,
      "UPDATE proposals SET duplicate_of = 'Q1' WHERE substr(id, 2) BETWEEN '101' AND '230' AND length(id) = 4",
      `${many} INSERT INTO votes SELECT 'Q' || (i % 5 + 1), 'P' || i, '${MINE}', '1bank01', 1 FROM n`,
      `${many} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at)
         SELECT 'C' || i, '${MINE}', '1bank01', '1one01', 'B', i / 7 FROM n WHERE i <= 250`,
    );
    const lines = toLines(await well("account", "export", MINE));
    for (const [table, key] of [
      ["panelists", "id"],
      ["proposals", "id"],
      ["comments", "id"],
      ["votes", "panelist_id"],
      ["change_log", "number"],
    ] as const) {
      const ids = lines.filter((line) => line.table === table).map((line) => String(line[key]));
      const idea = ["proposals", "comments", "votes"].includes(table) ? " AND idea_bank_id = '1bank01'" : "";
      const stored = rows("DB_1", `SELECT ${key} FROM ${table} WHERE account_id = '${MINE}'${idea}`).flat().map(String);
      expect(ids.toSorted(), table).toEqual(stored.toSorted());
      expect(ids.length, table).toBeGreaterThan(200);
    }
    expect(account.shown()).toContain("Exported so far: 3,000 rows");
    expect(Math.max(...account.calls().map((call) => Number(/LIMIT (\d+)/.exec(call)?.[1] ?? 0)))).toBe(2_000);
  });

  it("of nobody is refused", async () => {
    expect((await refused("account", "export", "nobody@example.com")).stderr).toBe(
      "\nNo account has the owner nobody@example.com.\n",
    );
  });
});
