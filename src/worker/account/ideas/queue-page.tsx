/** The queue: ideas with their votes, the filters above them, and the bar for several of them. */
import {
  COUNTED_AT_MOST,
  type FoundComment,
  OPEN,
  OPEN_STATUSES,
  type QueuedIdea,
  type QueueSort,
  type QueueStatus,
  SEARCHED_AT_MOST,
  UNANSWERED,
} from "../../database/queue.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { firstLine } from "../../model/light-formatting.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { Done, type JustDone, Outcome } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { Time } from "../frame/times.tsx";
import type { Told } from "../frame/visit.ts";
import { IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";
import { BankNav } from "../idea-banks/nav.tsx";
import { type QueueQuery, toParameters } from "./queue-query.ts";
import { Written } from "./written.tsx";

type Props = {
  readonly frame: Frame;
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
  /** Another order was asked for. */
  readonly isSortedByAge: boolean;
  /** All titles are searched, because they are those of one board. */
  readonly searchesWhole: boolean;
  readonly here: string;
  readonly more: string | undefined;
  readonly told: Told | undefined;
  readonly now: number;
  readonly done: JustDone | undefined;
};

const SORTS: Record<QueueSort, string> = {
  new: "Newest",
  top: "Most votes",
  hot: "Trending",
  active: "Recently active",
};

export const QueuePage = (props: Props) => {
  const { frame, ideas, board, ofPath, boards, hasMoreBoards, query, here, more, told, done } = props;
  const path = ofPath === undefined ? "/account/ideas" : `/account/idea-banks/${ofPath}`;
  const isFiltered = [query.q, query.status, query.visibility, query.tag].some((value) => value !== undefined);
  const firstPage = `${path}?${toParameters(query)}`.replace(/\?$/, "");
  const adding = new URLSearchParams({ ...(board && { board: board.id }), back: here });
  const addLink = boards.length > 0 && (
    <a class="button" href={`/account/ideas/new?${adding}`}>
      New idea
    </a>
  );
  return (
    <Layout
      title={ofPath !== undefined && board ? board.name : "Ideas"}
      current={ofPath === undefined ? "ideas" : "idea-banks"}
      scripts={["queue.js"]}
      aside={addLink}
      {...frame}
    >
      {ofPath !== undefined && <BankNav id={ofPath} current="" />}
      <Done
        done={done}
        isQuiet={told !== undefined || (query.status === UNANSWERED && ideas.length > 0)}
        boards={board ? [board, ...boards] : boards}
      />
      <Outcome told={told} />
      <Tabs {...props} path={path} />
      <Filters {...props} path={path} />
      {props.leavesOut && (
        <p class="hint">
          Hidden and waiting ideas are left out of this order.{" "}
          <a href={`${path}?${toParameters(query, { sort: "new" })}`}>Sort by newest to see them</a>
        </p>
      )}
      {props.isSortedByAge && (
        <p class="hint">
          {`${query.tag === undefined ? "Hidden and waiting ideas" : "Ideas with a tag"} are always sorted by newest.`}
        </p>
      )}
      {query.q !== undefined && (
        <p class="hint">
          {props.searchesWhole
            ? `Searched all titles, and texts and authors of the newest ${SEARCHED_AT_MOST.toLocaleString("en")} ideas.`
            : `Searched the newest ${SEARCHED_AT_MOST.toLocaleString("en")} ideas. Choose a board to search all of its titles.`}
        </p>
      )}
      {query.status === UNANSWERED &&
        query.q === undefined &&
        OPEN_STATUSES.some((status) => (props.counts[status] ?? 0) >= COUNTED_AT_MOST) && (
          <p class="hint">{`Searched the next ${SEARCHED_AT_MOST.toLocaleString("en")} open ideas in this order.`}</p>
        )}
      {hasMoreBoards && !board && <p class="hint">{`Showing the ${boards.length} newest boards.`}</p>}
      {ideas.length === 0 ? (
        <p class="notice">
          {isFiltered ? (
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
        <List {...props} path={path} />
      )}
      {(more || query.cursor) && (
        <p class="buttons">
          {query.cursor && <a href={firstPage}>{query.sort === "new" ? "Newest" : "First page"}</a>}
          {more && (
            <a href={`${path}?${toParameters(query, { cursor: more })}`} rel="next">
              {query.sort === "new" ? "Older" : "More"}
            </a>
          )}
        </p>
      )}
      {props.foundComments && <FoundComments items={props.foundComments} here={here} now={props.now} />}
    </Layout>
  );
};

type PartProps = Props & { readonly path: string };

type FoundProps = { readonly items: readonly FoundComment[]; readonly here: string; readonly now: number };

const FoundComments = ({ items, here, now }: FoundProps) => (
  <section aria-labelledby="comments">
    <h2 id="comments">Comments</h2>
    <p class="hint">
      {items.length === 0 && "No comments match. "}
      {`Searched the newest ${SEARCHED_AT_MOST.toLocaleString("en")} comments.`}
    </p>
    <ol class="events">
      {items.map((item) => (
        <Written item={item} here={here} canDelete now={now} />
      ))}
    </ol>
  </section>
);

/** The statuses, with how many ideas each has. */
const Tabs = ({ path, query, counts }: PartProps) => {
  // The numbers are those of all ideas.
  const isCounted = [query.q, query.visibility, query.tag].every((value) => value === undefined);
  const tab = (name: string, status: QueueStatus | undefined, count?: number, sort = query.sort) => (
    <a
      href={`${path}?${toParameters({ ...query, status, sort })}`}
      aria-current={query.status === status ? "page" : undefined}
    >
      {name}
      {isCounted && count ? (
        <span class="hint"> {count >= COUNTED_AT_MOST ? `${COUNTED_AT_MOST - 1}+` : count}</span>
      ) : null}
    </a>
  );
  const sumOf = (statuses: readonly ProposalStatus[]) =>
    statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  return (
    <nav class="tabs" aria-label="Status">
      {tab("All", undefined, sumOf(PROPOSAL_STATUSES))}
      {tab("Open", OPEN, sumOf(OPEN_STATUSES))}
      {tab("No response yet", UNANSWERED, undefined, query.sort === "new" ? "top" : query.sort)}
      {PROPOSAL_STATUSES.map((status) => tab(IDEA_STATUSES[status], status, counts[status]))}
    </nav>
  );
};

/** Of the filters of the form, how many are on. */
const countFilters = (query: QueueQuery): number => toParameters({ ...query, status: undefined }).size;

const Filters = ({ path, query, tags, boards, board, ofPath }: PartProps) => (
  <search>
    <details class="fold">
      <summary>
        Search and filter
        {countFilters(query) > 0 && <span class="pill">{countFilters(query)}</span>}
      </summary>
      <form method="get" action={path} class="filters">
        {query.status && <input type="hidden" name="status" value={query.status} />}
        <label>
          Search
          <input
            type="search"
            name="q"
            value={query.q ?? ""}
            maxlength={200}
            placeholder="Ideas and comments"
            data-key="/"
          />
        </label>
        {ofPath === undefined && boards.length > 1 && (
          <Choose
            name="board"
            label="Board"
            all="All boards"
            chosen={board?.id}
            options={(board && !boards.some(({ id }) => id === board.id) ? [board, ...boards] : boards).map(
              ({ id, name }) => [id, name] as const,
            )}
          />
        )}
        <Choose name="sort" label="Sort" chosen={query.sort} options={Object.entries(SORTS)} />
        <Choose
          name="visibility"
          label="Visibility"
          all="Any"
          chosen={query.visibility}
          options={Object.entries(IDEA_VISIBILITIES).map(([value, [name]]) => [value, name] as const)}
        />
        {tags.length > 0 && (
          <Choose
            name="tag"
            label="Tag"
            all="Any"
            chosen={query.tag}
            options={tags.map(({ tag }) => [tag, tag] as const)}
          />
        )}
        <button type="submit">Filter</button>
        {countFilters(query) > 0 && <a href={path}>Clear filters</a>}
      </form>
    </details>
  </search>
);

type ChooseProps = {
  readonly name: string;
  readonly label: string;
  /** The words for no choice. */
  readonly all?: string;
  readonly chosen?: string | undefined;
  readonly options: readonly (readonly [value: string, words: string])[];
};

const Choose = ({ name, label, all, chosen, options }: ChooseProps) => (
  <label>
    {label}
    <select name={name}>
      {all && <option value="">{all}</option>}
      {options.map(([value, words]) => (
        <option value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

/** The bar stands after the list: without JavaScript it covers nothing, and with it it follows the choice. */
const List = ({ path, ideas, boards, board, here, tags, query, now, done }: PartProps) => {
  const names = new Map(boards.map(({ id, name }) => [id, name]));
  return (
    <>
      <form method="post" action={path} id="row">
        <input type="hidden" name="back" value={here} />
      </form>
      {ideas
        .filter(({ isAnswered }) => !isAnswered)
        .map((idea) => (
          <RespondForm idea={idea} here={here} />
        ))}
      <form method="post" action={path} class="queue" data-queue>
        <input type="hidden" name="back" value={here} />
        <ol class="ideas">
          {ideas.map((idea, index) => (
            <IdeaRow
              idea={idea}
              isNext={index === 0 && query.status === UNANSWERED && (done ? "focused" : true)}
              boardName={board === undefined && boards.length > 1 ? names.get(idea.ideaBankId) : undefined}
              here={here}
              now={now}
            />
          ))}
        </ol>
        <Several tags={tags} />
      </form>
    </>
  );
};

type RowProps = {
  readonly idea: QueuedIdea;
  /** It is the one to be answered next; `focused`: right after another one. */
  readonly isNext: boolean | "focused";
  readonly boardName: string | undefined;
  readonly here: string;
  readonly now: number;
};

const ideaAt = ({ ideaBankId, id }: QueuedIdea, back: string): string =>
  `/account/idea-banks/${ideaBankId}/ideas/${id}?back=${encodeURIComponent(back)}`;

/** The form of an idea's page, with the two fields of `Respond`. It stands before the list, because forms do not nest. */
const RespondForm = ({ idea, here }: { readonly idea: QueuedIdea; readonly here: string }) => {
  const { id, status, visibility, tags } = idea;
  const fields = new URLSearchParams({ status, visibility, tags: tags.join(", "), response: "" });
  return (
    <form method="post" action={ideaAt(idea, here)} id={`respond-${id}`}>
      <OpenedWith fields={fields} />
      <input type="hidden" name="visibility" value={visibility} />
      <input type="hidden" name="tags" value={tags.join(", ")} />
      <input type="hidden" name="asks" value="publish" />
      <input type="hidden" name="then" value="list" />
    </form>
  );
};

const Respond = ({ idea: { id, title, status }, isNext }: Pick<RowProps, "idea" | "isNext">) => (
  <details class="respond" open={isNext !== false}>
    <summary>Respond</summary>
    <textarea
      name="response"
      data-draft=""
      form={`respond-${id}`}
      rows={3}
      dir="auto"
      required
      autofocus={isNext === "focused"}
      aria-describedby={isNext === "focused" ? "done" : undefined}
      aria-label={`Official response to “${title}”`}
    />
    <span class="buttons">
      <select name="status" form={`respond-${id}`} aria-label={`New status of “${title}”`}>
        <StatusOptions chosen={status} />
      </select>
      <button type="submit" form={`respond-${id}`} name="do" value="decide" class="primary">
        Post response
      </button>
    </span>
  </details>
);

const StatusOptions = ({ chosen }: { readonly chosen: ProposalStatus | undefined }) =>
  PROPOSAL_STATUSES.map((each) => (
    <option value={each} selected={each === chosen}>
      {IDEA_STATUSES[each]}
    </option>
  ));

const IdeaRow = ({ idea, isNext, boardName, here, now }: RowProps) => {
  const { id, ideaBankId, title, beginning, status, visibility, votes, comments, tags, author, createdAt } = idea;
  const href = ideaAt(idea, here);
  const key = `${ideaBankId}-${id}`;
  return (
    <li id={`idea-${id}`}>
      <input type="checkbox" name="ids" value={key} aria-label={`Choose “${title}”`} />
      <p class="votes">
        <strong>{votes.toLocaleString("en")}</strong> <span>{votes === 1 ? "vote" : "votes"}</span>
      </p>
      <div>
        <h2 dir="auto">
          <a href={href}>{title}</a>
        </h2>
        {beginning && (
          <p class="beginning" dir="auto">
            {firstLine(beginning)}
          </p>
        )}
        <p class="hint">
          {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
          {tags.map((tag) => (
            <bdi class="tag">{tag}</bdi>
          ))}
          {author !== null && <bdi>{author}</bdi>}
          {boardName !== undefined && <bdi>{boardName}</bdi>}
          {comments > 0 && <span>{comments === 1 ? "1 comment" : `${comments} comments`}</span>}
          {idea.isAnswered && <span>Responded</span>}
          <Time at={createdAt} now={now} />
        </p>
        {!idea.isAnswered && <Respond idea={idea} isNext={isNext} />}
      </div>
      <span class="set">
        <select name={`status-${id}`} form="row" class={`status ${status}`} aria-label={`Status of “${title}”`}>
          <StatusOptions chosen={status} />
        </select>
        <button type="submit" form="row" name="do" value={`status:${key}`} aria-label={`Set the status of “${title}”`}>
          Set
        </button>
      </span>
    </li>
  );
};

/** The button that adds a tag comes first in the form, so Enter in the tag's field presses it. The style shows the status first. */
const Several = ({ tags }: Pick<Props, "tags">) => (
  <fieldset class="several">
    <legend data-chosen>Selected ideas</legend>
    <label class="choice" data-all hidden>
      <input type="checkbox" />
      <span>
        Select all<span class="roomy"> on this page</span>
      </span>
    </label>
    <details class="fold">
      <summary>More</summary>
      <div>
        <span class="buttons">
          <input name="tag" list="tags" maxlength={32} aria-label="Tag" placeholder="Tag" autocomplete="off" required />
          <datalist id="tags">
            {tags.map(({ tag }) => (
              <option value={tag}>{tag}</option>
            ))}
          </datalist>
          <button type="submit" name="do" value="tag">
            Add tag
          </button>
          <button type="submit" name="do" value="untag">
            Remove tag
          </button>
        </span>
        <span class="buttons">
          <Press what="public" label="Make public" />
          <Press what="hidden" label="Hide" />
          <Press what="merge" label="Merge…" />
          <Press what="delete" label="Delete…" isDanger />
        </span>
      </div>
    </details>
    <span class="buttons">
      <select name="status" aria-label="Status">
        <StatusOptions chosen={undefined} />
      </select>
      <Press what="status" label="Set status" />
    </span>
  </fieldset>
);

type PressProps = { readonly what: string; readonly label: string; readonly isDanger?: boolean };

const Press = ({ what, label, isDanger = false }: PressProps) => (
  <button type="submit" name="do" value={what} formnovalidate class={isDanger ? "danger" : undefined}>
    {label}
  </button>
);
