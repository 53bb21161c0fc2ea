/** All of an account, as rows of its tables (schema.sql): which rows follow which. Their SQL is the Worker's. */
import {
  type ExportedList,
  type ExportedRow,
  type ExportPage,
  type readExportedRows,
  tableOf,
} from "../../../worker/database/accounts/exported-rows.ts";

type ReadPage = (page: ExportPage) => ReturnType<typeof readExportedRows>;

const OF_ACCOUNT: readonly ExportedList[] = [
  ...(["accounts", "members", "invitations", "api_keys", "webhooks", "audit_events", "kept_events"] as const),
  ...(["told_members", "member_mails"] as const),
  ...(["surveys", "panelists", "idea_banks", "mutes", "change_log"] as const),
];
/** These follow each row; those below follow a page of rows. */
const OF_EACH: { readonly [list in ExportedList]?: readonly ExportedList[] } = {
  idea_banks: ["proposals", "merged_proposals", "comments"],
};
const OF_PAGE: { readonly [list in ExportedList]?: readonly ExportedList[] } = {
  ...{ api_keys: ["api_key_usage"], surveys: ["survey_responses"] },
  ...{
    proposals: ["votes", "follows", "proposal_steps", "notes"],
    merged_proposals: ["votes", "follows", "proposal_steps", "notes"],
  },
  panelists: ["notes_on_people"],
};

/** Each row with the name of its table first. */
export async function* readAccount(read: ReadPage): AsyncGenerator<ExportedRow, void, undefined> {
  for (const list of OF_ACCOUNT) yield* readList(read, list, []);
}

async function* readList(
  read: ReadPage,
  list: ExportedList,
  parents: readonly string[],
): AsyncGenerator<ExportedRow, void, undefined> {
  const idOf = ({ id }: ExportedRow) => String(id);
  let after: ExportPage["after"];
  do {
    const { rows, next } = await read({ list, parents, after });
    for (const row of rows) {
      yield { table: tableOf(list), ...row };
      for (const inner of OF_EACH[list] ?? []) yield* readList(read, inner, [idOf(row)]);
    }
    for (const following of (rows.length > 0 && OF_PAGE[list]) || []) yield* readList(read, following, rows.map(idOf));
    after = next;
  } while (after !== undefined);
}
