/** `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes`. */
import { addVotesFor, listVoters, listVotesOf, setVoteFor, type VoteOutcome } from "../database/votes/voters.ts";
import { invalid } from "../http/invalid-request.ts";
import { mergedInto } from "../http/merged-proposal.ts";
import { respondPage } from "../http/pagination.ts";
import { PageQuery } from "../model/pagination.ts";
import { Vote } from "../model/panelist-proposal.ts";
import { NewVote, NewVotes, PanelistVote, VoteCount, Voter } from "../model/voter.ts";
import { tenantOperations } from "./operation.ts";
import { noSuchPanelist, owned } from "./refuse-foreign.ts";

const VOTES = "/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes";
const VOTE = `${VOTES}/{panelistId}`;

/** Throws `conflict` for a merged proposal, and `forbidden`. `inPath`: the panelist is named by the path, not by the body. */
function toVote(found: VoteOutcome, voted: boolean, inPath: boolean): Vote {
  const outcome = owned(found === "no-panelist" && inPath ? null : found);
  if (outcome === "no-panelist") throw noSuchPanelist();
  return { voted, votes: votesOf(outcome) };
}

function votesOf(outcome: { readonly votes: number } | { readonly duplicateOf: string }): number {
  if ("duplicateOf" in outcome) throw mergedInto(outcome.duplicateOf);
  return outcome.votes;
}

const description =
  "Repeating it changes nothing. Only the key's scopes apply: the idea bank may be closed, and voting may be off. A merged proposal takes no votes.";

const operation = tenantOperations({
  name: "Votes",
  description: "Who votes for a proposal, and votes that you give for a panelist.",
});

export const VOTE_OPERATIONS = {
  listVotesOfPanelist: operation({
    method: "GET",
    effect: "reads",
    path: "/tenant/panelists/{panelistId}/votes",
    scope: "panelists:read",
    query: PageQuery,
    answer: PanelistVote,
    summary: "List what a panelist votes for",
    description: "Grouped by idea bank, latest vote first. A page may have fewer items than `limit`.",
    handle: async (c, { session, accountId, ids: { panelistId }, page: request }) => {
      const page = owned(await listVotesOf(session, { accountId, panelistId }, request));
      if (page === "gone")
        throw invalid([{ path: "cursor", message: "ends at a vote that was taken back: begin again without it" }]);
      return respondPage(c, page);
    },
  }),

  listVotes: operation({
    method: "GET",
    effect: "reads",
    path: VOTES,
    scope: "ideabanks:read",
    query: PageQuery,
    answer: Voter,
    summary: "List who votes for a proposal",
    description:
      "In the order of the panelists' identifiers, not of time; `at` says when each voted. During a merge, each vote is listed where it is at that moment.",
    handle: async (c, { session, accountId, ids, page }) => {
      const { items, next } = owned(await listVoters(session, { accountId, path: ids, request: page }));
      if (c.get("tenant").scopes.includes("panelists:read")) return respondPage(c, { items, next });
      return respondPage(c, { items: items.map((voter) => ({ ...voter, externalId: null, displayName: null })), next });
    },
  }),

  voteFor: operation({
    method: "POST",
    effect: "adds",
    path: VOTES,
    scope: "ideabanks:write",
    body: NewVote,
    answer: Vote,
    idempotent: true,
    status: 200,
    problems: ["conflict", "quota-exceeded"],
    summary: "Vote for a panelist",
    description: `The body names the panelist. ${description}`,
    handle: async (c, { session, accountId, ids, body, now }) =>
      c.json(toVote(await setVoteFor(session, { accountId, path: ids, named: body, voted: true, now }), true, false)),
  }),

  putVotes: operation({
    method: "PUT",
    effect: "adds",
    idempotent: true,
    path: VOTES,
    scope: "ideabanks:write",
    body: NewVotes,
    answer: VoteCount,
    status: 200,
    problems: ["conflict", "quota-exceeded"],
    summary: "Vote for up to 100 panelists",
    description: `For imports. Adds their votes; other votes stay. ${description}`,
    handle: async (c, { session, accountId, ids, body: { voters }, now }) => {
      const outcome = owned(await addVotesFor(session, { accountId, path: ids, voters, now }));
      if ("unknown" in outcome) throw noSuchPanelist(`voters.${outcome.unknown}`);
      return c.json({ votes: votesOf(outcome) });
    },
  }),

  putVote: operation({
    method: "PUT",
    effect: "adds",
    idempotent: true,
    path: VOTE,
    scope: "ideabanks:write",
    answer: Vote,
    status: 200,
    problems: ["conflict", "quota-exceeded"],
    summary: "Vote for the panelist in the path",
    description,
    handle: async (c, { session, accountId, ids, now }) =>
      c.json(toVote(await setVoteFor(session, { accountId, path: ids, named: ids, voted: true, now }), true, true)),
  }),

  deleteVote: operation({
    method: "DELETE",
    effect: "ends",
    path: VOTE,
    scope: "ideabanks:write",
    answer: Vote,
    status: 200,
    problems: ["conflict"],
    summary: "Take a panelist's vote back",
    description,
    handle: async (c, { session, accountId, ids, now }) =>
      c.json(toVote(await setVoteFor(session, { accountId, path: ids, named: ids, voted: false, now }), false, true)),
  }),
};
