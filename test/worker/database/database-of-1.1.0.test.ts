/** What the step after 1.1.0 fills in, on a database of 1.1.0. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";

const files = import.meta.glob<string>("../../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const steps = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));

const later = steps.findIndex(([path]) => path.endsWith("_one_two.sql"));
const run = (sql: string) => env.DB.prepare(sql).run();

beforeEach(async () => {
  await reset();
  for (const [, sql] of steps.slice(0, later)) await run(sql);
  await run("INSERT INTO accounts (id, owner_email, created_at) VALUES ('a', 'o@example.com', 1)");
});

const upgrade = async () => {
  for (const [, sql] of steps.slice(later)) await run(sql);
};

it("events about what still exists have the author, and those about several proposals no titles; bytes are as counted", {
  tags: "slow",
}, async () => {
  await run("INSERT INTO panelists (id, account_id, created_at) VALUES ('robin', 'a', 1), ('kim', 'a', 1)");
  await run("INSERT INTO idea_banks (id, account_id, name, created_at) VALUES ('b', 'a', 'N', 1)");
  await run(
    `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at)
     VALUES ('p', 'a', 'b', 'robin', 'T', '', 1, 1), ('own', 'a', 'b', NULL, 'T', '', 1, 1)`,
  );
  await run(
    "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at) VALUES ('c', 'a', 'b', 'p', 'kim', 'B', 1)",
  );
  const each = JSON.stringify({
    count: 2,
    each: [
      ["p", "b", "The title", { status: "submitted" }, { status: "planned" }],
      ["own", "b", "Another", { tags: ["A"] }, { tags: [] }],
    ],
  });
  await env.DB.prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, subject_id, idea_bank_id, changes) VALUES
       ('1', 'a', 'proposal-changed', 'T', 1, 'p', 'b', NULL), ('2', 'a', 'comment-created', 'T', 1, 'c', 'b', NULL),
       ('3', 'a', 'proposal-changed', 'T', 1, 'own', 'b', NULL), ('4', 'a', 'proposal-deleted', 'T', 1, 'gone', 'b', NULL),
       ('5', 'a', 'panelist-changed', '', 1, 'robin', NULL, NULL), ('6', 'a', 'proposals-changed', '', 1, 'b', 'b', ?1)`,
  )
    .bind(each)
    .run();
  await upgrade();
  const { results } = await env.DB.prepare("SELECT id, author_id FROM audit_events ORDER BY id").all();
  expect(results.map(({ id, author_id }) => [id, author_id])).toEqual([
    ["1", "robin"],
    ["2", "robin"],
    ["3", null],
    ["4", null],
    ["5", null],
    ["6", null],
  ]);
  const changes = await env.DB.prepare("SELECT changes FROM audit_events WHERE id = '6'").first<string>("changes");
  expect(JSON.parse(changes ?? "")).toEqual(JSON.parse(each.replace("The title", "").replace("Another", "")));
  const bytes = await env.DB.prepare(
    `SELECT event_bytes, (SELECT sum(400 + octet_length(api_key_name) + coalesce(octet_length(changes), 0)) FROM audit_events) AS counted FROM accounts`,
  ).first();
  expect(bytes?.event_bytes).toBe(bytes?.counted);
});

it("members and the invited are admins who are told nothing, and tokens that have ended are old news", {
  tags: "slow",
}, async () => {
  await run("UPDATE accounts SET tokens_ended_at = 5");
  await run("INSERT INTO accounts (id, owner_email, created_at) VALUES ('b', 'p@example.com', 1)");
  for (const [table, id] of [
    ["members", "m"],
    ["invitations", "i"],
  ])
    await run(
      `INSERT INTO ${table} (id, account_id, email, added_by, created_at) VALUES ('${id}', 'a', '${id}@example.com', 'o@example.com', 1)`,
    );
  await upgrade();
  const read = async (sql: string) => (await run(sql)).results;
  expect(await read("SELECT owner_role, code_renewed_at FROM accounts ORDER BY id")).toEqual([
    { owner_role: "admin", code_renewed_at: 5 },
    { owner_role: "admin", code_renewed_at: null },
  ]);
  expect(await read("SELECT role FROM members UNION ALL SELECT role FROM invitations")).toEqual(
    Array(2).fill({ role: "admin" }),
  );
  expect(await read("SELECT email FROM told_members UNION ALL SELECT email FROM member_mails")).toEqual([]);
});
