/**
 * `/account/ideas`: the ideas of all boards, or of one (`?board=`); `/account/idea-banks/{id}`: those of one board. They are sorted and
 * filtered here, and decided about one by one and several at once. Those that wait for approval are a filter with their whole texts.
 */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { listWaiting } from "../../database/proposals/pending-proposals.ts";
import {
  BANKS_AT_MOST,
  COUNTED_AT_MOST,
  countStatuses,
  type FoundComment,
  findComments,
  findInQueue,
  hasUnlisted,
  listQueue,
  OPEN_STATUSES,
  type QueuedIdea,
  SEARCHED_AT_MOST,
  UNANSWERED,
} from "../../database/proposals/queue.ts";
import { listOwnTags } from "../../database/proposals/tags.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { ProposalChanges, type ProposalStatus } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { Done, type JustDone, Outcome } from "../frame/done.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, type Told, tellAt, withParameter, withParameters } from "../frame/visit.ts";
import { BankNav, IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { type Chosen, chosenIn } from "./chosen.ts";
import { changeIdeas, changesOf, type Tells } from "./decide.ts";
import { IDEAS } from "./opened-idea.ts";
import { loadPublications } from "./publish-several-page.tsx";
import { Filters, isNewest, QueueQuery, Tabs, toParameters } from "./queue-filters.tsx";
import { List } from "./queue-rows.tsx";
import { carrying, tellsIn, tellsInRow } from "./tell-people.tsx";
import { Written } from "./written.tsx";

/** These ask before they are done. */
const CONFIRMED = ["merge", "delete"];

const queueAt = (path: string) =>
  page({
    path,
    load: (c) => load(c, c.req.param("ideaBankId")),
    view: (props) => <QueuePage {...props} />,
    act: (c) => decide(c, c.req.param("ideaBankId")),
  });

export const IDEAS_PAGE = queueAt(IDEAS);
export const BOARD_PAGE = queueAt(`${IDEA_BANKS}/:ideaBankId`);

async function load(c: Context<OwnerEnv>, ofPath: string | undefined): Promise<Props> {
  const visit = readVisit(c);
  const { query, page } = await readPage(c, QueueQuery);
  if (ofPath !== undefined) idsOf({ ofPath });
  const { session, accountId } = await openOwn(c);
  const board = ofPath ?? query.board;
  const isOne = board !== undefined;
  const reading = listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  // The ideas of one board are read together with the boards, those of all boards after them.
  const queue = { accountId, ideaBankIds: isOne ? [board] : (await reading).items.map(({ id }) => id) };
  const isSearch = query.q !== undefined;
  // Hidden and waiting ideas, and those with a tag, are listed by age.
  const isSorted = isSearch || ((query.visibility ?? "public") === "public" && query.tag === undefined);
  const sort = isSorted ? query.sort : undefined;
  const filter = {
    ...{ status: query.status, visibility: query.visibility },
    tag: isOne ? query.tag : undefined,
  };
  const list = () =>
    query.visibility === "pending"
      ? listWaiting(session, accountId, { ...filter, ideaBankId: board }, page)
      : listQueue(session, queue, { ...filter, sort: sort ?? "new" }, page);
  const sendsEmail = tellsPeople(c.env);
  const [banks, ideaBank, tags, settings, done, listed, counts, foundComments, leavesOut] = await Promise.all([
    reading,
    isOne ? loadIdeaBank(session, accountId, board) : undefined,
    isOne ? listOwnTags(session, accountId, board) : [],
    sendsEmail ? loadAccountSettings(session, accountId) : null,
    loadJustDone({ session, accountId }, visit, Date.now()),
    query.q === undefined
      ? list()
      : findInQueue(session, queue, query.q, { ...filter, sort }).then((items) => ({ items, next: undefined })),
    isSearch || query.visibility === "pending" ? {} : countStatuses(session, queue),
    query.q === undefined ? undefined : findComments(session, queue, query.q),
    !isSearch &&
      !isNewest({ ...query, sort }) &&
      query.visibility === undefined &&
      hasUnlisted(session, queue, query.status),
  ]);
  return {
    ...{
      ideas: listed.items,
      foundComments,
      counts,
      tags,
      boards: banks.items,
      query: { ...query, sort },
      here: visit.here,
    },
    leavesOut,
    tellsPeople: settings?.notifiesPeople === true,
    isSortedByAge: !isSorted && !isNewest(query),
    board: ideaBank === undefined ? undefined : orNotFound(ideaBank),
    ofPath,
    hasMoreBoards: banks.next !== undefined,
    told: visit.told,
    more: await nextCursor(c, listed.next),
    done,
  };
}

/** Does what the pressed button says, and leads back to the list. */
async function decide(c: Context<OwnerEnv>, ofPath: string | undefined): Promise<Response> {
  const fields = await readForm(c);
  const list = ofPath === undefined ? IDEAS : `${IDEA_BANKS}/${idsOf({ ideaBankId: ofPath }).ideaBankId}`;
  const back = ownPage(fields.get("back"), list);
  // The buttons of 1.1.0 that approved and hid had another name.
  const what = fields.get("do") ?? fields.get("visibility") ?? "";
  if (what.startsWith("status:")) {
    const [bank = "", id = ""] = what.slice("status:".length).split("-");
    const { ideaBankId, proposalId } = idsOf({ ideaBankId: bank, proposalId: id });
    const status = fields.get(`status-${proposalId}`);
    const tells = tellsInRow(fields, proposalId);
    // Done is publishing: a page shows first what the changelog will say.
    if (status === "implemented") return c.redirect(publishAt({ ideaBankId, id }, back, tells), 303);
    const changesOf = () => parseOrThrow(ProposalChanges, { status });
    const { event } = await changeIdeas(c, [{ ideaBankId, id }], changesOf, tells);
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  }
  const chosen = chosenIn(fields, ofPath);
  if (chosen.length === 0) return c.redirect(tellAt(back, "nothing-chosen"), 303);
  const tells = tellsIn(fields);
  const asked = new URLSearchParams([
    ["back", back],
    ...carrying(tells),
    ...chosen.map(({ ideaBankId, id }) => ["ids", `${ideaBankId}-${id}`]),
  ]);
  if (CONFIRMED.includes(what)) return c.redirect(`${IDEAS}/${what}?${asked}`, 303);
  if (what === "status" && fields.get("status") === "implemented") {
    const { publications } = await loadPublications(c, chosen);
    const [only, another] = chosen;
    if (publications.length > 0 && only && !another) return c.redirect(publishAt(only, back, tells), 303);
    if (publications.length > 0) return c.redirect(`${IDEAS}/publish?${asked}`, 303);
  }
  const { event, leavesOut } = await changeIdeas(c, chosen, ({ tags }) => changesOf(what, fields, tags), tells);
  const isTooLate = event === undefined && chosen.some(({ waited }) => waited !== undefined);
  const to = leavesOut ? tellAt(back, "waiting-left-out") : isTooLate ? tellAt(back, "decided-before") : back;
  return c.redirect(event === undefined ? to : withParameter(to, "undo", event), 303);
}

/** The page of an idea that is about to be published. */
const publishAt = ({ ideaBankId, id }: Chosen, back: string, tells: Tells): string =>
  withParameters(`${IDEA_BANKS}/${ideaBankId}/ideas/${id}/publish`, [["back", back], ...carrying(tells)]);

type Props = {
  readonly ideas: readonly QueuedIdea[];
  /** Undefined when nothing was searched for. */
  readonly foundComments: readonly FoundComment[] | undefined;
  readonly counts: Readonly<Partial<Record<ProposalStatus, number>>>;
  readonly tags: readonly TagCount[];
  readonly boards: readonly IdeaBank[];
  /** The one board whose ideas are shown; undefined for those of all. */
  readonly board: IdeaBank | undefined;
  /** The board of the path. */
  readonly ofPath: string | undefined;
  readonly hasMoreBoards: boolean;
  readonly query: QueueQuery;
  /** The order has public ideas only, and there are others. */
  readonly leavesOut: boolean;
  /** The account’s people are told of decisions by e-mail. */
  readonly tellsPeople: boolean;
  /** Another order was asked for. */
  readonly isSortedByAge: boolean;
  readonly here: string;
  readonly more: string | undefined;
  readonly told: Told | undefined;
  readonly done: JustDone | undefined;
};

const QueuePage = (props: Props) => {
  const { ideas, board, ofPath, boards, hasMoreBoards, query, here, more, told, done } = props;
  const path = ofPath === undefined ? IDEAS : `${IDEA_BANKS}/${ofPath}`;
  const isWaiting = query.visibility === "pending";
  const isFiltered = toParameters({ ...query, board: undefined }).size > 0;
  const isByAge = isNewest(query) && !isWaiting;
  const firstPage = `${path}?${toParameters(query)}`.replace(/\?$/, "");
  const adding = new URLSearchParams({ ...(board && { board: board.id }), back: here });
  const addLink = boards.length > 0 && (
    <a class="button" href={`/account/ideas/new?${adding}`}>
      New idea
    </a>
  );
  return (
    <Layout
      title={ofPath !== undefined && board ? board.name : isWaiting ? "Waiting for approval" : "Ideas"}
      current={ofPath !== undefined ? "idea-banks" : isWaiting ? "approval" : "ideas"}
      scripts={["queue.js"]}
      aside={!isWaiting && addLink}
    >
      {ofPath !== undefined && <BankNav id={ofPath} current="" />}
      <Done
        done={done}
        isQuiet={told !== undefined || ((isWaiting || query.status === UNANSWERED) && ideas.length > 0)}
        boards={board ? [board, ...boards] : boards}
      />
      <Outcome told={told} />
      {isWaiting && ideas.length > 0 && <p class="lead">Open an idea to respond to it or merge it into another.</p>}
      {(!isWaiting || query.status !== undefined) && <Tabs {...props} path={path} />}
      <Filters {...props} path={path} />
      {props.leavesOut && (
        <p class="hint">
          Hidden and waiting ideas are left out of this order.{" "}
          <a href={`${path}?${toParameters(query, { sort: "new" })}`}>Sort by newest to see them</a>
        </p>
      )}
      {props.isSortedByAge && !isWaiting && (
        <p class="hint">
          {`${query.tag === undefined ? "Hidden ideas" : "Ideas with a tag"} are always sorted by newest.`}
        </p>
      )}
      {query.q !== undefined && (
        <p class="hint">
          {`Searched the words of all titles, and texts and authors of the newest ${SEARCHED_AT_MOST.toLocaleString("en")} ideas.`}
        </p>
      )}
      {query.status === UNANSWERED &&
        query.q === undefined &&
        OPEN_STATUSES.some((status) => (props.counts[status] ?? 0) >= COUNTED_AT_MOST) && (
          <p class="hint">{`Searched the next ${SEARCHED_AT_MOST.toLocaleString("en")} open ideas in this order.`}</p>
        )}
      {hasMoreBoards && !board && !isWaiting && <p class="hint">{`Showing the ${boards.length} newest boards.`}</p>}
      {ideas.length === 0 ? (
        <p class="notice">
          {isWaiting && query.q === undefined ? (
            more ? (
              "Nothing left on this page. See “More”."
            ) : (
              "Nothing is waiting for approval."
            )
          ) : isFiltered ? (
            "No ideas match."
          ) : boards.length === 0 ? (
            <>
              There’s no board yet. <a href="/account/idea-banks#create">Create one</a>
            </>
          ) : (
            "No ideas yet."
          )}
        </p>
      ) : (
        <List {...props} path={path} isDone={done !== undefined} />
      )}
      {(more || query.cursor) && (
        <p class="buttons">
          {query.cursor && <a href={firstPage}>{isByAge ? "Newest" : "First page"}</a>}
          {more && (
            <a href={`${path}?${toParameters(query, { cursor: more })}`} rel="next">
              {isByAge ? "Older" : "More"}
            </a>
          )}
        </p>
      )}
      {props.foundComments && <FoundComments items={props.foundComments} here={here} />}
    </Layout>
  );
};

type FoundProps = { readonly items: readonly FoundComment[]; readonly here: string };

const FoundComments = ({ items, here }: FoundProps) => (
  <section aria-labelledby="comments">
    <h2 id="comments">Comments</h2>
    <p class="hint">
      {items.length === 0 && "No comments match. "}
      {`Searched the newest ${SEARCHED_AT_MOST.toLocaleString("en")} comments.`}
    </p>
    <ol class="events">
      {items.map((item) => (
        <Written item={item} here={here} canDelete />
      ))}
    </ol>
  </section>
);
