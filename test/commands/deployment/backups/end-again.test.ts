/** The statements that end again, after a restore, what had been ended: in SQLite, on two states of one database. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { endAgain } from "../../../../src/commands/deployment/backups/end-again.ts";
import { dump, open, restore, SINCE, schema, THEN } from "../../../support/node/two-states.ts";

it("ends keys, tokens, panelists and accounts that had been ended, and nothing else", () => {
  const { restored } = restore();
  const all = (sql: string) =>
    restored
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  expect(all("SELECT id, status FROM accounts ORDER BY id")).toEqual([
    ["a1", "active"],
    ["a2", "suspended"],
    ["a3", "active"],
    ["a4", "active"],
  ]);
  expect(all("SELECT id FROM members ORDER BY id")).toEqual([["m-kept"], ["m2"]]);
  expect(all("SELECT owner_email FROM accounts WHERE id = 'a4'")).toEqual([["a4"]]);
  expect(all("SELECT id, secret_hash, last_four, previous_secret_hash, revoked_at FROM api_keys ORDER BY id")).toEqual([
    ["kept", "h-kept", "kept", null, null],
    ["paused", "h", "last", null, null],
    ["revoked", "h", "last", null, 500],
    ["rotated", "h-new", "new4", "h-old", null],
  ]);
  expect(all("SELECT id, rate_limit, paused_at, allowed_addresses FROM api_keys WHERE paused_at IS NOT NULL")).toEqual([
    ["paused", 7, 450, '["203.0.113.0/24"]'],
  ]);
  expect(all("SELECT id, active, tokens_revoked_at IS NOT NULL FROM panelists ORDER BY id")).toEqual([
    ["p-back", 0, 1],
    ["p-deleted", 1, 1],
    ["p-kept", 1, 0],
    ["p-off", 0, 1],
    ["p-revoked", 1, 1],
  ]);
});

it("signs out who had signed out, and nobody else", () => {
  const openedAt = (database: DatabaseSync) =>
    database
      .prepare("SELECT opened_at FROM sign_ins ORDER BY id")
      .all()
      .map(({ opened_at }) => opened_at);
  expect([openedAt(open()), openedAt(restore().restored)]).toEqual([
    [2, 2],
    [2, 0],
  ]);
});

it("tells nobody of events that the log of changes had before", () => {
  const { restored } = restore();
  const count = (sql: string) => restored.prepare(sql).get()?.n;
  expect(count("SELECT count(*) AS n FROM audit_events")).toBeGreaterThan(5);
  expect(count("SELECT count(*) AS n FROM change_log WHERE event_id <> 'e1'")).toBe(0);
  expect(count("SELECT count(*) AS n FROM audit_events WHERE notice = 1")).toBe(0);
});

it("deletes webhooks that had been deleted; the others have the URL and the secrets that they had", () => {
  const { restored } = restore();
  const rows = restored
    .prepare("SELECT id, url, secret, previous_secret, older_secrets, state FROM webhooks ORDER BY id")
    .all();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["w-kept", "https://kept.example/", "s1", null, null, "active"],
    ["w-moved", "https://new.example/", "s2", "s1", '[["s0",800]]', "failed"],
  ]);
});

it("gives isolates every revocation, of panelists that are missing too", () => {
  const { restored } = restore();
  const revoked = restored
    .prepare("SELECT panelist_id AS id, revoked_at AS at FROM token_revocations ORDER BY id")
    .all();
  expect(revoked.map(({ id }) => id)).toEqual(["p-back", "p-deleted", "p-new", "p-off", "p-revoked"]);
  const at = Object.fromEntries(revoked.map(({ id, at }) => [String(id), Number(at)]));
  expect([at["p-revoked"], at["p-new"]]).toEqual([700, 800]);
  // The time of the deletion: a token from before it is not valid, and the tenant can issue new ones.
  expect(at["p-deleted"]).toBeGreaterThan(1_700_000_000_000);
  expect(at["p-deleted"]).toBeLessThan(9_007_199_254_740_991);
});

it("a restored panelist, whose token was issued since, leaves a revocation when it is deleted", () => {
  const add = "INSERT INTO panelists (id, account_id, created_at, tokens_issued) VALUES ('p-young', 'a1', 1, 0)";
  const statements = endAgain(open(add, "UPDATE panelists SET tokens_issued = 1 WHERE id = 'p-young'"));
  const restored = open(add);
  restored.exec(statements.join("\n"));
  restored.exec("DELETE FROM panelists WHERE id = 'p-young'");
  expect(restored.prepare("SELECT count(*) AS n FROM token_revocations WHERE panelist_id = 'p-young'").get()).toEqual({
    n: 1,
  });
});

it("ends an old secret that was found in public, whose key lives on; a longer grace is left alone", () => {
  const rotated = `UPDATE api_keys SET secret_hash = 'h-new', previous_secret_hash = 'h-old', previous_expires_at = 9000, rotated_at = 400
    WHERE id = 'rotated'`;
  const statements = endAgain(open(rotated, "UPDATE api_keys SET previous_expires_at = 500 WHERE id = 'rotated'"));
  const endOf = (...restored: string[]) => {
    const database = open(...restored);
    database.exec(statements.join("\n"));
    return database.prepare("SELECT previous_expires_at AS at FROM api_keys WHERE id = 'rotated'").get()?.at;
  };
  expect(endOf(rotated)).toBe(500);
  // Rotated once more since: that is another old secret.
  const again = "UPDATE api_keys SET previous_secret_hash = 'h-new', previous_expires_at = 9900, rotated_at = 600";
  expect(endOf(rotated, again)).toBe(9900);
});

it("a key that was renamed, and marked as found in public, is so again", () => {
  const event =
    "INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e9', 'a1', 'changed', 'kept', 'K', NULL, NULL, 900, NULL, '{}')";
  const restored = open();
  const since = open("UPDATE api_keys SET name = 'Another', leaked_at = 800 WHERE id = 'kept'", event);
  restored.exec(endAgain(since).join("\n"));
  const kept = restored.prepare("SELECT name, leaked_at FROM api_keys WHERE id = 'kept'").get();
  expect({ ...kept }).toEqual({ name: "Another", leaked_at: 800 });
});

it("keeps the audit trail", () => {
  const { restored } = restore();
  const events = restored.prepare("SELECT id, api_key_name, changes, webhook_id FROM audit_events ORDER BY id").all();
  expect(events.map((event) => Object.values(event))).toEqual([
    ["e1", "K", null, null],
    ["e2", 'The "it\'s" key', null, null],
    ["e3", "K", '{"before":{},"after":{}}', null],
    ["e5", "", '{"before":{"member":"gone@example.com"},"after":{"member":null}}', null],
    ["e6", "", '{"before":{"member":"o4@example.com"},"after":{"member":null}}', null],
    ["e7", "https://deleted.example/", null, "w-deleted"],
    ["e8", "https://old.example/", null, "w-moved"],
  ]);
});

it("changes nothing when it is applied again, or to a database that was not restored", { tags: "slow" }, () => {
  const { restored, statements } = restore();
  const once = dump(restored);
  restored.exec(statements.join("\n"));
  expect(dump(restored)).toEqual(once);
  const present = open(SINCE);
  const before = dump(present);
  present.exec(endAgain(present).join("\n"));
  expect(dump(present)).toEqual(before);
});

it("leaves a key alone that was rotated once more since", { tags: "slow" }, () => {
  const later = open(SINCE, "UPDATE api_keys SET secret_hash = 'h-newest', rotated_at = 900 WHERE id = 'rotated'");
  later.exec(endAgain(open(SINCE)).join("\n"));
  expect(later.prepare("SELECT secret_hash, rotated_at FROM api_keys WHERE id = 'rotated'").get()).toEqual({
    secret_hash: "h-newest",
    rotated_at: 900,
  });
});

it("leaves a key alone that was changed once more since", () => {
  const event =
    "INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e4', 'a1', 'changed', 'paused', 'K', NULL, NULL, 900, NULL, '{}')";
  const later = open(SINCE, "UPDATE api_keys SET paused_at = NULL WHERE id = 'paused'", event);
  later.exec(endAgain(open(SINCE)).join("\n"));
  expect(later.prepare("SELECT paused_at FROM api_keys WHERE id = 'paused'").get()).toEqual({ paused_at: null });
});

it.each([
  // The deletion ends the token in the next second. An earlier restore may have left only the second of the deletion.
  ["its end", (second: number) => `revoked_at = ${second + 1_000}, recorded_at = ${second}`],
  [
    "that it is for good",
    (second: number) => `revoked_at = 9007199254740991, recorded_at = 4503599627370496 + ${second}`,
  ],
])(
  "ends a token that was issued after a revocation and before a deletion, all in one second: the row says %s",
  (_, left) => {
    const second = 1_790_000_000_000;
    // The token bears the second after the revocation's.
    const issuedAt = second + 1_000;
    const before = open(
      `UPDATE panelists SET tokens_revoked_at = ${second + 200} WHERE id = 'p-kept'`,
      "DELETE FROM panelists WHERE id = 'p-kept'",
      `UPDATE token_revocations SET ${left(second)} WHERE panelist_id = 'p-kept'`,
    );
    const restored = open();
    restored.exec(endAgain(before).join("\n"));
    const row = restored.prepare("SELECT tokens_revoked_at AS at FROM panelists WHERE id = 'p-kept'").get();
    expect(Number(row?.at)).toBe(issuedAt);
  },
);

it("takes no statement from a value, whatever stands where a number should", () => {
  const text = "1; DELETE FROM accounts; --";
  const hostile = new DatabaseSync(":memory:");
  // An export decides about the types of its columns.
  for (const sql of [schema.replaceAll(/\) STRICT\b/g, ")").replaceAll("), WITHOUT", ") WITHOUT"), THEN, SINCE])
    hostile.exec(sql);
  hostile.exec(`UPDATE api_keys SET revoked_at = '${text}', rotated_at = '${text}';
    UPDATE panelists SET tokens_revoked_at = '${text}';
    UPDATE audit_events SET created_at = '${text}';
    UPDATE token_revocations SET revoked_at = '${text}', recorded_at = '${text}'`);
  const statements = endAgain(hostile);
  const splits = statements.filter((sql) => sql.replaceAll(/'(?:[^']|'')*'/g, "").includes("DELETE FROM accounts"));
  expect(statements.length).toBeGreaterThan(5);
  expect(splits).toEqual([]);
});

it("has nothing to say of a database without tables", () => {
  expect(endAgain(new DatabaseSync(":memory:"))).toEqual([]);
});

it.each([
  ["the one who has made it has gone", "", "UPDATE accounts SET owner_email = id WHERE id = 'a2';", "o'2@example.com"],
  [
    "the only member has gone",
    "UPDATE accounts SET owner_email = id WHERE id = 'a2'; INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-then', 'a2', 'then@example.com', 'x', 1);",
    "DELETE FROM members WHERE id = 'm-then';",
    "then@example.com",
  ],
])("an account that was handed over since has its members from before the restore: %s", (_, then, gone, email) => {
  const restored = open(then);
  const member = (id: string, address: string) =>
    `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('${id}', 'a2', '${address}', 'x', 5); INSERT INTO memberships VALUES ('${address}', 'a2');`;
  const changes = JSON.stringify({ before: { member: email }, after: { member: null } }).replaceAll("'", "''");
  const event = `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e9', 'a2', 'changed', NULL, '', NULL, NULL, 480, NULL, '${changes}');`;
  const before = open(then, member("m-new", "new@example.com"), member("m-it", "it''s@example.com"), gone, event);
  const statements = endAgain(before).join("\n");
  const members = () => [
    restored.prepare("SELECT owner_email AS email FROM accounts WHERE id = 'a2'").all(),
    restored.prepare("SELECT id, email, added_by, created_at FROM members WHERE account_id = 'a2' ORDER BY id").all(),
    restored.prepare("SELECT email FROM memberships WHERE account_id = 'a2' ORDER BY email").all(),
  ];
  restored.exec(statements);
  const once = members().map((rows) => rows.map((row) => Object.values(row)));
  expect(once).toEqual([
    [["a2"]],
    [
      ["m-it", "it's@example.com", "x", 5],
      ["m-new", "new@example.com", "x", 5],
    ],
    [["it's@example.com"], ["new@example.com"]],
  ]);
  restored.exec(statements);
  expect(members().map((rows) => rows.map((row) => Object.values(row)))).toEqual(once);
});

it("a member who was added since is none where another one is left", () => {
  const restored = open();
  restored.exec(
    endAgain(
      open(
        SINCE,
        "INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-new', 'a1', 'new@example.com', 'x', 5)",
      ),
    ).join("\n"),
  );
  expect(restored.prepare("SELECT count(*) AS n FROM members WHERE id = 'm-new'").get()).toEqual({ n: 0 });
});

it("ends visitors' tokens and signing secrets again, and leaves later ends alone", () => {
  const add =
    "INSERT INTO idea_banks (id, account_id, name, created_at) VALUES ('b1', 'a1', 'B', 1), ('b2', 'a1', 'B', 1)";
  const ended =
    "UPDATE idea_banks SET visitor_tokens_ended_at = 700, signing_epoch = 3, signing_previous_until = 900, signing_older = '[[1,850]]' WHERE id = 'b1'";
  const statements = endAgain(open(add, ended));
  const endsIn = (...restored: string[]) => {
    const database = open(add, ...restored);
    for (let times = 0; times < 2; times++) database.exec(statements.join("\n"));
    return database
      .prepare(
        "SELECT visitor_tokens_ended_at, signing_epoch, signing_previous_until, signing_older FROM idea_banks WHERE name = 'B' ORDER BY id",
      )
      .all()
      .map((row) => Object.values(row));
  };
  expect(endsIn()).toEqual([
    [700, 3, 900, "[[1,850]]"],
    [null, 1, null, null],
  ]);
  const later =
    "UPDATE idea_banks SET visitor_tokens_ended_at = 800, signing_epoch = 4, signing_previous_until = 950 WHERE id = 'b1'";
  expect(endsIn(later)[0]).toEqual([800, 4, 950, null]);
});

it("ends all tokens of an account again, and leaves a later end alone", () => {
  const statements = endAgain(open("UPDATE accounts SET tokens_ended_at = 700, token_epoch = 2 WHERE id = 'a1'"));
  const endIn = (...restored: string[]) => {
    const database = open(...restored);
    for (let times = 0; times < 2; times++) database.exec(statements.join("\n"));
    return database
      .prepare("SELECT tokens_ended_at, token_epoch FROM accounts WHERE id IN ('a1', 'a3') ORDER BY id")
      .all()
      .map((row) => Object.values(row));
  };
  expect(endIn("UPDATE accounts SET tokens_ended_at = 300, token_epoch = 1 WHERE id = 'a1'")).toEqual([
    [700, 2],
    [null, 0],
  ]);
  expect(endIn("UPDATE accounts SET tokens_ended_at = 800, token_epoch = 3 WHERE id = 'a1'")[0]).toEqual([800, 3]);
});

it("members whose address was changed have the new one, and the old one is no member", () => {
  const add = `
    INSERT INTO accounts (id, owner_email, created_at) VALUES ('m1', 'old@example.com', 1), ('m2', 'b@example.com', 1), ('m3', 'c@example.com', 1),
      ('m4', 'own@example.com', 1);
    INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-old', 'm2', 'old@example.com', 'x', 1);`;
  const moved = `
    UPDATE accounts SET owner_email = 'newest@example.com', member_removed_at = 700 WHERE id = 'm1';
    UPDATE members SET email = 'newest@example.com' WHERE id = 'm-old';
    UPDATE accounts SET member_removed_at = 700 WHERE id = 'm2';
    UPDATE accounts SET owner_email = id, member_removed_at = 700 WHERE id = 'm3';
    INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-own', 'm3', 'own@example.com', 'the operator', 700);`;
  const events = [
    ["m1", "old@example.com", "new@example.com", 500],
    ["m1", "new@example.com", "newest@example.com", 700],
    ["m2", "old@example.com", "new@example.com", 500],
    ["m2", "new@example.com", "newest@example.com", 700],
    ["m3", "c@example.com", "own@example.com", 700],
  ].map(
    ([account, from, to, at], index) =>
      `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, changes)
       VALUES ('move${index}', '${account}', 'changed', '', ${at}, '{"before":{"member":"${from}"},"after":{"member":"${to}"}}')`,
  );
  const statements = endAgain(open(add, moved, events.join("; ")));
  const restored = open(add);
  for (let times = 0; times < 2; times++) restored.exec(statements.join("\n"));
  const all = (sql: string) =>
    restored
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  expect(all("SELECT id, owner_email FROM accounts WHERE id LIKE 'm%' ORDER BY id")).toEqual([
    ["m1", "newest@example.com"],
    ["m2", "b@example.com"],
    ["m3", "m3"],
    ["m4", "own@example.com"],
  ]);
  expect(all("SELECT account_id, email FROM members WHERE account_id LIKE 'm%' ORDER BY account_id")).toEqual([
    ["m2", "newest@example.com"],
    ["m3", "own@example.com"],
  ]);
});

describe("roles", () => {
  const roleEvent = (id: string, email: string, role: string) =>
    `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, changes)
     VALUES ('${id}', 'a1', 'changed', '', 900, '{"before":{"role":"admin"},"after":{"role":"${role}","colleague":"${email}"}}');`;
  const rolesIn = (database: DatabaseSync) =>
    database
      .prepare(
        "SELECT owner_email AS email, owner_role AS role FROM accounts WHERE id = 'a1' UNION ALL SELECT email, role FROM members WHERE account_id = 'a1' ORDER BY email",
      )
      .all()
      .map((row) => Object.values(row));

  it("that were taken away since are taken away again; what was changed after the restore stays", () => {
    const since = `UPDATE members SET role = 'viewer', name = 'Kay' WHERE id = 'm-kept'; ${roleEvent("r1", "kept@example.com", "viewer")}`;
    const statements = endAgain(open(since)).join("\n");
    const restored = open();
    restored.exec(statements);
    expect(rolesIn(restored)).toEqual([
      ["gone@example.com", "admin"],
      ["kept@example.com", "viewer"],
      ["o1@example.com", "admin"],
    ]);
    expect(restored.prepare("SELECT name FROM members WHERE id = 'm-kept'").get()).toEqual({ name: "Kay" });
    restored.exec(`UPDATE members SET role = 'member' WHERE id = 'm-kept'; ${statements}`);
    expect(rolesIn(restored)[1]).toEqual(["kept@example.com", "member"]);
  });

  it("leave no account without an admin, if the only one has joined since", () => {
    const since = `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-new', 'a1', 'new@example.com', 'x', 500);
      UPDATE members SET role = 'viewer' WHERE id <> 'm-new'; UPDATE accounts SET owner_role = 'member' WHERE id = 'a1';
      ${roleEvent("r1", "o1@example.com", "member")} ${roleEvent("r2", "kept@example.com", "viewer")} ${roleEvent("r3", "gone@example.com", "viewer")}`;
    const restored = open();
    restored.exec(endAgain(open(since)).join("\n"));
    expect(rolesIn(restored)).toEqual([
      ["gone@example.com", "viewer"],
      ["kept@example.com", "viewer"],
      ["new@example.com", "admin"],
      ["o1@example.com", "member"],
    ]);
  });
});

describe("of an account's row", () => {
  const event = (changes: string) =>
    `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, changes) VALUES ('e9', 'a1', 'changed', '', 900, '${changes}')`;
  /** What may change each column, or why a restore need not keep it. A new column needs its line. */
  const COLUMNS: Record<string, { readonly since: string } | { readonly left: string }> = {
    ...Object.fromEntries(["id", "created_at", "panelist_salt"].map((name) => [name, { left: "it never changes" }])),
    ...Object.fromEntries(
      ["stored_bytes", "counted_votes", "event_bytes"].map((name) => [name, { left: "triggers count it" }]),
    ),
    changes_due_at: { left: "the job looks sooner" },
    comments_seen_at: { left: "some comments are new again" },
    code_renewed_at: { left: "Home says again that pages may be dark" },
    changelog_epoch: { left: "changelogs are rendered by the restored rows" },
    status: { since: "UPDATE accounts SET status = 'suspended' WHERE id = 'a1'" },
    owner_email: {
      since: `UPDATE accounts SET owner_email = id WHERE id = 'a1'; ${event('{"before":{"member":"o1@example.com"},"after":{"member":null}}')}`,
    },
    max_bytes: {
      since: `UPDATE accounts SET max_bytes = 1000000000 WHERE id = 'a1'; ${event('{"before":{"maxBytes":536870912},"after":{"maxBytes":1000000000}}')}`,
    },
    marks_leaked_keys: {
      since: `UPDATE accounts SET marks_leaked_keys = 1 WHERE id = 'a1'; ${event('{"before":{"leakedKeys":"end"},"after":{"leakedKeys":"mark"}}')}`,
    },
    external_ids_are_emails: {
      since: `UPDATE accounts SET external_ids_are_emails = 1 WHERE id = 'a1'; ${event('{"before":{"externalIdsAreEmails":false},"after":{"externalIdsAreEmails":true}}')}`,
    },
    viewers_export: {
      since: `UPDATE accounts SET viewers_export = 1 WHERE id = 'a1'; ${event('{"before":{"viewersExport":false},"after":{"viewersExport":true}}')}`,
    },
    service_token_roles: {
      since: `UPDATE accounts SET service_token_roles = '[{"clientId":"t","role":"viewer"}]' WHERE id = 'a1'; ${event('{"before":{"serviceTokenRoles":[]},"after":{"serviceTokenRoles":[{"clientId":"t","role":"viewer"}]}}')}`,
    },
    owner_role: {
      since: `UPDATE members SET role = 'admin'; UPDATE accounts SET owner_role = 'viewer' WHERE id = 'a1'; ${event('{"before":{"role":"admin"},"after":{"role":"viewer","colleague":"o1@example.com"}}')}`,
    },
    owner_name: {
      since: `UPDATE accounts SET owner_name = 'Ana' WHERE id = 'a1'; ${event('{"before":{"memberName":null},"after":{"memberName":"Ana","colleague":"o1@example.com"}}')}`,
    },
    mail_key: { since: "UPDATE accounts SET mail_key = 'k' WHERE id = 'a1'" },
    notifies_people: {
      since: `UPDATE accounts SET notifies_people = 0 WHERE id = 'a1'; ${event('{"before":{"notifiesPeople":true},"after":{"notifiesPeople":false}}')}`,
    },
    ...Object.fromEntries(
      ["tokens_ended_at", "token_epoch"].map((name) => [
        name,
        { since: "UPDATE accounts SET tokens_ended_at = 900, token_epoch = 3 WHERE id = 'a1'" },
      ]),
    ),
    ...Object.fromEntries(
      ["member_removed_at", "webhook_deleted_at", "keys_deleted_at"].map((name) => [
        name,
        { since: `UPDATE accounts SET ${name} = 900 WHERE id = 'a1'` },
      ]),
    ),
  };

  it("each column is known here", () => {
    const columns = open().prepare("SELECT name FROM pragma_table_info('accounts')").all();
    expect(columns.map(({ name }) => String(name)).toSorted()).toEqual(Object.keys(COLUMNS).toSorted());
  });

  it.each(Object.entries(COLUMNS).flatMap(([name, how]) => ("since" in how ? [[name, how.since] as const] : [])))(
    "%s is what it was before the restore",
    (name, since) => {
      const before = open(since);
      const valueIn = (database: DatabaseSync) =>
        database.prepare(`SELECT ${name} AS value FROM accounts WHERE id = 'a1'`).get()?.value;
      const restored = open();
      expect(valueIn(restored)).not.toEqual(valueIn(before));
      restored.exec(endAgain(before).join("\n"));
      expect(valueIn(restored)).toEqual(valueIn(before));
    },
  );

  it("a quota that was changed after the restore stays when it is completed again", () => {
    const { max_bytes: how } = COLUMNS;
    const statements = endAgain(open(how !== undefined && "since" in how ? how.since : "")).join("\n");
    const restored = open();
    restored.exec(`${statements}; UPDATE accounts SET max_bytes = 2000000000 WHERE id = 'a1'; ${statements}`);
    expect(restored.prepare("SELECT max_bytes FROM accounts WHERE id = 'a1'").get()?.max_bytes).toBe(2_000_000_000);
  });
});
