/** Every table of an account counts its bytes: read from the schema, so that a new table is asked too. */
import { expect, it } from "vitest";
import { isId } from "../../../src/worker/model/id.ts";
import { columnsOf } from "../../support/copy-rows.ts";
import { databaseOf } from "../../support/databases.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";

/** Tables of an account that the quota leaves out, and why. */
const NOT_COUNTED = {
  // Small, and so that revoking always works: see schema.sql.
  api_keys: "at most 4 are active",
  audit_events: "counted beside the others: event_bytes, below",
  kept_events: "counted with their events",
  undo_texts: "gone after two minutes",
  acting_keys: "one row of an account",
  acting_members: "one row of an account, in a transaction",
  proposal_steps: "counted with the events: history.test.ts",
  members: "at most 50 of an account",
  told_members: "one for each member",
  member_mails: "one for each member and board, at most",
  memberships: "one for each member",
  member_outbox: "at most 100 of a member, for three days",
  writing_members: "one for each member",
  invitations: "at most 50 of an account, with its members, and the last 50 who declined",
  invitees: "one for each invitation",
  invited: "one for each invitation",
  token_revocations: "revoking writes them",
  sign_in_codes: "gone after a day; limits bound how many are sent for an idea bank",
  votes: "one for each panelist and proposal",
  follows: "one for each panelist and proposal",
  mutes: "written by the links of e-mails, and never refused",
  outbox: "one for a proposal in ten minutes, for 30 days",
  recipients: "one for each panelist who is told, for 30 days",
  mail_days: "one for a day, for 30 days",
  mail_stops: "one",
  survey_responses: "counted in their survey's row: shown_bytes, which a test of surveys holds",
  // The idea bank's own row counted more.
  // Votes on their way to the target of a merge: both proposals count more.
  merges: "gone when the votes are moved",
  proposal_private_tags: "counted in their proposal's row",
  account_private_tags: "at most 200 of an account",
  change_log: "at most 500,000 of an account, for 30 days",
  webhooks: "at most 4 of an account",
  signing_secrets: "those of the last few epochs of an idea bank",
  deleted_idea_banks: "gone when the idea bank's content is",
} as const;
/** An identifier, a number of bytes, and two letters, are in the estimate for the row; of totals, in those for the responses. */
const FIXED_LENGTH = [
  "idempotency_keys.request_hash",
  "panelists.language",
  ...["proposals.assignee", "notes.author_id"],
  "idea_banks.language",
  ...["salt", "voters_of", "totals", "shown_totals"].map((column) => `surveys.${column}`),
];
const NEVER_UPDATED = ["idempotency_keys"];

type Row = Record<string, string | number | null>;
const MORE = "é and 12 bytes more";
const BYTES = new TextEncoder().encode(MORE).length;

