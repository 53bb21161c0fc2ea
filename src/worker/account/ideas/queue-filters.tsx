/** The filters of the queue: as its address has them, and as its page shows them. */
import * as z from "zod/mini";
import {
  COUNTED_AT_MOST,
  OPEN,
  OPEN_STATUSES,
  QUEUE_SORTS,
  type QueueSort,
  type QueueStatus,
  UNANSWERED,
} from "../../database/proposals/queue.ts";
import { Id } from "../../model/id.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import { PrivateTag, type PrivateTagCount } from "../../model/private-tag.ts";
import { PROPOSAL_STATUSES, type ProposalStatus, Visibility } from "../../model/proposal.ts";
import { Tag, type TagCount } from "../../model/tag.ts";
import { oneOf, Search } from "../../model/text.ts";
import { IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";

export const QueueQuery = z.strictObject({
  ...PAGE_PARAMETERS,
  board: z.optional(Id),
  /** Undefined: the newest first; of a search, the best match. */
  sort: z.optional(oneOf(QUEUE_SORTS)),
  status: z.optional(oneOf([...PROPOSAL_STATUSES, OPEN, UNANSWERED])),
  visibility: z.optional(Visibility),
  tag: z.optional(Tag),
  /** The visitor's own ideas, or nobody's. */
  assignee: z.optional(oneOf(["me", "none"])),
  privateTag: z.optional(PrivateTag),
  q: z.optional(Search),
});
export type QueueQuery = z.infer<typeof QueueQuery>;

/** The filters as parameters of a link, with some of them changed. */
export function toParameters(query: QueueQuery, changes: Partial<QueueQuery> = {}): URLSearchParams {
  const { limit: _, cursor: __, ...filters } = { ...query, cursor: undefined, ...changes };
  const given = Object.entries(filters).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && !(entry[0] === "sort" && entry[1] === "new" && filters.q === undefined),
  );
  if (changes.cursor !== undefined) given.push(["cursor", changes.cursor]);
  return new URLSearchParams(given);
}

/** Whether the list, which is no search, has the newest first. */
export const isNewest = ({ sort = "new" }: QueueQuery): boolean => sort === "new";

const SORTS: Record<QueueSort, string> = {
  new: "Newest",
  top: "Most votes",
  hot: "Trending",
  active: "Recently active",
  "top-7": "Most votes in 7 days",
  "top-30": "Most votes in 30 days",
  "top-90": "Most votes in 90 days",
};

const ASSIGNEES = { me: "Mine", none: "Unassigned" } as const;

/** The values that have words of their own. */
const IN_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: { [OPEN]: "Open", [UNANSWERED]: "No response yet", ...IDEA_STATUSES },
  visibility: Object.fromEntries(Object.entries(IDEA_VISIBILITIES).map(([value, [name]]) => [value, name])),
  assignee: ASSIGNEES,
  sort: SORTS,
  // Its words are not kept.
  q: { "…": "a search" },
};
const FILTER_NAMES: Readonly<Record<string, string>> = {
  tag: "Tag",
  privateTag: "Private tag",
  board: "Board",
  idea: "Idea",
};

/** The filters of a list, as the parameters of its address: "Open, Most votes in 30 days, Tag: App". */
export const filtersInWords = (filters: string): string =>
  Array.from(
    new URLSearchParams(filters),
    ([name, value]) => IN_WORDS[name]?.[value] ?? `${FILTER_NAMES[name] ?? name}: ${value}`,
  ).join(", ");

type Props = {
  /** The page. */
  readonly path: string;
  readonly query: QueueQuery;
  readonly counts: Readonly<Partial<Record<ProposalStatus, number>>>;
  readonly tags: readonly TagCount[];
  readonly privateTags: readonly PrivateTagCount[];
  readonly boards: readonly IdeaBank[];
  /** The one board whose ideas are shown. */
  readonly board: IdeaBank | undefined;
  /** The board of the path. */
  readonly ofPath: string | undefined;
};

/** The statuses, with how many ideas each has. */
export const Tabs = ({ path, query, counts }: Props) => {
  // The numbers are those of all ideas.
  const filters = [query.q, query.visibility, query.tag, query.assignee, query.privateTag];
  const isCounted = filters.every((value) => value === undefined);
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
      {tab("No response yet", UNANSWERED, undefined, query.q === undefined && isNewest(query) ? "top" : query.sort)}
      <AssigneeTabs path={path} query={query} />
      {PROPOSAL_STATUSES.map((status) => tab(IDEA_STATUSES[status], status, counts[status]))}
    </nav>
  );
};

/** Beside a status: whose ideas. The one that is on leads back to everybody's. */
const AssigneeTabs = ({ path, query }: Pick<Props, "path" | "query">) =>
  Object.entries(ASSIGNEES).map(([assignee, name]) => {
    const isOn = query.assignee === assignee;
    const changed = isOn ? undefined : (assignee as keyof typeof ASSIGNEES);
    return (
      <a
        href={`${path}?${toParameters({ ...query, assignee: changed })}`.replace(/\?$/, "")}
        aria-current={isOn ? "true" : undefined}
      >
        {name}
        {isOn && <span class="unseen">, on: show everyone’s</span>}
      </a>
    );
  });

/** Of the filters of the form, how many are on. */
const countFilters = (query: QueueQuery): number =>
  toParameters({ ...query, status: undefined, assignee: undefined }).size;

export const Filters = ({ path, query, tags, privateTags, boards, board, ofPath }: Props) => (
  <search>
    <details class="fold">
      <summary>
        Search and filter
        {countFilters(query) > 0 && <span class="pill">{countFilters(query)}</span>}
      </summary>
      <form method="get" action={path} class="filters">
        {query.status && <input type="hidden" name="status" value={query.status} />}
        {query.assignee && <input type="hidden" name="assignee" value={query.assignee} />}
        <label>
          <span class="unseen">Search</span>
          <input
            type="search"
            name="q"
            value={query.q ?? ""}
            maxlength={200}
            placeholder="Search ideas and comments"
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
        {query.visibility !== "pending" && (
          <Choose
            name="sort"
            label="Sort"
            all={query.q === undefined ? SORTS.new : "Best match"}
            chosen={query.sort}
            options={Object.entries(SORTS).filter(([sort]) => sort !== "new" || query.q !== undefined)}
          />
        )}
        <Choose
          name="visibility"
          label="Visibility"
          all="Any visibility"
          chosen={query.visibility}
          options={Object.entries(IDEA_VISIBILITIES).map(([value, [name]]) => [value, name] as const)}
        />
        {tags.length > 0 && (
          <Choose
            name="tag"
            label="Tag"
            all="Any tag"
            chosen={query.tag}
            options={tags.map(({ tag }) => [tag, tag] as const)}
          />
        )}
        {privateTags.length > 0 && (
          <Choose
            name="privateTag"
            label="Private tag"
            all="Any private tag"
            chosen={query.privateTag}
            options={privateTags.map(({ tag }) => [tag, tag] as const)}
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
    <span class="unseen">{label}</span>
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
