/** All of an account, as rows of its tables (schema.sql) a page at a time: for a copy, or to take the account elsewhere. */
import type { EveryDatabase, Row } from "./every-database.ts";
import { quote } from "./sql.ts";

/** Rows of long texts are read in smaller pages: one of 100 has at most about 10 MB. */
const [LONG, SHORT] = [100, 2_000];

/** Never read by an export: they verify or sign, or reveal whose an identifier is. */
const IS_SECRET = /secret|hash|salt/;

type List = {
  readonly table: string;
  /** The condition of its rows. */
  readonly where: string;
  /** Columns that an index has in this order behind those of the condition; together they name one row. */
  readonly order: string;
  readonly page: number;
};

const ofAccount = (account: string): readonly List[] => {
  const where = `account_id = ${account}`;
  const list = (table: string, order: string, page = SHORT): List => ({ table, where, order, page });
  return [
    { table: "accounts", where: `id = ${account}`, order: "id", page: SHORT },
    list("members", "email"),
    list("invitations", "email"),
    list("api_keys", "created_at, id"),
    list("webhooks", "id"),
    list("audit_events", "created_at, id"),
    list("kept_events", "kind, position"),
    list("surveys", "created_at, id", LONG),
    { ...list("panelists", "created_at, id"), where: `${where} AND deleted_at IS NULL` },
    list("idea_banks", "created_at, id"),
    list("change_log", "number"),
  ];
};

const ofIdeaBank = (ideaBank: string): readonly List[] => {
  const where = `idea_bank_id = ${ideaBank}`;
  return [
    { table: "proposals", where: `${where} AND duplicate_of IS NULL`, order: "created_at, id", page: LONG },
    { table: "proposals", where: `${where} AND duplicate_of IS NOT NULL`, order: "rowid", page: LONG },
    { table: "comments", where, order: "created_at, id", page: LONG },
  ];
};

/** Each row with the name of its table first. The rows of an idea bank follow it. */
export async function* readAccount(databases: EveryDatabase, binding: string, accountId: string): AsyncGenerator<Row> {
  for (const list of ofAccount(quote(accountId)))
    for await (const rows of readPages(databases, binding, list)) {
      for (const row of rows) {
        yield toLine(list.table, row);
        if (list.table === "idea_banks") yield* readIdeaBank(databases, binding, quote(String(row.id)));
      }
      if (list.table !== "api_keys") continue;
      const where = `api_key_id IN (${rows.map(({ id }) => quote(String(id)))})`;
      yield* readList(databases, binding, { table: "api_key_usage", where, order: "api_key_id, hour", page: SHORT });
    }
}

/** Votes are found by their proposals, a page of those at a time. */
async function* readIdeaBank(databases: EveryDatabase, binding: string, id: string): AsyncGenerator<Row> {
  for (const list of ofIdeaBank(id))
    for await (const rows of readPages(databases, binding, list)) {
      for (const row of rows) yield toLine(list.table, row);
      if (list.table !== "proposals") continue;
      const where = `proposal_id IN (${rows.map((row) => quote(String(row.id)))})`;
      yield* readList(databases, binding, { table: "votes", where, order: "proposal_id, panelist_id", page: SHORT });
    }
}

async function* readList(databases: EveryDatabase, binding: string, list: List): AsyncGenerator<Row> {
  for await (const rows of readPages(databases, binding, list)) for (const row of rows) yield toLine(list.table, row);
}

/** Pages that are not empty. */
async function* readPages({ query }: EveryDatabase, binding: string, { table, where, order, page }: List) {
  for (let after = ""; ; ) {
    const rows = await query(
      binding,
      `SELECT *${order === "rowid" ? ", rowid" : ""} FROM ${table} WHERE ${where}${after} ORDER BY ${order} LIMIT ${page}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < page) return;
    const values = order.split(", ").map((column) => literal(last[column]));
    after = ` AND (${order}) > (${values})`;
  }
}

const literal = (value: unknown): string => (typeof value === "number" ? String(value) : quote(String(value)));

const toLine = (table: string, row: Row): Row => ({
  table,
  ...Object.fromEntries(Object.entries(row).filter(([column]) => !IS_SECRET.test(column) && column !== "rowid")),
});
