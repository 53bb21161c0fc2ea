/** What each operation of the tenant API and of Account Settings is for, and what it answers. The compiler asks for those of new operations. */
import type { ACCOUNT_OPERATIONS } from "../account/operations.ts";
import type { OperationName } from "../tenant/operations.ts";
import { ANSWERS, type Answer } from "./schemas.ts";

type Description = { readonly summary: string; readonly description?: string; readonly answer: Answer };

const read = (schema: string, summary: string, description = ""): Description => ({
  summary,
  description,
  answer: { status: 200, ...ANSWERS[schema] },
});

const create = (schema: string, summary: string, description = ""): Description => ({
  summary,
  description,
  answer: { status: 201, ...ANSWERS[schema] },
});

const remove = (summary: string, description = ""): Description => ({ summary, description, answer: { status: 204 } });

export const TENANT_ANSWERS: Record<OperationName, Description> = {
  whoami: read("WhoAmI", "Check an API key", "Which key this is. Any key may ask, whatever its scopes."),

  listSurveys: read("SurveyPage", "List surveys", "Newest first."),
  createSurvey: create("Survey", "Create a survey"),
  getSurvey: read("Survey", "Read a survey"),
  updateSurvey: read("Survey", "Change a survey", "Fields that are not sent stay as they are."),
  deleteSurvey: remove("Delete a survey"),

  listIdeaBanks: read("IdeaBankPage", "List idea banks", "Newest first."),
  createIdeaBank: create(
    "IdeaBank",
    "Create an idea bank",
    "It is a draft, and its changelog is off, unless you say otherwise.",
  ),
  getIdeaBank: read("IdeaBank", "Read an idea bank"),
  updateIdeaBank: read(
    "IdeaBank",
    "Change an idea bank",
    "Anything but `OPEN` closes it to panelists. `internal` closes its proposals, votes and comments to them, not its changelog.",
  ),
  deleteIdeaBank: remove("Delete an idea bank", "Its proposals and their comments go with it."),

  listProposals: read("ProposalPage", "List an idea bank's proposals", "Newest first; of one status, or all."),
  createProposal: create("Proposal", "Create a proposal"),
  getProposal: read("Proposal", "Read a proposal"),
  updateProposal: read(
    "Proposal",
    "Change a proposal",
    "An edit or a change of status is activity. A proposal that becomes `implemented` appears in the changelog.",
  ),
  deleteProposal: remove("Delete a proposal", "Its comments go with it."),

  listComments: read("CommentPage", "List a proposal's comments", "Newest first."),
  deleteComment: remove("Take a comment away"),

  listPanelists: read("PanelistPage", "List panelists", "Newest first; the one with an `externalId`, or all."),
  createPanelist: create("Panelist", "Create a panelist"),
  getPanelist: read("Panelist", "Read a panelist"),
  updatePanelist: read(
    "Panelist",
    "Change a panelist",
    "Switching a panelist off (`active: false`) ends the tokens, for good; none is issued until it is switched on again.",
  ),
  deletePanelist: remove("Delete a panelist", "The panelist's tokens are refused from then on; the comments stay."),

  issueToken: create(
    "IssuedToken",
    "Issue a compound token",
    "For a panelist, named by `panelistId`, or by your own `externalId` and created if it is new: one call is the whole integration. " +
      "The token is what the panelist's client sends to the panelist API.",
  ),
  revokeTokens: remove("Revoke all of a panelist's tokens", "Tokens that are issued afterwards work."),
};

export const ACCOUNT_ANSWERS: Record<keyof typeof ACCOUNT_OPERATIONS, Description> = {
  listApiKeys: read("ApiKeyList", "List API keys", "The active first, newest first; revoked ones for 30 days."),
  createApiKey: create(
    "ShownApiKey",
    "Create an API key",
    "At most 4 are active. This answer is the only one that holds the key.",
  ),
  renameApiKey: read("ApiKey", "Rename an API key"),
  rotateApiKey: create(
    "ShownApiKey",
    "Give an API key a new secret",
    "It keeps its id. The secret before keeps working for `graceSeconds` (0, 3600, 86400 or 604800); any older one ends. Send " +
      "`lastFour`, as you last saw it, and a request that is sent twice rotates once (409 `conflict`).",
  ),
  revokeApiKey: read("ApiKey", "Revoke an API key", "From this answer on, every request with the key is refused."),
  listActivity: read("ActivityPage", "List what happened to API keys", "Newest first."),
};
