/**
 * `/account/ideas`: the ideas of all boards, or of one (`?board=`); `/account/idea-banks/{id}`: those of one board. They are sorted and
 * filtered here, and decided about one by one and several at once. Those that wait for approval are a filter with their whole texts.
 */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { listMembers } from "../../database/members/members.ts";
import type { Writing } from "../../database/members/writing-members.ts";
import { listPrivateTags } from "../../database/proposals/assignment.ts";
import { listWaiting } from "../../database/proposals/pending-proposals.ts";
import { loadProposal } from "../../database/proposals/proposals.ts";
import {
  BANKS_AT_MOST,
  COUNTED_AT_MOST,
  type CountRow,
  countStatuses,
  countUnanswered,
  type FoundComment,
  findComments,
  findInQueue,
  hasUnlisted,
  isOfTeam,
  isPartlyCounted,
  listQueue,
  loadQueued,
  type QueuedIdea,
  SEARCHED_AT_MOST,
  UNANSWERED,
} from "../../database/proposals/queue.ts";
import { isRecent, RECENT_DAYS, type RecentSort } from "../../database/proposals/recent-votes.ts";
import { listOwnTags } from "../../database/proposals/tags.ts";
import { FOUND_AT_MOST } from "../../database/proposals/words.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import type { Member } from "../../model/member.ts";
import type { PrivateTagCount } from "../../model/private-tag.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { useMay } from "../frame/frame.ts";
import { ImportLink } from "../frame/import-link.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, type Told, tellAt, withParameter, withParameters } from "../frame/visit.ts";
import { counted, number } from "../frame/words.ts";
import { BankNav, IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import { limitCostly } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { assignBack } from "./assignee.tsx";
import { type Chosen, chosenIn } from "./chosen.ts";
import { changeIdea, changeIdeas, changesOf, type IdeaPath, type Tells } from "./decide.ts";
import { FileLinks } from "./file-links.tsx";
import { IDEAS, saveIdea } from "./opened-idea.ts";
import { loadPublications } from "./publish-several-page.tsx";
import { Filters, isNewest, QueueQuery, Tabs, toParameters } from "./queue-filters.tsx";
import { QUEUE_NOTICES, QueueOutcome } from "./queue-outcome.tsx";
import { List } from "./queue-rows.tsx";
import { changeSeveralForTeam, keepChosen } from "./team-boxes.tsx";
import { carrying, isTicked, tellsIn, tellsInRow } from "./tell-people.tsx";
import { loadWriting, WRITING_SCRIPTS } from "./writing.tsx";
import { Written } from "./written.tsx";

/** These ask before they are done. */
const CONFIRMED = ["merge", "delete"];

const queueAt = (path: string) =>
  page({
    path,
    allows: "requests",
    load: (c) => load(c, c.req.param("ideaBankId")),
    view: (props) => <QueuePage {...props} />,
    act: (c) => decide(c, c.req.param("ideaBankId")),
  });

export const IDEAS_PAGE = queueAt(IDEAS);
export const BOARD_PAGE = queueAt(`${IDEA_BANKS}/:ideaBankId`);

/** The queue as its address filters it: for its page, and for the file of it. */
export async function openQueue(c: Context<OwnerEnv>, ofPath: string | undefined) {
  const visit = readVisit(c, QUEUE_NOTICES);
  const { query, page } = await readPage(c, QueueQuery);
  if (ofPath !== undefined) idsOf({ ofPath });
  if (isRecent(query.sort)) await limitCostly(c);
  const { session, accountId } = await openOwn(c);
  const board = ofPath ?? query.board;
  const isOne = board !== undefined;
  const reading = listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  // The ideas of one board are read together with the boards, those of all boards after them.
  const queue = { accountId, ideaBankIds: isOne ? [board] : (await reading).items.map(({ id }) => id) };
  const isSearch = query.q !== undefined;
  const team = { assignee: assigneeIn(query, c.var.owner.person), privateTag: query.privateTag };
  // Hidden and waiting ideas, those of one board with a tag, and a member's own are listed by age.
  const tag = isRecent(query.sort) || queue.ideaBankIds.length !== 1 ? undefined : query.tag;
  const isByAge = isByMemberOrTag({ ...query, tag });
  const isSorted = isSearch || ((query.visibility ?? "public") === "public" && !isByAge);
  const sort = isSorted ? query.sort : undefined;
  const filter = {
    ...{ status: query.status, visibility: query.visibility, tag: query.tag },
    ...team,
  };
  const ordered = { ...filter, sort: sort ?? "new" } as const;
  const isWaiting = query.visibility === "pending" && !isOfTeam(filter);
  return {
    ...{ visit, query, page, session, accountId, board, reading, queue, isSearch, isSorted, sort, filter, ordered },
    isWaiting,
  };
}

async function load(c: Context<OwnerEnv>, ofPath: string | undefined): Promise<Props> {
  const opened = await openQueue(c, ofPath);
  const { visit, query, page, session, accountId, board, reading, queue, isSearch, isSorted, sort, filter } = opened;
  const isOne = board !== undefined;
  const list = () =>
    opened.isWaiting
      ? listWaiting(session, accountId, { ...filter, ideaBankId: board }, page)
      : listQueue(session, queue, opened.ordered, page);
  const sendsEmail = tellsPeople(c.env);
  const [
    banks,
    ideaBank,
    tags,
    privateTags,
    members,
    settings,
    done,
    listed,
    counts,
    foundComments,
    leavesOut,
    isPartly,
    unanswered,
    writing,
    meanwhile,
  ] = await Promise.all([
    reading,
    isOne ? loadIdeaBank(session, accountId, board) : undefined,
    listOwnTags(session, accountId, queue.ideaBankIds),
    listPrivateTags(session, accountId),
    listMembers(session, accountId, Date.now()),
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
    !isSearch && isRecent(sort) && isPartlyCounted(session, queue, filter),
    isAllUnanswered(query) ? countUnanswered(session, queue) : null,
    opened.isWaiting ? [] : loadWriting(c),
    visit.told === "status-changed" ? loadQueued(session, { accountId, ids: [...visit.chosen] }) : [],
  ]);
  return {
    ...{
      ideas: listed.items,
      foundComments,
      counts,
      tags,
      privateTags,
      members,
      writing,
      boards: banks.items,
      query: { ...query, sort },
      here: visit.here,
      chosen: new Set(visit.chosen),
    },
    leavesOut,
    isPartlyCounted: isPartly,
    unanswered,
    meanwhile,
    tellsPeople: settings?.notifiesPeople === true,
    isSortedByAge: !isSorted && !isNewest(query),
    board: ideaBank === undefined ? undefined : orNotFound(ideaBank),
    ofPath,
    hasMoreBoards: banks.next !== undefined,
    told: visit.told,
    filled: visit.filled,
    more: await nextCursor(c, listed.next),
    done,
  };
}

const assigneeIn = ({ assignee }: QueueQuery, person: string) =>
  assignee === undefined ? undefined : assignee === "none" ? null : { person };

const isByMemberOrTag = ({ tag, privateTag, assignee }: QueueQuery): boolean =>
  tag !== undefined || privateTag !== undefined || assignee === "me";

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
    const tells = tellsInRow(fields);
    // The box stays as it was left.
    const again = withParameters(back, carrying(tells));
    // Done is publishing: a page shows first what the changelog will say.
    if (status === "implemented") return c.redirect(publishAt({ ideaBankId, id }, again, tells), 303);
    const event = await saveRow(c, { ideaBankId, proposalId }, fields);
    return c.redirect(withParameter(again, "undo", event), 303);
  }
  if (what === "assign-back") {
    await assignBack(c, fields);
    return c.redirect(tellAt(back, "assigned-back"), 303);
  }
  const chosen = chosenIn(fields, ofPath);
  if (chosen.length === 0) return c.redirect(tellAt(back, "nothing-chosen"), 303);
  if (what === "status" && fields.get("status") === "")
    return c.redirect(tellAt(keepChosen(back, chosen), "status-not-chosen"), 303);
  const forTeam = await changeSeveralForTeam(c, chosen, { what, fields, back });
  if (forTeam !== undefined) return forTeam;
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
  const { event, leftOut, meanwhile } = await changeIdeas(c, chosen, ({ tags }) => changesOf(what, fields, tags), {
    tells,
  });
  const isTooLate = event === undefined && chosen.some(({ waited }) => waited !== undefined);
  const to =
    leftOut > 0
      ? withParameter(tellAt(back, "waiting-left-out"), "left", String(leftOut))
      : meanwhile.length > 0
        ? keepChosen(tellAt(back, "status-changed"), meanwhile)
        : isTooLate
          ? tellAt(back, "decided-before")
          : back;
  const again = what === "tag" || what === "untag" ? keepChosen(to, chosen) : to;
  return c.redirect(event === undefined ? again : withParameter(again, "undo", event), 303);
}

