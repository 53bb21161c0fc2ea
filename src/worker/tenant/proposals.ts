/** `/tenant/ideabanks/{ideaBankId}/proposals`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createProposal, type NotCreated, upsertProposal } from "../database/proposals/new-proposals.ts";
import {
  deleteProposal,
  listProposals,
  loadProposal,
  loadStoredProposal,
  mergeProposal,
  updateProposal,
} from "../database/proposals/proposals.ts";
import { defineVersion, notAsSeen, respondNew, respondVersion } from "../http/etag.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { invalid, parseOrThrow } from "../http/invalid-request.ts";
import { mergedInto, mergesUnderWay, targetMergedInto } from "../http/merged-proposal.ts";
import { respondPage } from "../http/pagination.ts";
import { ProposalExternalIdPath } from "../model/external-id.ts";
import { tellsPeople } from "../model/mail-settings.ts";
import { Merge, NewProposal, Proposal, ProposalChanges, ProposalQuery, ProposalUpsert } from "../model/proposal.ts";
import { Problem } from "../problem.ts";
import { tenantOperations } from "./operation.ts";
import { noSuchPanelist, owned, respondDeleted } from "./refuse-foreign.ts";

const PROPOSALS = "/tenant/ideabanks/{ideaBankId}/proposals";
export const PROPOSAL = `${PROPOSALS}/{proposalId}`;

/** Throws `invalid-request`. `place`: the beginning of the path, for one of several. */
export function notInTheFuture({ createdAt }: { createdAt?: string | undefined }, now: number, place = ""): void {
  if (createdAt !== undefined && Date.parse(createdAt) > now)
    throw invalid([{ path: `${place}createdAt`, message: "must not be in the future" }]);
}

export function notCreated(obstacle: NotCreated | undefined): Problem {
  switch (obstacle) {
    case "no-panelist":
      return noSuchPanelist();
    case "taken":
      return new Problem("conflict", {
        detail:
          "Another proposal of this idea bank has this externalId. One that was deleted can have it for a few minutes more.",
      });
    default:
      return new Problem("forbidden", { cause: "not the tenant's" });
  }
}

export const PROPOSAL_TAG = {
  name: "Proposals",
  description: "The proposals of an idea bank, and their comments, as the tenant manages them.",
};
const version = defineVersion(Proposal, ProposalChanges, (session, accountId, { ideaBankId = "", ...named }) => {
  const { externalId, proposalId = "" } = named;
  const path = externalId === undefined ? { ideaBankId, proposalId } : { ideaBankId, externalId };
  return loadStoredProposal(session, accountId, path);
});

const operation = tenantOperations(PROPOSAL_TAG);

