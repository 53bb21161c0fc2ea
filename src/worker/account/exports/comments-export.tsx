/** `/account/comments/export`: the comments of all boards, or of one (`?board=`), as a file: board by board, the newest first. */
import type { Context } from "hono";
import {
  countComments,
  type ExportedComment,
  listExportedComments,
} from "../../database/comments/exported-comments.ts";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { BANKS_AT_MOST } from "../../database/proposals/queue.ts";
import type { Column } from "../../http/csv-file.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { addressOf, IDEAS } from "../ideas/opened-idea.ts";
import { mayNamePeople } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { csvExport } from "./csv-export.tsx";
import { slicesOf } from "./slices.ts";

type Row = ExportedComment & { readonly board: IdeaBank; readonly link: string };

const COLUMNS: readonly Column<Row>[] = [
  ["id", ({ id }) => id],
  ["created_at", ({ createdAt }) => createdAt],
  ["by", ({ by }) => by],
  ["visibility", ({ visibility }) => visibility],
  ["author_id", ({ authorExternalId }) => authorExternalId],
  ["author", ({ author }) => author],
  ["text", ({ body }) => body],
  ["idea_id", ({ proposalId }) => proposalId],
  ["idea", ({ title }) => title],
  ["board", ({ board }) => board.name],
  ["board_id", ({ board }) => board.id],
  ["link", ({ link }) => link],
];

async function open(c: Context<OwnerEnv>, most: number) {
  const board = c.req.query("board") || undefined;
  if (board !== undefined) idsOf({ board });
  const { session, accountId } = await openOwn(c);
  const newest = { limit: BANKS_AT_MOST, after: undefined };
  const { items: boards, next } =
    board === undefined
      ? await listIdeaBanks(session, { accountId, request: newest })
      : { items: [orNotFound(await loadIdeaBank(session, accountId, board))], next: undefined };
  const ideaBankIds = boards.map(({ id }) => id);
  const { origin } = new URL(c.req.url);
  const namesPeople = await mayNamePeople(c);
  async function* slices(): AsyncGenerator<readonly Row[]> {
    for (const each of boards) {
      const ideaBankId = each.id;
      const toRow = (comment: ExportedComment): Row => ({
        ...{ ...comment, board: each },
        authorExternalId: namesPeople ? comment.authorExternalId : null,
        link: `${origin}${addressOf({ ideaBankId, proposalId: comment.proposalId })}#comments`,
      });
      for await (const comments of slicesOf((request) =>
        listExportedComments(session, { accountId, ideaBankId, request }),
      ))
        yield comments.map(toRow);
    }
  }
  return {
    rows: await countComments(session, { accountId, ideaBankIds }, most),
    ...{ slices, filter: board === undefined ? "" : `board=${board}` },
    says:
      next &&
      `Comments of the ${boards.length} newest boards. Choose a board in the list of ideas to export an older one.`,
  };
}

export const EXPORT_COMMENTS_PAGE = csvExport({
  path: "/account/comments/export",
  exported: "comments",
  title: "Export comments",
  one: "comment",
  many: "comments",
  current: "ideas",
  list: (c) => IDEAS + new URL(c.req.url).search,
  columns: COLUMNS,
  open,
});
