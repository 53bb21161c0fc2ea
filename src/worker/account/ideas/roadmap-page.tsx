/** `/account/roadmap`: the team's own roadmap: ideas in columns by status, or by private tag, of all boards or of one. Nobody else sees it. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { listMembers } from "../../database/members/members.ts";
import { listPrivateTags } from "../../database/proposals/assignment.ts";
import {
  BANKS_AT_MOST,
  COUNTED_AT_MOST,
  countStatuses,
  listQueue,
  type QueuedIdea,
} from "../../database/proposals/queue.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { Id } from "../../model/id.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Member } from "../../model/member.ts";
import type { ProposalStatus } from "../../model/proposal.ts";
import { oneOf } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { orNotFound } from "../frame/decide.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { readVisit } from "../frame/visit.ts";
import { counted, IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { AssigneeChip } from "./assignee.tsx";
import { IDEAS } from "./opened-idea.ts";
import { PrivateTags } from "./private-tags.tsx";

const ROADMAP = "/account/roadmap";

/** What a team works on, and has done. New and declined ideas are in the queue. */
const STATUSES: readonly ProposalStatus[] = ["under-review", "planned", "in-progress", "implemented"];
/** Of the private tags, those that most ideas have. */
const TAGS_AT_MOST = 20;
const COLUMN_AT_MOST = 50;
const FIRST = { limit: COLUMN_AT_MOST, after: undefined };
/** Of what is done, what was done last. */
const DONE_AT_MOST = 10;

const RoadmapQuery = z.strictObject({ by: z.optional(oneOf(["status", "tag"])), board: z.optional(Id) });
type RoadmapQuery = z.infer<typeof RoadmapQuery>;

/** `filter`: the parameters of the queue that has all ideas of the column. `count`: how many they are; undefined for those that are shown. */
type Column = {
  readonly title: string;
  readonly ideas: readonly QueuedIdea[];
  readonly isCut: boolean;
  readonly count?: number;
  readonly filter: Readonly<Record<string, string>>;
};

type Queue = Parameters<typeof listQueue>[1];
type Session = Parameters<typeof listQueue>[0];

const byVotes = (ideas: readonly QueuedIdea[]): readonly QueuedIdea[] =>
  ideas.toSorted((one, other) => other.votes - one.votes);

/** Public ideas by votes, and with them the newest hidden ones. */
async function columnOfStatus(session: Session, queue: Queue, status: ProposalStatus): Promise<Column> {
  if (status === "implemented") return columnOfDone(session, queue);
  const [listed, hidden] = await Promise.all([
    listQueue(session, queue, { status, visibility: undefined, tag: undefined, sort: "top" }, FIRST),
    listQueue(session, queue, { status, visibility: "hidden", tag: undefined, sort: "new" }, FIRST),
  ]);
  const ideas = byVotes([...listed.items, ...hidden.items]);
  return {
    title: IDEA_STATUSES[status],
    ideas: ideas.slice(0, COLUMN_AT_MOST),
    isCut: listed.next !== undefined || hidden.next !== undefined || ideas.length > COLUMN_AT_MOST,
    filter: { status },
  };
}

/** Public ideas by their last activity, and with them the newest hidden ones. */
async function columnOfDone(session: Session, queue: Queue): Promise<Column> {
  const filter = { status: "implemented", tag: undefined } as const;
  const first = { limit: DONE_AT_MOST, after: undefined };
  const [listed, hidden, { implemented: count = 0 }] = await Promise.all([
    listQueue(session, queue, { ...filter, visibility: undefined, sort: "active" }, first),
    listQueue(session, queue, { ...filter, visibility: "hidden", sort: "new" }, first),
    countStatuses(session, queue),
  ]);
  const ideas = [...listed.items, ...hidden.items]
    .toSorted((one, other) => other.sortKey - one.sortKey)
    .slice(0, DONE_AT_MOST);
  return {
    title: IDEA_STATUSES.implemented,
    ideas,
    isCut: count > ideas.length,
    count,
    filter: { status: "implemented" },
  };
}

/** "Q4 2026" and "Q4/26" as "2026 Q4", so that quarters stand in the order of time. */
const inTime = (tag: string): string =>
  tag.replace(/\b([QH][1-4])[ /-](?:20)?(\d\d)\b/gi, "20$2 $1").replaceAll("-", " ");

/** By name, with numbers as people count. */
const inOrder = (tags: readonly string[]): readonly string[] =>
  tags.toSorted((one, other) => inTime(one).localeCompare(inTime(other), "en", { numeric: true }));

/** Of the newest ideas with the tag, the most wanted first. */
async function columnOfTag(session: Session, queue: Queue, privateTag: string): Promise<Column> {
  const filter = { status: undefined, visibility: undefined, tag: undefined, sort: "new", privateTag } as const;
  const { items, next } = await listQueue(session, queue, filter, FIRST);
  return { title: privateTag, ideas: byVotes(items), isCut: next !== undefined, filter: { privateTag } };
}

