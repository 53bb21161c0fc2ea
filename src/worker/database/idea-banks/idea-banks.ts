/** Rows of `idea_banks`, for the tenant API and Account Settings. */
import { NewIdeaBank } from "../../model/idea-bank.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { storedResource } from "../resource.ts";

export const IDEA_BANKS = storedResource({
  table: "idea_banks",
  fields: NewIdeaBank,
  otherwise: { url: { recorded: "coalesce(url, '')" } },
  times: ["createdAt"],
});

export const {
  list: listIdeaBanks,
  create: createIdeaBank,
  load: loadIdeaBank,
  update: updateIdeaBank,
  delete: deleteIdeaBank,
} = IDEA_BANKS;

/** A count stops here, so that the page reads as many rows at most. */
export const COUNTED_CONTENTS = 1_000;

/** How many proposals and comments are deleted with the idea bank. */
export async function countContents(session: Session, { accountId, id }: { accountId: string; id: string }) {
  const upTo = (rows: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${COUNTED_CONTENTS}))`;
  const sql = `SELECT ${upTo("proposals WHERE account_id = :accountId AND idea_bank_id = :id AND duplicate_of IS NULL")} AS ideas,
    ${upTo("comments WHERE account_id = :accountId AND idea_bank_id = :id")} AS comments`;
  const counted = await session.first(prepare<{ ideas: number; comments: number }>(sql, { accountId, id }));
  return counted ?? { ideas: 0, comments: 0 };
}