/** Saves the status of one row: the rows are one form. Returns the event's id. */
function saveRow(c: Context<OwnerEnv>, path: IdeaPath, sent: URLSearchParams): Promise<string> {
  const fields = new URLSearchParams(sent);
  const [status, was] = [`status-${path.proposalId}`, `was-${path.proposalId}`].map((name) => sent.get(name));
  fields.set("status", status ?? "");
  // Whoever has read what somebody else has set sends it as `was`.
  if (was !== null && was !== undefined && !fields.has("was"))
    fields.set("was", `${new URLSearchParams({ status: was })}`);
  const load = async () => orNotFound(await openOwn(c).then((own) => loadProposal(own.session, own.accountId, path)));
  const tells = tellsInRow(sent);
  return saveIdea(path, { fields, load }, (changes, opened) => changeIdea(c, path, changes, { opened, tells }));
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
  readonly privateTags: readonly PrivateTagCount[];
  readonly members: readonly Member[];
  readonly writing: readonly Writing[];
  readonly boards: readonly IdeaBank[];
  /** The one board whose ideas are shown; undefined for those of all. */
  readonly board: IdeaBank | undefined;
  /** The board of the path. */
  readonly ofPath: string | undefined;
  readonly hasMoreBoards: boolean;
  readonly query: QueueQuery;
  /** The order has public ideas only, and there are others. */
  readonly leavesOut: boolean;
  /** Of the list of all of them. */
  readonly unanswered: CountRow | null;
  /** Ideas that got no status, because somebody else had given them one. */
  readonly meanwhile: readonly QueuedIdea[];
  /** The order is by recent votes, and only some of the ideas were looked at. */
  readonly isPartlyCounted: boolean;
  /** The account’s people are told of decisions by e-mail. */
  readonly tellsPeople: boolean;
  /** Another order was asked for. */
  readonly isSortedByAge: boolean;
  readonly here: string;
  readonly chosen: ReadonlySet<string>;
  readonly more: string | undefined;
  readonly told: Told | undefined;
  readonly filled: URLSearchParams;
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
    <span class="buttons">
      <FileLinks query={query} board={board?.id} here={here} isBeside />
      <a class="button" href={`/account/ideas/new?${adding}`}>
        New idea
      </a>
    </span>
  );
  return (
    <Layout
      title={ofPath !== undefined && board ? board.name : isWaiting ? "Waiting for approval" : "Ideas"}
      current={ofPath !== undefined ? "idea-banks" : isWaiting ? "approval" : "ideas"}
      scripts={["queue.js", ...WRITING_SCRIPTS]}
      {...(ideas.length > 0 && { skip: ["list", "Skip to the ideas"] as const })}
      aside={!isWaiting && useMay("member") && addLink}
    >
      {ofPath !== undefined && <BankNav id={ofPath} current="" />}
      <Done
        done={done}
        isQuiet={told !== undefined || ((isWaiting || query.status === UNANSWERED) && ideas.length > 0)}
        boards={board ? [board, ...boards] : boards}
      />
      <QueueOutcome
        {...{ told, isWaiting, path, here }}
        filled={props.filled}
        meanwhile={props.meanwhile}
        listed={ideas}
        board={board?.id}
      />
      {isWaiting && ideas.length > 0 && <p class="lead">Open an idea to respond to it or merge it into another.</p>}
      {(!isWaiting || query.status !== undefined) && <Tabs {...props} path={path} />}
      <Filters {...props} path={path} />
      {props.leavesOut && (
        <p class="hint">
          Hidden and waiting ideas are left out of this order.{" "}
          <a href={`${path}?${toParameters(query, { sort: "new" })}`}>Sort by newest to see them</a>
        </p>
      )}
      {isRecent(query.sort) && query.q === undefined && <RecentHint {...props} sort={query.sort} />}
      {props.isSortedByAge && !isWaiting && <p class="hint">{`${sortedByAge(query)} are always sorted by newest.`}</p>}
      {query.q !== undefined && ideas.length > 0 && (
        <p class="hint">{`${matching(ideas, "idea")} Authors and parts of words: the newest ${number(SEARCHED_AT_MOST)} ideas.`}</p>
      )}
      {isLookedThrough(props) && PROPOSAL_STATUSES.some((status) => (props.counts[status] ?? 0) >= COUNTED_AT_MOST) && (
        <p class="hint">{`From the next ${number(SEARCHED_AT_MOST)} ideas in this order.`}</p>
      )}
      {props.unanswered && props.unanswered.count > 0 && <p class="hint">{unansweredInWords(props.unanswered)}</p>}
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
            <>
              No ideas yet. <ImportLink board={board?.id} back={here} />
            </>
          )}
        </p>
      ) : (
        <List {...props} path={path} isDone={done !== undefined} isTicked={isTicked(props.filled)} />
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
      {ideas.length > 0 && <FileLinks query={query} board={board?.id} here={here} />}
      {props.foundComments && <FoundComments items={props.foundComments} here={here} />}
    </Layout>
  );
};

