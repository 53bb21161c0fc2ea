/** What panelists see of the reference model: every answer that a panelist's client can read. */
import type { PanelistComment, PanelistProposal, Sort } from "../../../../src/worker/model/panelist-proposal.ts";
import type { ProposalStatus } from "../../../../src/worker/model/proposal.ts";
import type { Answer, Proposal, Reference, Token } from "./reference.ts";

export type Filter = { sort: Sort; status: ProposalStatus | undefined; mine: "submitted" | "voted" | undefined };

const iso = (time: number): string => new Date(time).toISOString();

export function viewProposal(model: Reference, proposal: Proposal, token: Token): PanelistProposal {
  const { panelist } = token;
  const { id, title, description, status, author, response, voters, comments, mergedInto, visibility } = proposal;
  return {
    id,
    title,
    description,
    status,
    tags: proposal.tags,
    votes: voters.size,
    comments: comments.length,
    voted: voters.has(panelist),
    mine: author === panelist,
    by: proposal.by,
    author: author?.name ?? null,
    visibility: visibility === "pending" ? "pending" : "public",
    response,
    duplicateOf: mergedInto && model.sees(token, mergedInto) ? mergedInto.id : null,
    createdAt: iso(proposal.createdAt),
    lastActivityAt: iso(proposal.lastActivityAt),
  };
}

export function readOne(model: Reference, token: Token, id: string): Answer {
  const refused = model.refusal(token, "canViewProposals", { id });
  const proposal = model.find(id);
  if (refused || !proposal) return refused ?? { status: 404 };
  return { status: 200, body: viewProposal(model, proposal, token) };
}

const WEEK = 7 * 86_400_000;
const SORT_KEYS: Record<Sort, (proposal: Proposal) => number> = {
  new: ({ createdAt }) => createdAt,
  top: ({ voters }) => voters.size,
  // One week for each doubling of the votes: it does not change with time.
  hot: ({ createdAt, voters }) => createdAt + Math.trunc(WEEK * Math.log2(voters.size + 1)),
  active: ({ lastActivityAt }) => lastActivityAt,
};

/** The order of `mine=voted`. */
const votedAt =
  ({ panelist }: Token) =>
  ({ voters }: Proposal): number =>
    voters.get(panelist) ?? 0;

/** The highest key first, ties by id. */
const byKey = (key: (proposal: Proposal) => number) => (a: Proposal, b: Proposal) =>
  key(b) - key(a) || (a.id < b.id ? 1 : -1);

export function readList(model: Reference, token: Token, { sort, status, mine }: Filter): Answer {
  const refused = model.refusal(token, "canViewProposals");
  if (refused) return refused;
  const items = model
    .there()
    .filter((proposal) => proposal.mergedInto === null && (status === undefined || proposal.status === status))
    .filter((proposal) => {
      if (mine === undefined) return proposal.visibility === "public";
      const own = mine === "voted" ? proposal.voters.has(token.panelist) : proposal.author === token.panelist;
      return own && model.sees(token, proposal);
    })
    .toSorted(byKey(mine === "voted" && sort === "new" ? votedAt(token) : SORT_KEYS[sort]));
  return { status: 200, body: { items: items.map((proposal) => viewProposal(model, proposal, token)) } };
}

/** The words that titles and texts of the model have, and one that none has. */
export const WORDS = ["night", "BUSES", "dark", "mode", "more", "trains", "refund", "button", "ferry"] as const;

/** What `q` finds: what has the word, of what the list shows. In the order of the identifiers: the model does not weigh words. */
export function readFound(model: Reference, token: Token, filter: Filter, q: string): Answer {
  const listed = readList(model, token, filter) as { status: number; body?: { items: PanelistProposal[] } };
  if (listed.body === undefined) return listed as Answer;
  const has = ({ title, description }: PanelistProposal) =>
    `${title} ${description}`.toLowerCase().split(/\W+/).includes(q.toLowerCase());
  return { status: 200, body: { items: listed.body.items.filter(has).toSorted(byId) } };
}

export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** Oldest first. */
export function readComments(model: Reference, token: Token, id: string): Answer {
  const refused = model.refusal(token, "canViewProposals", { id });
  if (refused) return refused;
  const comments = (model.find(id)?.comments ?? []).toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt - b.createdAt,
  );
  const items = comments.map(
    (comment): PanelistComment => ({
      id: comment.id,
      by: comment.by,
      author: comment.author?.name ?? null,
      mine: comment.author === token.panelist,
      body: comment.body,
      createdAt: iso(comment.createdAt),
    }),
  );
  return { status: 200, body: { items } };
}

export function readCapabilities(model: Reference, { dead }: Token): Answer {
  if (dead) return { status: 401, error: "unauthorized" };
  const capabilities = model.capabilities();
  const name = Object.values(capabilities).includes(true) ? model.settings.name : null;
  return { status: 200, body: { name, capabilities } };
}

export function readChangelog(model: Reference, { dead }: Token): Answer {
  if (dead) return { status: 401, error: "unauthorized" };
  if (!model.capabilities().canViewChangelog) return { status: 404, error: "idea-bank-not-found" };
  const items = model
    .there()
    .filter(({ status, visibility, mergedInto }) => status === "implemented" && visibility === "public" && !mergedInto)
    .toSorted(byKey(SORT_KEYS.active))
    .slice(0, model.settings.changelogMaxEntries)
    .map(({ title, description, lastActivityAt }) => ({
      title,
      description,
      lastModified: Math.floor(lastActivityAt / 1000),
    }));
  return { status: 200, body: { items } };
}
