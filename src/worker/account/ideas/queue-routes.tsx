/**
 * `/account/ideas`: the ideas of all boards, or of one (`?board=`); `/account/idea-banks/{id}`: those of one board. They are sorted and
 * filtered here, and decided about one by one and several at once.
 */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks.ts";
import {
  BANKS_AT_MOST,
  countStatuses,
  findComments,
  findInQueue,
  hasUnlisted,
  listQueue,
} from "../../database/queue.ts";
import { listOwnTags } from "../../database/tags.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { idsOf, openOwn, orNotFound } from "../frame/decide.ts";
import { renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, tellAt, withParameter } from "../frame/visit.ts";
import { IDEA_BANKS } from "../idea-banks/routes.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { chosenIn, decideAboutOne, decideAboutSeveral, loadPublications } from "./decide-several.ts";
import { QueuePage } from "./queue-page.tsx";
import { QueueQuery } from "./queue-query.ts";

const ALL = "/account/ideas";
const ONE = `${IDEA_BANKS}/:ideaBankId`;
/** These ask before they are done. */
const CONFIRMED = ["merge", "delete"];

export function addQueuePages(routes: Routes<OwnerEnv>): void {
  for (const path of [ALL, ONE]) {
    routes.get(path, (c) => renderQueue(c, c.req.param("ideaBankId")));
    routes.post(path, (c) => decide(c, c.req.param("ideaBankId")));
  }
}

async function renderQueue(c: Context<OwnerEnv>, ofPath: string | undefined): Promise<Response> {
  const visit = readVisit(c);
  const { query, page } = await readPage(c, QueueQuery);
  if (ofPath !== undefined) idsOf({ ofPath });
  const { session, accountId } = await openOwn(c);
  const banks = await listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const board = ofPath ?? query.board;
  const chosen = board === undefined ? banks.items : banks.items.filter(({ id }) => id === board);
  // A board that is not among the newest is read by itself.
  const ideaBanks =
    board !== undefined && chosen.length === 0 ? [orNotFound(await loadIdeaBank(session, accountId, board))] : chosen;
  const queue = { accountId, ideaBankIds: ideaBanks.map(({ id }) => id) };
  const isOne = board !== undefined;
  const tags = isOne ? await listOwnTags(session, accountId, board) : [];
  const isSearch = query.q !== undefined;
  // Hidden and waiting ideas, and those with a tag, are listed by age.
  const isSorted = isSearch || ((query.visibility ?? "public") === "public" && query.tag === undefined);
  const filter = {
    ...{ status: query.status, visibility: query.visibility },
    tag: isOne ? query.tag : undefined,
    sort: isSorted ? query.sort : ("new" as const),
  };
  const [listed, counts, foundComments, leavesOut] = await Promise.all([
    query.q === undefined
      ? listQueue(session, queue, filter, page)
      : findInQueue(session, queue, query.q, filter).then((items) => ({ items, next: undefined })),
    isSearch ? {} : countStatuses(session, queue),
    query.q === undefined ? undefined : findComments(session, queue, query.q),
    !isSearch && filter.sort !== "new" && query.visibility === undefined && hasUnlisted(session, queue, query.status),
  ]);
  const now = Date.now();
  const props = {
    ...{
      ideas: listed.items,
      foundComments,
      counts,
      tags,
      boards: banks.items,
      query: { ...query, sort: filter.sort },
      here: visit.here,
      now,
    },
    leavesOut,
    isSortedByAge: filter.sort !== query.sort,
    searchesWhole: isOne || (queue.ideaBankIds.length === 1 && banks.next === undefined),
    board: isOne ? ideaBanks[0] : undefined,
    ofPath,
    hasMoreBoards: banks.next !== undefined,
    told: visit.told,
    more: await nextCursor(c, listed.next),
    done: await loadJustDone({ session, accountId }, visit, now),
  };
  return renderPage(c, (frame) => <QueuePage frame={frame} {...props} />);
}

/** Does what the pressed button says, and leads back to the list. */
async function decide(c: Context<OwnerEnv>, ofPath: string | undefined): Promise<Response> {
  const fields = await readForm(c);
  const back = ownPage(fields.get("back"), ofPath === undefined ? ALL : `${IDEA_BANKS}/${ofPath}`);
  const what = fields.get("do") ?? "";
  if (what.startsWith("status:")) {
    const [bank, idea] = what.slice("status:".length).split("-");
    // Done is publishing: a page shows first what the changelog will say.
    if (fields.get(`status-${idea}`) === "implemented")
      return c.redirect(withParameter(`${IDEA_BANKS}/${bank}/ideas/${idea}/publish`, "back", back), 303);
    const event = await decideAboutOne(c, `${bank}-${idea}`, fields);
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  }
  const chosen = chosenIn(fields, ofPath);
  if (chosen.length === 0) return c.redirect(tellAt(back, "nothing-chosen"), 303);
  const asked = new URLSearchParams([
    ["back", back],
    ...chosen.map(({ ideaBankId, id }) => ["ids", `${ideaBankId}-${id}`]),
  ]);
  if (CONFIRMED.includes(what)) return c.redirect(`${ALL}/${what}?${asked}`, 303);
  if (what === "status" && fields.get("status") === "implemented") {
    const { publications } = await loadPublications(c, chosen);
    const [only, another] = chosen;
    if (publications.length > 0 && only && !another)
      return c.redirect(withParameter(`${IDEA_BANKS}/${only.ideaBankId}/ideas/${only.id}/publish`, "back", back), 303);
    if (publications.length > 0) return c.redirect(`${ALL}/publish?${asked}`, 303);
  }
  const { event, leavesOut } = await decideAboutSeveral(c, chosen, fields);
  const to = leavesOut ? tellAt(back, "waiting-left-out") : back;
  return c.redirect(event === undefined ? to : withParameter(to, "undo", event), 303);
}