async function load(c: Context<OwnerEnv>) {
  readVisit(c);
  const query = parseOrThrow(RoadmapQuery, Object.fromEntries(new URL(c.req.url).searchParams));
  const { session, accountId } = await openOwn(c);
  const [banks, board, tags, members] = await Promise.all([
    listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } }),
    query.board === undefined ? undefined : loadIdeaBank(session, accountId, query.board),
    query.by === "tag" ? listPrivateTags(session, accountId) : [],
    listMembers(session, accountId, Date.now()),
  ]);
  const boards = board === undefined ? banks.items : [orNotFound(board)];
  const queue = { accountId, ideaBankIds: boards.map(({ id }) => id) };
  const shown = inOrder(tags.slice(0, TAGS_AT_MOST).map(({ tag }) => tag));
  const columns = await Promise.all(
    query.by === "tag"
      ? shown.map((tag) => columnOfTag(session, queue, tag))
      : STATUSES.map((status) => columnOfStatus(session, queue, status)),
  );
  return {
    query,
    boards: banks.items,
    board: board ?? undefined,
    members,
    columns,
    hasMoreTags: tags.length > TAGS_AT_MOST,
  };
}

export const ROADMAP_PAGE = page({ path: ROADMAP, load, view: (props) => <RoadmapPage {...props} /> });

type Props = {
  readonly query: RoadmapQuery;
  readonly boards: readonly IdeaBank[];
  /** The one board whose ideas are shown. */
  readonly board: IdeaBank | undefined;
  readonly members: readonly Member[];
  readonly columns: readonly Column[];
  readonly hasMoreTags: boolean;
};

const BY = { status: "By status", tag: "By private tag" } as const;

const at = (path: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

/** "7", "50+". */
const numberOf = ({ ideas, isCut, count }: Column): string => {
  if (count === undefined) return `${ideas.length}${isCut ? "+" : ""}`;
  return count >= COUNTED_AT_MOST ? `${COUNTED_AT_MOST - 1}+` : String(count);
};

const RoadmapPage = ({ query, boards, board, members, columns, hasMoreTags }: Props) => {
  const { by = "status" } = query;
  const here = at(ROADMAP, query);
  const names = new Map(boards.map(({ id, name }) => [id, name]));
  return (
    <Layout title="Roadmap" current="roadmap" scripts={["queue.js"]}>
      <p class="lead">Only your team sees this page.</p>
      <nav class="tabs" aria-label="Columns">
        {Object.entries(BY).map(([each, words]) => (
          <a
            href={at(ROADMAP, { by: each === "status" ? undefined : each, board: query.board })}
            aria-current={each === by ? "page" : undefined}
          >
            {words}
          </a>
        ))}
      </nav>
      {boards.length > 1 && (
        <search>
          <form method="get" action={ROADMAP} class="filters">
            {query.by && <input type="hidden" name="by" value={query.by} />}
            <label>
              Board
              <select name="board">
                <option value="">All boards</option>
                {boards.map(({ id, name }) => (
                  <option value={id} selected={id === board?.id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit">Filter</button>
          </form>
        </search>
      )}
      {hasMoreTags && <p class="hint">{`The ${TAGS_AT_MOST} private tags with most ideas.`}</p>}
      {columns.length === 0 ? (
        <p class="notice">
          No idea has a private tag yet. <a href={IDEAS}>Choose ideas</a> to tag them, for example with a quarter.
        </p>
      ) : (
        <div class="roadmap">
          {columns.map((column, index) => (
            <section aria-labelledby={`column-${index}`}>
              <h2 id={`column-${index}`} dir="auto">
                {column.title}
                <span class="hint">{` ${numberOf(column)}`}</span>
              </h2>
              <ul>
                {column.ideas.map((idea) => (
                  <Card
                    idea={idea}
                    members={members}
                    boardName={board === undefined && boards.length > 1 ? names.get(idea.ideaBankId) : undefined}
                    here={here}
                    by={by}
                  />
                ))}
              </ul>
              {column.isCut && (
                <a href={at(IDEAS, { ...column.filter, board: query.board })}>
                  {column.count === undefined ? "More in the queue" : `All ${numberOf(column)}`}
                </a>
              )}
            </section>
          ))}
        </div>
      )}
    </Layout>
  );
};

type CardProps = {
  readonly idea: QueuedIdea;
  readonly members: readonly Member[];
  readonly boardName: string | undefined;
  readonly here: string;
  readonly by: keyof typeof BY;
};

const Card = ({ idea, members, boardName, here, by }: CardProps) => {
  const { id, ideaBankId, title, votes, visibility, status, privateTags, assignee } = idea;
  return (
    <li>
      <a href={at(`${IDEA_BANKS}/${ideaBankId}/ideas/${id}`, { back: here })} dir="auto">
        {title}
      </a>
      <p class="hint">
        <span>{counted(votes, "vote")}</span>
        {by === "tag" && <span class={`status ${status}`}>{IDEA_STATUSES[status]}</span>}
        {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
        {by === "status" && <PrivateTags tags={privateTags} />}
        {boardName !== undefined && <bdi>{boardName}</bdi>}
        <AssigneeChip members={members} assignee={assignee} />
      </p>
    </li>
  );
};
