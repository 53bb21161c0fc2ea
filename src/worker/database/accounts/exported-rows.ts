/** The rows of an account by table, a page at a time: for a copy, or to take the account elsewhere. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** Rows of long texts are read in smaller pages: one of 100 has at most about 10 MB. */
const [LONG, SHORT] = [100, 2_000];

/** Columns that never leave: they verify or sign, reveal whose an identifier is, or what few people have answered anonymously. */
const IS_SECRET = /secret|hash|salt|mail_key|^(responses|totals|bytes|unshown|counted)$/;

type List = {
  /** The table, if the list has another name. */
  readonly table?: string;
  /** The condition of its rows, besides the account. `:parent` is one of `:parents`, a JSON array of identifiers. */
  readonly where?: string;
  /** Columns that an index has in this order behind those of the condition; together they name one row. */
  readonly order: string;
  readonly page?: number;
};

const OF_ACCOUNT = "account_id = :accountId";
/** By the index of the condition before it. */
const ALSO_OF_ACCOUNT = `+${OF_ACCOUNT}`;
const PARENTS = "(SELECT value FROM json_each(:parents))";
const OF_IDEA_BANK = `idea_bank_id = :parent AND ${ALSO_OF_ACCOUNT}`;

const LISTS = {
  accounts: { where: "id = :accountId", order: "id" },
  members: { order: "email" },
  invitations: { order: "email" },
  told_members: { order: "email" },
  member_mails: { order: "email, idea_bank_id" },
  api_keys: { order: "created_at, id" },
  api_key_usage: {
    where: `api_key_id IN ${PARENTS} AND api_key_id IN (SELECT id FROM api_keys WHERE ${OF_ACCOUNT})`,
    order: "api_key_id, hour",
  },
  webhooks: { order: "id" },
  audit_events: { order: "created_at, id" },
  kept_events: { order: "kind, position" },
  surveys: { order: "created_at, id", page: LONG },
  // Nobody sees which anonymous answers belong together.
  survey_responses: {
    where: `survey_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT} AND survey_id IN (SELECT id FROM surveys WHERE anonymous = 0)`,
    order: "survey_id, respondent",
    page: LONG,
  },
  panelists: { where: `${OF_ACCOUNT} AND deleted_at IS NULL`, order: "created_at, id" },
  idea_banks: { order: "created_at, id" },
  proposals: { where: `${OF_IDEA_BANK} AND duplicate_of IS NULL`, order: "created_at, id", page: LONG },
  merged_proposals: {
    ...{ table: "proposals", where: `${OF_IDEA_BANK} AND duplicate_of IS NOT NULL` },
    ...{ order: "rowid", page: LONG },
  },
  votes: { where: `proposal_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT}`, order: "proposal_id, panelist_id" },
  follows: { where: `proposal_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT}`, order: "proposal_id, panelist_id" },
  proposal_steps: {
    where: `proposal_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT}`,
    order: "proposal_id, number",
    page: LONG,
  },
  comments: { where: OF_IDEA_BANK, order: "created_at, id", page: LONG },
  notes: {
    where: `proposal_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT}`,
    order: "proposal_id, created_at, id",
    page: LONG,
  },
  notes_on_people: {
    ...{ table: "notes", where: `panelist_id IN ${PARENTS} AND ${ALSO_OF_ACCOUNT}` },
    ...{ order: "panelist_id, created_at, id", page: LONG },
  },
  mutes: { order: "email, scope_id" },
  change_log: { order: "number" },
} as const satisfies Readonly<Record<string, List>>;

export type ExportedList = keyof typeof LISTS;
export const EXPORTED_LISTS = Object.keys(LISTS) as readonly ExportedList[];
/** The table whose rows the list has. */
export const tableOf = (list: ExportedList): string => listOf(list).table ?? list;
const listOf = (list: ExportedList): List => LISTS[list];

export type ExportedRow = Readonly<Record<string, unknown>>;

export type ExportPage = {
  readonly list: ExportedList;
  /** Of `proposals`, `merged_proposals` and `comments`: an idea bank. Of `votes`, `follows`, `proposal_steps` and `notes`: proposals. Of `notes_on_people`: panelists. Of `api_key_usage`: keys. Of `survey_responses`: surveys. */
  readonly parents: readonly string[];
  /** The last page's `next`. */
  readonly after?: readonly (string | number)[] | undefined;
};

/** `next` is undefined on the last page. */
export async function readExportedRows(
  session: Session,
  accountId: string,
  { list, parents, after }: ExportPage,
): Promise<{ readonly rows: readonly ExportedRow[]; readonly next: readonly (string | number)[] | undefined }> {
  const { where = OF_ACCOUNT, order, page = SHORT } = listOf(list);
  const columns = order.split(", ");
  const values = Object.fromEntries(columns.map((_, index) => [`after${index}`, after?.[index]]));
  const isAfter = after === undefined ? "" : ` AND (${order}) > (${Object.keys(values).map((name) => `:${name}`)})`;
  const found = await session.all(
    prepare<Readonly<Record<string, string | number>>>(
      `SELECT *${order === "rowid" ? ", rowid" : ""} FROM ${tableOf(list)} WHERE ${where}${isAfter} ORDER BY ${order} LIMIT ${page}`,
      { accountId, parent: parents[0], parents: JSON.stringify(parents), ...values },
    ),
  );
  const last = found.at(-1);
  const isOut = (column: string) => IS_SECRET.test(column) || column === "rowid";
  return {
    rows: found.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !isOut(column)))),
    next: last && found.length === page ? columns.map((column) => last[column] ?? "") : undefined,
  };
}
