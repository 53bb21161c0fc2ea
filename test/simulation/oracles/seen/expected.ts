import type { History, Row } from "../../history.ts";
import { type Call, field, pathOf, queryOf } from "./calls.ts";
import { ideaBankIdOf, isVisitors, panelistIdOf, tokenOf } from "./credentials.ts";
import { mayFind } from "./finding.ts";
import { type Rows, rowsOf } from "./rows.ts";
import { votesFor } from "./votes.ts";

/** What an idea bank allows, by the contract: section "The view of an idea bank" and "Idea bank, proposals, activity". */
export type Capabilities = Readonly<
  Record<
    "canViewChangelog" | "canViewProposals" | "canSubmitProposals" | "canVote" | "canComment" | "canAnswerSurveys",
    boolean
  >
>;

export const capabilitiesAt = (
  rows: Rows,
  ideaBankId: string,
  moment: number,
): Capabilities & { readonly bank: Row | null; readonly open: boolean } => {
  const bank = rows.row("idea_banks", ideaBankId, moment);
  const account = bank === null ? null : rows.row("accounts", String(bank.account_id), moment);
  const open = bank?.status === "OPEN" && account?.status !== "suspended";
  const view = open && bank.internal !== 1;
  return {
    bank,
    open,
    canViewChangelog: open && bank.changelog_enabled === 1,
    canViewProposals: view,
    canSubmitProposals: view && bank.submissions_enabled !== 0,
    canVote: view && bank.voting_enabled !== 0,
    canComment: view && bank.comments_enabled !== 0,
    canAnswerSurveys: open && bank.surveys_enabled !== 0,
  };
};

/** The account that an idea bank has or had; undefined when it never existed. */
export const accountOfIdeaBank = (rows: Rows, ideaBankId: string): string | undefined => {
  const account = rows.versions("idea_banks", ideaBankId).find((version) => version.row !== null)?.row?.account_id;
  return typeof account === "string" ? account : undefined;
};

const changelogs = new WeakMap<History, Map<string, readonly string[]>>();

/**
 * The bodies that the changelog may have at a moment, as text: undefined when it is closed. Ties of the last activity are broken by id
 * in one direction or the other. A body of more than 256 KiB has fewer entries: `startsWith` of the list's text is enough then.
 */
export const changelogAt = (history: History, ideaBankId: string, moment: number): readonly string[] => {
  const cache = changelogs.get(history) ?? new Map<string, readonly string[]>();
  changelogs.set(history, cache);
  const name = `${ideaBankId}/${moment}`;
  const before = cache.get(name);
  if (before !== undefined) return before;
  const rows = rowsOf(history);
  const { bank, canViewChangelog } = capabilitiesAt(rows, ideaBankId, moment);
  const bodies =
    bank !== null && canViewChangelog ? render(rows, ideaBankId, moment, Number(bank.changelog_max_entries)) : [];
  cache.set(name, bodies);
  return bodies;
};

const render = (rows: Rows, ideaBankId: string, moment: number, maximum: number): readonly string[] => {
  const entries = rows
    .having("proposals", "idea_bank_id", ideaBankId)
    .map((id) => rows.row("proposals", id, moment))
    .filter((row) => row !== null)
    .filter((row) => row.idea_bank_id === ideaBankId && row.status === "implemented")
    .filter((row) => row.visibility === "public" && row.duplicate_of === null);
  const bodies = [1, -1].map((direction) =>
    entries
      .toSorted(
        (a, b) =>
          Number(b.last_activity_at) - Number(a.last_activity_at) ||
          (String(a.id) < String(b.id) ? -direction : direction),
      )
      .slice(0, maximum)
      .map((row) => entryText(row.title, row.description, Math.floor(Number(row.last_activity_at) / 1000)))
      .join("\n"),
  );
  return [...new Set(bodies)];
};

const entryText = (title: unknown, description: unknown, lastModified: unknown): string =>
  JSON.stringify([title, description, lastModified]);

/** The text of an answered changelog, to compare with `changelogAt`; undefined when it is no changelog. */
export const changelogText = (body: unknown): string | undefined => {
  const items = field(body, "items");
  if (!Array.isArray(items)) return undefined;
  return items
    .map((item) => entryText(field(item, "title"), field(item, "description"), field(item, "lastModified")))
    .join("\n");
};

const MAXIMUM_BYTES = 256 * 1024;

export const isChangelog = (allowed: readonly string[], shown: string): boolean =>
  allowed.some((whole) => whole === shown || (whole.length > MAXIMUM_BYTES / 4 && whole.startsWith(`${shown}\n`)));

/** Of a visitor. */
const NO_WRITES = { canSubmitProposals: false, canVote: false, canComment: false, canAnswerSurveys: false };

/** Which proposal a request of the panelist API names. */
const proposalIdOf = (call: Call): string => pathOf(call).split("/")[3] ?? "";

