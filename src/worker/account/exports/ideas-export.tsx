/** `/account/ideas/export`: the queue as it is filtered, as a file. Its columns are those that an import reads. */
import type { Context } from "hono";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { listMembers } from "../../database/members/members.ts";
import { type ExportedIdea, loadExported } from "../../database/proposals/exported-ideas.ts";
import { countListed, listWaiting } from "../../database/proposals/pending-proposals.ts";
import { countQueue, findInQueue, listQueue } from "../../database/proposals/queue.ts";
import { isRecent } from "../../database/proposals/recent-votes.ts";
import type { Column } from "../../http/csv-file.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { memberLabel } from "../../model/member.ts";
import { pagesOriginOf } from "../../model/pages-origin.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import { orNotFound } from "../frame/decide.ts";
import { IDEA_STATUSES } from "../frame/words.ts";
import { assigneeOf } from "../ideas/assignee.tsx";
import { publicUrlOf } from "../ideas/idea-facts.tsx";
import { addressOf, IDEAS } from "../ideas/opened-idea.ts";
import { toParameters } from "../ideas/queue-filters.tsx";
import { openQueue } from "../ideas/queue-page.tsx";
import { mayNamePeople } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { csvExport, SEARCH } from "./csv-export.tsx";
import { slicesOf } from "./slices.ts";

export type IdeaRow = ExportedIdea & {
  readonly boardName: string | undefined;
  /** The member who has it, as the team reads it. */
  readonly assigneeName: string | undefined;
  readonly link: string;
  readonly publicLink: string | undefined;
  /** In the days of the order, if it is one of those. */
  readonly recentVotes: number | undefined;
};

export const IDEA_COLUMNS: readonly Column<IdeaRow>[] = [
  ["id", ({ id }) => id],
  ["title", ({ title }) => title],
  ["description", ({ description }) => description],
  ["status", ({ status }) => IDEA_STATUSES[status]],
  ["visibility", ({ visibility }) => visibility],
  ["tags", ({ tags }) => tags.join("; ")],
  ["private_tags", ({ privateTags }) => privateTags.join("; ")],
  ["assignee", ({ assigneeName }) => assigneeName ?? null],
  ["votes", ({ votes }) => votes],
  ["recent_votes", ({ recentVotes }) => recentVotes ?? null],
  ["comments", ({ comments }) => comments],
  ["created_at", ({ createdAt }) => createdAt],
  ["last_activity_at", ({ lastActivityAt }) => lastActivityAt],
  ["author_id", ({ authorExternalId }) => authorExternalId],
  ["author", ({ author }) => author],
  ["response", ({ response }) => response],
  ["responded_at", ({ respondedAt }) => respondedAt],
  ["board", ({ boardName }) => boardName ?? null],
  ["board_id", ({ ideaBankId }) => ideaBankId],
  ["external_id", ({ externalId }) => externalId],
  ["link", ({ link }) => link],
  ["public_link", ({ publicLink }) => publicLink ?? null],
];

/** `?board=` and the filters of the queue. A search has the ideas that its page shows. */
async function open(c: Context<OwnerEnv>, most: number) {
  const { query, session, accountId, board, reading, queue, sort, filter, ordered, isWaiting } = await openQueue(
    c,
    undefined,
  );
  const ofWaiting = { ...filter, ideaBankId: board };
  const found = query.q === undefined ? undefined : findInQueue(session, queue, query.q, { ...filter, sort });
  const [banks, members, ideaBank, rows] = await Promise.all([
    reading,
    listMembers(session, accountId, Date.now()),
    board === undefined ? undefined : loadIdeaBank(session, accountId, board),
    found?.then(({ length }) => length) ??
      (isWaiting ? countListed(session, accountId, ofWaiting, most) : countQueue(session, queue, ordered, most)),
  ]);
  const boards = new Map(
    [...banks.items, ...(ideaBank === undefined ? [] : [orNotFound(ideaBank)])].map((each) => [each.id, each]),
  );
  const { origin } = new URL(c.req.url);
  const namesPeople = await mayNamePeople(c);
  const pagesOrigin = pagesOriginOf(c.env, c.req.url);
  const read = async (request: PageRequest): Promise<Page<ExportedIdea>> => {
    const { items, next } = isWaiting
      ? await listWaiting(session, accountId, ofWaiting, request)
      : await listQueue(session, queue, ordered, request);
    return { items: await loadExported(session, accountId, items), next };
  };
  const toRow = (idea: ExportedIdea): IdeaRow => {
    const bank: IdeaBank | undefined = boards.get(idea.ideaBankId);
    const assignee = assigneeOf(members, idea.assignee);
    return {
      ...{ ...idea, boardName: bank?.name, assigneeName: assignee && memberLabel(assignee) },
      link: origin + addressOf({ ideaBankId: idea.ideaBankId, proposalId: idea.id }),
      authorExternalId: namesPeople ? idea.authorExternalId : null,
      publicLink: bank && publicUrlOf(bank, { ...idea, duplicateOf: null }, pagesOrigin),
      recentVotes: isRecent(sort) ? idea.sortKey : undefined,
    };
  };
  async function* slices(): AsyncGenerator<readonly IdeaRow[]> {
    if (found !== undefined) yield (await loadExported(session, accountId, await found)).map(toRow);
    else for await (const ideas of slicesOf(read)) yield ideas.map(toRow);
  }
  return {
    ...{
      rows,
      slices,
      filter: [toParameters({ ...query, sort, q: undefined }).toString(), query.q && SEARCH].filter(Boolean).join("&"),
    },
    says:
      board === undefined && banks.next !== undefined && !isWaiting
        ? `Ideas of the ${banks.items.length} newest boards. Choose a board in the list to export an older one.`
        : undefined,
  };
}

export const EXPORT_IDEAS_PAGE = csvExport({
  path: `${IDEAS}/export`,
  exported: "ideas",
  title: "Export ideas",
  one: "idea",
  many: "ideas",
  current: "ideas",
  list: (c) => IDEAS + new URL(c.req.url).search,
  columns: IDEA_COLUMNS,
  open,
});