export const PROPOSAL_OPERATIONS = {
  listProposals: operation({
    method: "GET",
    effect: "reads",
    path: PROPOSALS,
    scope: "ideabanks:read",
    query: ProposalQuery,
    answer: Proposal,
    summary: "List an idea bank's proposals",
    description: "Newest first, without merged ones. `externalId` finds a merged one, too.",
    handle: async (c, { session, accountId, ids, query, page }) =>
      respondPage(
        c,
        owned(await listProposals(session, { accountId, ideaBankId: ids.ideaBankId, filter: query, request: page })),
      ),
  }),

  createProposal: operation({
    method: "POST",
    effect: "adds",
    path: PROPOSALS,
    scope: "ideabanks:write",
    body: NewProposal,
    answer: Proposal,
    version,
    problems: ["conflict"],
    summary: "Create a proposal",
    description:
      "Your own, or for a panelist. Only the key's scopes apply: the idea bank may be closed, and submissions may be off.",
    handle: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
      notInTheFuture(body, now);
      const path = { ...ids, proposalId: createId(accountId, secureRandomBytes) };
      const { result, obstacle } = await createProposal(session, {
        accountId,
        path,
        fields: body,
        now,
        idempotencyKey,
      });
      return respondCreated(c, {
        result,
        toBody: (proposal) => proposal,
        refusal: () => notCreated(obstacle),
        version,
      });
    },
  }),

  upsertProposal: operation({
    method: "PUT",
    effect: "overwrites",
    path: `${PROPOSALS}/by-external-id/{externalId}`,
    scope: "ideabanks:write",
    body: ProposalUpsert,
    answer: Proposal,
    creates: true,
    version,
    problems: ["conflict"],
    summary: "Create or change a proposal by your own id",
    description:
      "201 if it created the proposal, 200 if it changed it; then fields that are not sent stay as they are. Sending the same again changes nothing. Two requests at the same time give one proposal. Use it for imports, and for a sync that runs every night.",
    handle: async (c, { session, accountId, ids, body, now, precondition }) => {
      const { externalId } = parseOrThrow(ProposalExternalIdPath, ids);
      notInTheFuture(body, now);
      const path = { ...ids, proposalId: createId(accountId, secureRandomBytes) };
      const { seen, only } = precondition;
      const fields = { ...body, externalId };
      const written = await upsertProposal(session, { accountId, path, fields, now, seen, only });
      if (written === "not-as-seen") throw notAsSeen(only === "create");
      if (typeof written === "string") throw notCreated(written);
      const { proposal, created } = written;
      const collection = PROPOSALS.replace("{ideaBankId}", ids.ideaBankId);
      return created ? respondNew(c, { collection, body: proposal, version }) : respondVersion(c, version, proposal);
    },
  }),

  getProposal: operation({
    method: "GET",
    effect: "reads",
    path: PROPOSAL,
    scope: "ideabanks:read",
    answer: Proposal,
    version,
    summary: "Read a proposal",
    handle: async (c, { session, accountId, ids }) =>
      respondVersion(c, version, owned(await loadProposal(session, accountId, ids))),
  }),

  updateProposal: operation({
    method: "PATCH",
    effect: "overwrites",
    path: PROPOSAL,
    scope: "ideabanks:write",
    body: ProposalChanges,
    answer: Proposal,
    version,
    problems: ["conflict"],
    summary: "Change a proposal",
    description:
      "Fields that are not sent stay as they are. An edit, a change of status or an official response is activity. A public " +
      "proposal that becomes `implemented` appears in the changelog.",
    handle: async (c, { session, accountId, ids, body, now, precondition }) => {
      const { seen } = precondition;
      const telling = tellsPeople(c.env) ? { status: body.notify, response: body.notify } : undefined;
      const updated = await updateProposal(session, { accountId, path: ids, changes: body, now, seen, telling });
      const proposal = owned(updated, precondition);
      if (proposal === "taken") throw notCreated("taken");
      return respondVersion(c, version, proposal);
    },
  }),

  deleteProposal: operation({
    method: "DELETE",
    effect: "ends",
    path: PROPOSAL,
    scope: "ideabanks:write",
    version,
    summary: "Delete a proposal",
    description:
      "Also deletes its votes, its comments and the proposals that were merged into it. You cannot access them after the answer. If there are many, they are deleted within minutes.",
    handle: async (c, { session, accountId, ids, idempotencyKey, precondition }) => {
      const { seen } = precondition;
      const deleted = await deleteProposal(session, { accountId, path: ids, seen, idempotencyKey });
      return respondDeleted(c, deleted, precondition);
    },
  }),

  mergeProposal: operation({
    method: "POST",
    effect: "ends",
    path: `${PROPOSAL}/merge`,
    scope: "ideabanks:write",
    body: Merge,
    answer: Proposal,
    status: 200,
    problems: ["conflict"],
    summary: "Merge a proposal into another",
    description:
      "Moves the votes, each panelist counted once, and returns the proposal that stays. The merged proposal keeps its comments, " +
      "names the other in `duplicateOf` and is not in lists. A merge is final. Repeating it changes nothing. The first 50 votes move at once and the rest within minutes; until then, `merging` is `true`. While 20 such merges are in progress in an idea bank, another is refused: 409 with `Retry-After`.",
    handle: async (c, { session, accountId, ids, body }) => {
      if (body.into === ids.proposalId) throw invalid([{ path: "into", message: "must be another proposal" }]);
      const outcome = owned(await mergeProposal(session, { accountId, path: ids, into: body.into }));
      if (outcome === "busy") throw mergesUnderWay();
      if ("duplicateOf" in outcome)
        throw (outcome.merged === "target" ? targetMergedInto : mergedInto)(outcome.duplicateOf);
      return c.json(outcome.target);
    },
  }),
};