/**
 * Whether a read of the panelist API could be answered so from one moment. Undefined when the answer does not tell, as 401, 429 and
 * 5xx, or when this oracle cannot compute it (a later page, a search). 304 is judged where the ETags are known.
 */
export const couldBe = (history: History, call: Call, moment: number): boolean | undefined => {
  const token = tokenOf(call);
  if (token === undefined || call.answer === undefined || call.method !== "GET") return undefined;
  const rows = rowsOf(history);
  const ideaBankId = ideaBankIdOf(token);
  const { status } = call.answer;
  if (status !== 200 && status !== 404) return undefined;
  const can = { ...capabilitiesAt(rows, ideaBankId, moment), ...(isVisitors(token) && NO_WRITES) };
  const body = call.answer.body;
  switch (call.operation) {
    case "getChangelog": {
      if (status === 404) return !can.canViewChangelog;
      const shown = changelogText(body);
      return (
        can.canViewChangelog && shown !== undefined && isChangelog(changelogAt(history, ideaBankId, moment), shown)
      );
    }
    case "getCapabilities":
      return isAccess(body, can);
    case "getPanelistProposal": {
      if (status === 404 && field(body, "error") === "idea-bank-not-found") return !can.canViewProposals;
      const row = visibleProposal(rows, ideaBankId, proposalIdOf(call), panelistIdOf(token), moment);
      if (status === 404) return row === null || !can.canViewProposals;
      return can.canViewProposals && row !== null && isProposal(rows, row, body, panelistIdOf(token), moment);
    }
    case "listPanelistComments": {
      if (status === 404 && field(body, "error") === "idea-bank-not-found") return !can.canViewProposals;
      const row = visibleProposal(rows, ideaBankId, proposalIdOf(call), panelistIdOf(token), moment);
      if (status === 404) return row === null || !can.canViewProposals;
      if (queryOf(call).has("cursor")) return undefined;
      return can.canViewProposals && row !== null && isCommentList(rows, row, body, panelistIdOf(token), moment);
    }
    case "listTags":
      if (status === 404) return !can.canViewProposals;
      return can.canViewProposals && isTagList(rows, body, ideaBankId, moment);
    case "listSimilarProposals":
    case "listPanelistProposals":
      if (status === 404) return !can.canViewProposals;
      return can.canViewProposals ? isList(rows, call, ideaBankId, panelistIdOf(token), moment) : false;
    default:
      return undefined;
  }
};

const isAccess = (body: unknown, can: ReturnType<typeof capabilitiesAt>): boolean => {
  const { bank, open, ...expected } = can;
  const shown = field(body, "capabilities");
  const anyOpen = Object.values(expected).some(Boolean);
  const names = anyOpen ? [bank?.name] : [null, open ? bank?.name : null];
  return (
    names.includes(field(body, "name") as string | null) &&
    Object.entries(expected).every(([name, value]) => field(shown, name) === value)
  );
};

const visibleProposal = (rows: Rows, ideaBankId: string, id: string, panelist: string, moment: number): Row | null => {
  const row = rows.row("proposals", id, moment);
  if (row === null || row.idea_bank_id !== ideaBankId) return null;
  return row.visibility === "public" || (row.visibility === "pending" && row.author_id === panelist) ? row : null;
};

const isProposal = (rows: Rows, row: Row, shown: unknown, panelist: string, moment: number): boolean => {
  const author = typeof row.author_id === "string" ? rows.row("panelists", row.author_id, moment) : null;
  // One that is being deleted is nobody's name any more.
  const name = author?.deleted_at == null ? (author?.display_name ?? null) : null;
  const response = field(shown, "response");
  return (
    ["id", "title", "description", "status", "votes", "comments"].every((name) => field(shown, name) === row[name]) &&
    field(shown, "voted") === votesFor(rows, String(row.id), panelist, moment) > 0 &&
    field(shown, "mine") === (row.author_id === panelist) &&
    field(shown, "author") === name &&
    field(shown, "visibility") === row.visibility &&
    JSON.stringify(field(shown, "tags")) === JSON.stringify(tagsOf(row)) &&
    (response === null ? null : field(response, "text")) === row.response &&
    Date.parse(String(field(shown, "lastActivityAt"))) === row.last_activity_at
  );
};

const COMMENTS_AT_MOST = 20;

/** The first page, the oldest first. Who is being deleted is nobody's name any more. */
const isCommentList = (rows: Rows, { id }: Row, shown: unknown, panelist: string, moment: number): boolean => {
  const items = field(shown, "items");
  const all = rows
    .having("comments", "proposal_id", String(id))
    .map((comment) => rows.row("comments", comment, moment))
    .filter((row) => row !== null)
    .filter((row) => row.proposal_id === id)
    .toSorted((a, b) => Number(a.created_at) - Number(b.created_at) || (String(a.id) < String(b.id) ? -1 : 1));
  const page = all.slice(0, COMMENTS_AT_MOST);
  if (!Array.isArray(items) || items.length !== page.length) return false;
  return page.every((row, index) => {
    const item: unknown = items[index];
    const author = typeof row.panelist_id === "string" ? rows.row("panelists", row.panelist_id, moment) : null;
    const name = author?.deleted_at == null ? (author?.display_name ?? null) : null;
    return (
      field(item, "id") === row.id &&
      field(item, "body") === row.body &&
      field(item, "mine") === (row.panelist_id === panelist) &&
      field(item, "by") === (row.by_tenant === 1 ? "tenant" : "panelist") &&
      field(item, "author") === name &&
      Date.parse(String(field(item, "createdAt"))) === row.created_at
    );
  });
};

