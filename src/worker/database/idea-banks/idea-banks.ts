/** Rows of `idea_banks`, for the tenant API and Account Settings. */
import * as z from "zod/mini";
import { NewIdeaBank } from "../../model/idea-bank.ts";
import { flag } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type Creation, storedResource } from "../resource.ts";

/** A public page that is switched on switches approval on, unless the same request says otherwise. */
const approvalOf = ({ approvalRequired, publicPage }: NewIdeaBank): boolean => approvalRequired ?? publicPage;
const APPROVAL_WITH_PAGE = "approval_required = iif(:publicPage AND NOT public_page, 1, approval_required)";

const rows = storedResource({
  table: "idea_banks",
  fields: z.extend(NewIdeaBank, { approvalRequired: flag() }),
  otherwise: {
    url: { recorded: "coalesce(url, '')" },
    signInUrl: { recorded: "coalesce(sign_in_url, '')" },
  },
  times: ["createdAt"],
  follows: ({ publicPage, approvalRequired }) =>
    publicPage === true && approvalRequired === undefined ? [APPROVAL_WITH_PAGE] : [],
});

export const IDEA_BANKS = {
  ...rows,
  create: (session: Session, creation: Creation<NewIdeaBank>) =>
    rows.create(session, { ...creation, input: { ...creation.input, approvalRequired: approvalOf(creation.input) } }),
};

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