/** Nobody's ideas, and those of several boards with a tag, have no list of their own. */
const isLookedThrough = ({ query, boards, board }: Props): boolean =>
  query.q === undefined &&
  (query.assignee === "none" || (query.tag !== undefined && board === undefined && boards.length > 1));

const RecentHint = ({
  sort,
  isPartlyCounted: isPartly,
}: Pick<Props, "isPartlyCounted"> & { readonly sort: RecentSort }) => (
  <p class="hint">
    {`Ideas without a vote in the last ${RECENT_DAYS[sort]} days are left out. `}
    {isPartly && "Only those with the most votes in all were counted. Filter by board or status to count the others."}
  </p>
);

const sortedByAge = ({ tag, privateTag, assignee }: QueueQuery): string => {
  if (assignee === "me") return "Ideas assigned to you";
  return tag === undefined && privateTag === undefined ? "Hidden ideas" : "Ideas with a tag";
};

/** "16 ideas match." */
function matching({ length }: readonly unknown[], noun: string): string {
  if (length === 0) return `No ${noun}s match.`;
  if (length >= FOUND_AT_MOST) return `The ${length} ${noun}s that match best.`;
  return `${counted(length, noun)} ${length === 1 ? "matches" : "match"}.`;
}

/** Nothing else filters the list. */
const isAllUnanswered = (query: QueueQuery): boolean =>
  query.status === UNANSWERED &&
  toParameters({ ...query, status: undefined, sort: "new", board: undefined }).size === 0;

/** "302 open ideas have no response." */
const unansweredInWords = ({ count, looked }: CountRow): string =>
  `${number(count)}${looked >= SEARCHED_AT_MOST ? "+" : ""} open ${count === 1 ? "idea has" : "ideas have"} no response.`;

type FoundProps = { readonly items: readonly FoundComment[]; readonly here: string };

const FoundComments = ({ items, here }: FoundProps) => (
  <section aria-labelledby="comments">
    <h2 id="comments">Comments</h2>
    <p class="hint">
      {`${matching(items, "comment")} Authors and parts of words: the newest ${number(SEARCHED_AT_MOST)} comments.`}
    </p>
    <ol class="events">
      {items.map((item) => (
        <Written item={item} here={here} canDelete />
      ))}
    </ol>
  </section>
);
