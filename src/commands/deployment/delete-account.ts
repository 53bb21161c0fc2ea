/**
 * Deletes all of an account, in slices that block its database for an instant each. If it was stopped, it continues when it is run
 * again: the account's own row goes last.
 */
import { deleteOfIdeaBank } from "../../worker/database/deletions.ts";
import type { Statement } from "../../worker/store/statement.ts";
import { Failure } from "../command-line/failure.ts";
import { createProgress } from "../command-line/progress.ts";
import { commandLine, type Here, hereAgain, ON_THIS_MACHINE } from "./arguments.ts";
import { DIRECTORY, type EveryDatabase, type Row } from "./every-database.ts";
import { quote } from "./sql.ts";

/** A call of wrangler deletes so many rows of a table at most. It blocks the database for a fifth of a second. */
const AT_ONCE = 10_000;
/** A slice of an idea bank has 100 proposals, and so many of their votes and comments. */
const [SLICE, SLICES] = [1_000, 10];

/** The rows that are left after the idea banks: each table, its primary key, and the condition of the account's rows. */
const REST = [
  ["api_key_usage", "api_key_id, hour", "api_key_id IN (SELECT id FROM api_keys WHERE account_id = :account)"],
  ["api_keys", "id", "account_id = :account"],
  ["surveys", "id", "account_id = :account"],
  ["panelists", "id", "account_id = :account"],
  ["token_revocations", "seq", "account_id = :account"],
  ["idempotency_keys", "account_id, key", "account_id = :account"],
  ["undo_texts", "event_id", "account_id = :account"],
  ["members", "id", "account_id = :account"],
  ["invitations", "id", "account_id = :account"],
  ["audit_events", "id", "account_id = :account"],
  ["change_log", "account_id, number", "account_id = :account"],
] as const;

/** Throws a Failure for an account that is still open: its keys' gates and its panelists' views would continue for a while. */
export function refuseOpen({ owner_email, status }: Row, here: Here): void {
  if (status === "suspended") return;
  const where = here[ON_THIS_MACHINE] ? hereAgain(here) : ["--url", "https://api.example.com"];
  throw new Failure(
    `The account of ${owner_email} is ${status}. Nothing was deleted. Suspend it first, so that nobody uses it:\n` +
      commandLine("suspend", "", String(owner_email), ...where),
  );
}

/** The contents of an account, for the person who is about to delete it. */
export async function describeContents({ query }: EveryDatabase, binding: string, id: string): Promise<string> {
  const count = (table: string) => `(SELECT count(*) FROM ${table} WHERE account_id = ${quote(id)}) AS ${table}`;
  const [row] = await query(binding, `SELECT ${["api_keys", "idea_banks", "panelists", "surveys"].map(count)}`);
  const { api_keys, idea_banks, panelists, surveys } = row ?? {};
  return `API keys: ${api_keys}, idea banks: ${idea_banks} with everything in them, panelists: ${panelists}, surveys: ${surveys}.`;
}

/** From the first statement on, nobody signs in to the account. */
export async function deleteAccount(databases: EveryDatabase, binding: string, id: string): Promise<void> {
  const { context, query, queryAll } = databases;
  const account = quote(id);
  const progress = createProgress(context);
  let rows = 0;
  const count = (more: number) => {
    rows += more;
    progress(`Deleted so far: ${rows.toLocaleString("en-US")} rows`);
  };
  count(0);
  for (const table of ["owners", "memberships", "invitees"])
    for (const place of new Set([DIRECTORY, binding]))
      await query(place, `DELETE FROM ${table} WHERE account_id = ${account}`);
  await query(
    DIRECTORY,
    "DELETE FROM subjects WHERE email NOT IN (SELECT email FROM owners UNION ALL SELECT email FROM memberships)",
  );
  await query(binding, `DELETE FROM webhooks WHERE account_id = ${account}`);
  await deleteRows(databases, { binding, table: "idea_banks", key: "id", condition: `account_id = ${account}`, count });
  for (;;) {
    const [deleted] = await query(binding, `SELECT id FROM deleted_idea_banks WHERE account_id = ${account} LIMIT 1`);
    if (deleted === undefined) break;
    const bank = String(deleted.id);
    const slice = deleteOfIdeaBank({ accountId: id }, bank, SLICE).map((each) => returning(toText(each)));
    const slices = Array.from({ length: SLICES }, () => slice).flat();
    // The first statement says whether anything was left before.
    const sql = [`SELECT id FROM deleted_idea_banks WHERE id = ${quote(bank)}`, ...slices].join("; ");
    for (let isLeft = true; isLeft; ) {
      const [left, ...deletions] = await queryAll(binding, sql);
      count(deletions.flat().length);
      isLeft = left !== undefined && left.length > 0;
    }
  }
  for (const [table, key, condition] of REST)
    await deleteRows(databases, { binding, table, key, condition: condition.replace(":account", account), count });
  await query(binding, `DELETE FROM accounts WHERE id = ${account}`);
}

async function deleteRows(
  { query }: EveryDatabase,
  {
    binding,
    table,
    key,
    condition,
    count,
  }: { readonly [part in "binding" | "table" | "key" | "condition"]: string } & {
    readonly count: (deleted: number) => void;
  },
) {
  const sql = returning(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${AT_ONCE})`,
  );
  for (let deleted = AT_ONCE; deleted === AT_ONCE; count(deleted)) deleted = (await query(binding, sql)).length;
}

/** A deletion that answers with a row for each deleted one. */
const returning = (sql: string): string => (sql.startsWith("DELETE") ? `${sql} RETURNING 1 AS one` : sql);

/** Contains its values, because wrangler takes no parameters. */
const toText = ({ sql, values }: Statement): string =>
  sql.replace(/\?(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1] ?? null;
    return typeof value === "string" ? quote(value) : String(value);
  });
