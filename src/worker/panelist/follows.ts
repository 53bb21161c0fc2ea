/** `/ideabank/proposals/{proposalId}/follow`. */
import { follow, unfollow } from "../database/mails/follows.ts";
import { loadForPanelist } from "../database/proposals/panelist-proposals.ts";
import { tellsPeople } from "../model/mail-settings.ts";
import { Problem } from "../problem.ts";
import { PROPOSAL_PROBLEMS, participation } from "./operation.ts";
import { PROPOSAL } from "./proposals.ts";

const FOLLOW = `${PROPOSAL}/follow`;

export const FOLLOW_OPERATIONS = {
  follow: participation({
    method: "PUT",
    effect: "adds",
    idempotent: true,
    path: FOLLOW,
    capability: "canViewProposals",
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "conflict"],
    summary: "Follow a proposal",
    description:
      "The panelist gets an e-mail about new comments. Following again changes nothing, and also switches e-mails about this proposal on again " +
      "after an unsubscription.\n\n" +
      "403 `capability-closed` where the panelist cannot be told: has no e-mail address that can be reached, or e-mails to people are off. Then the " +
      "proposal has no `following`.",
    handle: async (c, { session, token, ids: { proposalId }, now }) => {
      const isTold = tellsPeople(c.env);
      const seen = await (isTold
        ? follow(session, { token, proposalId, now })
        : loadForPanelist(session, token, proposalId));
      const respond = () => {
        if (isTold && seen.following) return c.body(null, 204);
        throw new Problem("capability-closed", {
          detail: "This panelist cannot be told by e-mail. A proposal that can be followed has the field `following`.",
        });
      };
      return { ...seen, final: seen.merged, respond };
    },
  }),

  unfollow: participation({
    method: "DELETE",
    effect: "ends",
    path: FOLLOW,
    capability: "canViewProposals",
    problems: [...PROPOSAL_PROBLEMS, "conflict"],
    summary: "Stop following a proposal",
    description:
      "The panelist gets no more e-mails about new comments. Who submitted the proposal, voted or commented is still told of decisions. " +
      "Stopping again changes nothing.",
    handle: async (c, { session, token, ids: { proposalId } }) => {
      const seen = await unfollow(session, { token, proposalId });
      return { ...seen, final: seen.merged, respond: () => c.body(null, 204) };
    },
  }),
};