const tagsOf = (row: Row): readonly string[] => JSON.parse(String(row.tags ?? "[]"));

/** How many public proposals have each tag, the most used first. */
const isTagList = (rows: Rows, body: unknown, ideaBankId: string, moment: number): boolean => {
  const shown = field(body, "items");
  if (!Array.isArray(shown)) return false;
  const counts = new Map<string, number>();
  for (const tag of bankAt(rows, ideaBankId, moment).filter(isListed).flatMap(tagsOf))
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const used = shown.map((item) => Number(field(item, "proposals")));
  return (
    shown.length === counts.size &&
    shown.every((item) => counts.get(String(field(item, "tag"))) === field(item, "proposals")) &&
    used.every((count, index) => count <= (used[index - 1] ?? count))
  );
};

/** Every proposal of an idea bank at a moment. */
const bankAt = (rows: Rows, ideaBankId: string, moment: number): readonly Row[] =>
  rows
    .having("proposals", "idea_bank_id", ideaBankId)
    .map((id) => rows.row("proposals", id, moment))
    .filter((row) => row !== null)
    .filter((row) => row.idea_bank_id === ideaBankId);
/** Public ones; of one's own those that are pending, too. No merged ones. Of one's votes those that have arrived after a merge. */
const inList = (rows: Rows, mine: string | null, panelist: string, moment: number) => (row: Row) => {
  if (mine === null) return isListed(row);
  const isOwn = row.author_id === panelist;
  const isSeen = row.visibility === "public" || (row.visibility === "pending" && isOwn);
  const isMine = mine === "submitted" ? isOwn : rows.row("votes", `${row.id}/${panelist}`, moment) !== null;
  return isSeen && isMine && row.duplicate_of === null;
};
const isListed = (row: Row): boolean => row.visibility === "public" && row.duplicate_of === null;

const WEEK_MS = 604_800_000;
const SORTS: Readonly<Record<string, (row: Row) => number>> = {
  new: (row) => Number(row.created_at),
  top: (row) => Number(row.votes),
  hot: (row) => Number(row.created_at) + Math.trunc(WEEK_MS * Math.log2(Number(row.votes) + 1)),
  active: (row) => Number(row.last_activity_at),
};
const FOUND_AT_MOST = 20;
const SIMILAR_AT_MOST = 5;
/** Two ways to compute a logarithm may differ in the last millisecond. */
const ROUNDING_MS = 1;

const isList = (rows: Rows, call: Call, ideaBankId: string, panelist: string, moment: number): boolean | undefined => {
  const query = queryOf(call);
  if (query.has("cursor") || (query.has("mine") && query.has("q"))) return undefined;
  const rank = SORTS[query.get("sort") ?? "new"];
  const shown = field(call.answer?.body, "items");
  if (rank === undefined || !Array.isArray(shown)) return undefined;
  const [status, tag, title] = [query.get("status"), query.get("tag"), query.get("title")];
  const bank = bankAt(rows, ideaBankId, moment);
  const all = bank
    .filter(inList(rows, query.get("mine"), panelist, moment))
    .filter((row) => (status === null || row.status === status) && (tag === null || tagsOf(row).includes(tag)))
    .toSorted((a, b) => rank(b) - rank(a));
  const page = all.slice(0, Number(query.get("limit") ?? 20));
  const byId = new Map(all.map((row) => [row.id, row]));
  // "With `new` the latest vote first."
  const isByVote = query.get("mine") === "voted" && (query.get("sort") ?? "new") === "new";
  const q = query.get("q") ?? title;
  if (q !== null) {
    const owns = shown.map((item) => byId.get(field(item, "id") as string));
    return (
      new Set(owns).size === shown.length &&
      shown.length <= (title === null ? FOUND_AT_MOST : SIMILAR_AT_MOST) &&
      owns.every((own, index) => own !== undefined && isProposal(rows, own, shown[index], panelist, moment)) &&
      mayFind(rows, q, shown, { bank, listed: all, moment, isWhole: title === null })
    );
  }
  return (
    shown.length === page.length &&
    new Set(shown.map((item) => field(item, "id"))).size === page.length &&
    page.every((row, index) => {
      const item: unknown = shown[index];
      const own = byId.get(field(item, "id") as string);
      return (
        own !== undefined &&
        (isByVote || Math.abs(rank(own) - rank(row)) <= ROUNDING_MS) &&
        isProposal(rows, own, item, panelist, moment)
      );
    })
  );
};
