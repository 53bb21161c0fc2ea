/**
 * Tenants by the dozen, each with two of everything that a path can name: copies of one, which is made once for all tests of a file.
 * A new resource needs no line here.
 */
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { isId } from "../../src/worker/model/id.ts";
import { columnsOf } from "./copy-rows.ts";
import { type Digit, databaseOf } from "./databases.ts";
import { addOneOfEverything } from "./tenant.ts";
import { addWebhook } from "./webhooks.ts";
import { addAccount, addApiKey, newId, signingKeys, toId, tokenFor } from "./world.ts";

/** What a path or a body names. */
export type Ids = Readonly<Record<string, string>>;

export type Tenant = {
  readonly email: string;
  readonly apiKeyId: string;
  readonly key: string;
  readonly token: string;
  /** Two sets of the same idea bank, but for `tenantIds`: each has an idea bank of its own. */
  readonly panelistIds: readonly [Ids, Ids];
  readonly tenantIds: readonly [Ids, Ids];
};

type Value = string | number | null;
type Table = { readonly name: string; readonly columns: readonly string[]; readonly rows: readonly Value[][] };
type Template = Pick<Tenant, "email" | "panelistIds" | "tenantIds"> & {
  readonly accountId: string;
  readonly authorId: string;
  readonly apiKeys: readonly [ApiKey, ApiKey];
  /** In the order in which they refer to each other. */
  readonly tables: readonly Table[];
};
type ApiKey = { readonly id: string; readonly secretHash: string };

async function makeTemplate(): Promise<Template> {
  const accountId = await addAccount({ digit: "0" });
  const database = databaseOf(accountId);
  const apiKeys = [
    await addApiKey({ accountId, limit: 10_000 }),
    await addApiKey({ accountId, limit: 10_000 }),
  ] as const;
  const addMember = async () => {
    const id = newId(accountId);
    const sql =
      "INSERT INTO members (id, account_id, email, added_by, created_at) VALUES (?1, ?2, ?1 || '@example.com', 'x', 1)";
    await database.prepare(sql).bind(id, accountId).run();
    return id;
  };
  // An owner may answer it again and again: the one who has made the account is its member.
  const invitationId = newId(accountId);
  await database
    .prepare(
      "INSERT INTO invitations (id, account_id, email, added_by, created_at, declined_at) SELECT ?1, id, owner_email, 'x', 9000000000000, NULL FROM accounts WHERE id = ?2",
    )
    .bind(invitationId, accountId)
    .run();
  const addIds = async ({ id }: ApiKey) => ({
    ...(await addOneOfEverything(accountId)),
    apiKeyId: id,
    memberId: await addMember(),
    invitationId,
  });
  const addOwned = async (apiKey: ApiKey) => ({
    ...(await addIds(apiKey)),
    webhookId: await addWebhook(accountId, { state: "paused" }),
  });
  const tenantIds = [await addOwned(apiKeys[0]), await addOwned(apiKeys[1])] as const;
  const [first, second] = [await addIds(apiKeys[0]), await addIds(apiKeys[1])];
  const { panelistId: authorId } = await addIds(apiKeys[0]);
  // What panelists do with their own: it is of one author, in one idea bank, and can still be changed.
  const run = (sql: string, ...values: string[]) =>
    database
      .prepare(sql)
      .bind(...values)
      .run();
  await run("UPDATE proposals SET author_id = ?1, status = 'submitted'", authorId);
  await run("UPDATE comments SET panelist_id = ?1", authorId);
  for (const table of ["proposals", "surveys"])
    await run(`UPDATE ${table} SET idea_bank_id = ?1 WHERE idea_bank_id = ?2`, first.ideaBankId, second.ideaBankId);
  // They can be told by e-mail, where the deployment sends any.
  await run("UPDATE panelists SET email = id || '@example.com'");
  const tables = await readTables(database);
  await run("DELETE FROM accounts");
  const panelistIds = [first, { ...second, ideaBankId: first.ideaBankId }] as const;
  return { accountId, email: `${accountId}@example.com`, authorId, apiKeys, tenantIds, panelistIds, tables };
}