async function createScene() {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  await tenant.send("POST", "/tenant/surveys", { title: "T" }, { "Idempotency-Key": "k" });
  const database = databaseOf(ids.accountId);
  const select = async (sql: string, ...values: unknown[]) =>
    (
      await database
        .prepare(sql)
        .bind(...values)
        .all<Row>()
    ).results;
  const stored = async () => Number((await select("SELECT stored_bytes FROM accounts"))[0]?.stored_bytes);
  /** By how many bytes the account grows. Undefined when the schema allows no such value. */
  const growth = async (sql: string, ...values: unknown[]) => {
    const before = await stored();
    const refused = await select(sql, ...values).catch(({ message }: Error) => message);
    if (
      typeof refused === "string" &&
      !/(CHECK|FOREIGN KEY) constraint failed|in INTEGER column|unknown \w+/.test(refused)
    )
      throw new Error(refused);
    return typeof refused === "string" ? undefined : (await stored()) - before;
  };
  return { database, select, growth };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

/** What the table's triggers miss, each with its mend. */
async function faultsOf(table: string, { database, select, growth }: Scene): Promise<string[]> {
  const mend = (event: string, column: string) =>
    `${table}.${column}: write a trigger quota_${table}_${event} in schema.sql and migrations/ that counts its bytes`;
  const columns = await columnsOf(database, table);
  const [row] = await select(`SELECT * FROM ${table}`);
  if (row === undefined)
    throw new Error(
      `${table} is empty: addOneOfEverything in test/support/tenant.ts must fill it, or NOT_COUNTED say why not`,
    );
  const key = columns.find((column) => column === "id" || column === "key") ?? "";
  const copy = { ...row };
  if (columns.includes("external_id")) copy.external_id = "e";
  // A panelist who never had a token leaves no revocation, which would count.
  if (columns.includes("tokens_issued")) Object.assign(copy, { tokens_issued: 0, created_at: Date.now() });
  let copies = 0;
  /** A new key each time: what was deleted may leave a mark. */
  const insert = (values: Row) => {
    copies += 1;
    copy[key] = `${row[key]}`.slice(0, -2) + copies.toString(36).padStart(2, "-");
    return growth(
      `INSERT INTO ${table} (${columns}) SELECT ${columns.map((_, index) => `?1 ->> ${index}`)}`,
      JSON.stringify(columns.map((column) => (column === key ? copy[key] : values[column]))),
    );
  };
  const remove = () => growth(`DELETE FROM ${table} WHERE ${key} = ?1`, copy[key]);
  const faults: string[] = [];
  const bytes = (await insert(copy)) ?? 0;
  if (bytes < 100) faults.push(mend("added", "*"));
  if ((await remove()) !== -bytes) faults.push(mend("removed", "*"));

  for (const column of columns.filter((name) => name !== key && name !== "account_id")) {
    const value = copy[column] ?? "";
    const ours = typeof value === "number" || isId(value) || FIXED_LENGTH.includes(`${table}.${column}`);
    if (ours) continue;
    const grown = await insert({ ...copy, [column]: value + MORE });
    if (grown === undefined) continue;
    if (grown !== bytes + BYTES) faults.push(mend("added", column));
    if ((await remove()) !== -grown) faults.push(mend("removed", column));
    if (NEVER_UPDATED.includes(table)) continue;
    const changed = await growth(`UPDATE ${table} SET ${column} = ?2 WHERE ${key} = ?1`, row[key], MORE);
    const before = new TextEncoder().encode(String(row[column] ?? "")).length;
    if (changed !== BYTES - before) faults.push(mend("changed", column));
  }
  return faults;
}

it("every text in every table of an account is counted when it is added, changed and removed", {
  tags: "slow",
}, async () => {
  const scene = await createScene();
  const tables = await scene.select(
    `SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND c.name = 'account_id' AND t.name <> 'owners' AND t.name NOT GLOB '_cf_*'`,
  );
  const names = tables.map(({ name }) => String(name)).filter((name) => !Object.hasOwn(NOT_COUNTED, name));
  expect(names.length).toBeGreaterThan(5);
  const faults: string[] = [];
  for (const name of names) faults.push(...(await faultsOf(name, scene)));
  expect(faults).toEqual([]);
});

it("the bytes of an account's events follow what is recorded, changed and deleted, by whatever the account stores", async () => {
  const { accountId } = await addOneOfEverything();
  const database = databaseOf(accountId);
  const counted = () =>
    database.prepare("SELECT event_bytes FROM accounts WHERE id = ?1").bind(accountId).first<number>("event_bytes");
  const begun = (await counted()) ?? 0;
  const record = `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, address, created_at, changes)
    VALUES (?1, ?2, 'changed', ?3, ?3, ?3, 1, ?4)`;
  const more = JSON.stringify({ before: { name: MORE } });
  await database.prepare("UPDATE accounts SET max_bytes = 1").run();
  await database.prepare(record).bind("event0000001", accountId, MORE, more).run();
  const recorded = begun + 400 + 3 * BYTES + new TextEncoder().encode(more).length;
  expect(await counted()).toBe(recorded);
  await database.prepare("UPDATE audit_events SET changes = NULL WHERE id = 'event0000001'").run();
  expect(await counted()).toBe(begun + 400 + 3 * BYTES);
  await database.prepare("DELETE FROM audit_events WHERE id = 'event0000001'").run();
  expect(await counted()).toBe(begun);
  await database.batch(["audit_events", "proposal_steps"].map((table) => database.prepare(`DELETE FROM ${table}`)));
  expect(await counted()).toBe(0);
});