/** Counts that triggers keep: they count again when the rows are copied. So are the log of changes, and what members are told. */
const COUNTED = ["stored_bytes", "votes", "comments", "responses", "totals", "bytes", "shown_bytes"];

async function readTables(database: D1Database): Promise<Table[]> {
  const { results } = await database
    .prepare(
      `SELECT name FROM sqlite_master t WHERE type = 'table' AND name NOT GLOB '_cf_*' AND (name = 'accounts' OR EXISTS
         (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'account_id')) AND name NOT IN ('owners', 'change_log', 'told_members', 'member_mails', 'proposal_private_tags', 'account_private_tags') ORDER BY rowid`,
    )
    .all<{ name: string }>();
  const tables: Table[] = [];
  for (const { name } of results) {
    const columns = (await columnsOf(database, name)).filter((column) => !COUNTED.includes(column));
    const { results: rows } = await database.prepare(`SELECT ${columns} FROM ${name}`).all<Record<string, Value>>();
    tables.push({ name, columns, rows: rows.map((row) => columns.map((column) => row[column] ?? null)) });
  }
  return tables;
}

let template: Promise<Template> | undefined;

/** `digit` is their database's. */
export async function addTenants(count: number, digit: Digit): Promise<Tenant[]> {
  template ??= makeTemplate();
  const original = await template;
  const copies: Awaited<ReturnType<typeof copyTenant>>[] = [];
  for (let times = 0; times < count; times++) copies.push(await copyTenant(original, digit));
  const database = databaseOf(digit);
  await database.batch(
    original.tables.map(({ name, columns, rows }) =>
      database
        .prepare(
          `INSERT INTO ${name} (${columns}) SELECT ${columns.map((_, at) => `value ->> ${at}`)} FROM json_each(?1)`,
        )
        .bind(JSON.stringify(copies.flatMap(({ copied }) => rows.map((row) => row.map(copied))))),
    ),
  );
  // The directory of database 0.
  const entries = JSON.stringify(copies.map(({ tenant: { email }, accountId }) => [email, accountId]));
  for (const table of ["owners", "invitees"])
    await databaseOf("0")
      .prepare(`INSERT INTO ${table} (email, account_id) SELECT value ->> 0, value ->> 1 FROM json_each(?1)`)
      .bind(entries)
      .run();
  return copies.map(({ tenant }) => tenant);
}

/** Everything that names something of the template names something of the new tenant. */
async function copyTenant({ accountId, email, authorId, apiKeys, panelistIds, tenantIds }: Template, digit: Digit) {
  const names = new Map<Value, string>();
  const copied = (value: Value): Value => {
    if (typeof value === "string" && isId(value) && !names.has(value)) names.set(value, newId(digit));
    return names.get(value) ?? value;
  };
  const idOf = (id: string) => String(copied(id));
  const idsOf = (ids: Ids): Ids => Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, idOf(id)]));
  names.set(email, `${idOf(accountId)}@example.com`.toLowerCase());
  let key = "";
  for (const [index, apiKey] of apiKeys.entries()) {
    const { text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, toId(idOf(apiKey.id)));
    names.set(apiKey.secretHash, secretHash);
    if (index === 0) key = text;
  }
  const tenant: Tenant = {
    email: names.get(email) ?? "",
    apiKeyId: idOf(apiKeys[0].id),
    key,
    token: await tokenFor(idOf(panelistIds[0].ideaBankId ?? ""), idOf(authorId)),
    panelistIds: [idsOf(panelistIds[0]), idsOf(panelistIds[1])],
    tenantIds: [idsOf(tenantIds[0]), idsOf(tenantIds[1])],
  };
  return { tenant, accountId: idOf(accountId), copied };
}
