/** `/tenant/panelists`, and their compound tokens. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import {
  IssuedToken,
  NewPanelist,
  Panelist,
  PanelistChanges,
  PanelistQuery,
  TokenRequest,
} from "../../model/panelist.ts";

const PANELISTS = "/tenant/panelists";
const PANELIST = `${PANELISTS}/{panelistId}`;
const read = apiKey("panelists:read");
const write = apiKey("panelists:write");

export const TENANT_PANELIST_OPERATIONS = {
  listPanelists: { method: "GET", path: PANELISTS, credential: read, query: PanelistQuery },
  createPanelist: { method: "POST", path: PANELISTS, credential: write, body: NewPanelist },
  getPanelist: { method: "GET", path: PANELIST, credential: read },
  updatePanelist: { method: "PATCH", path: PANELIST, credential: write, body: PanelistChanges },
  deletePanelist: { method: "DELETE", path: PANELIST, credential: write },
  issueToken: { method: "POST", path: "/tenant/ideabanks/{ideaBankId}/tokens", credential: write, body: TokenRequest },
  revokeTokens: { method: "DELETE", path: `${PANELIST}/tokens`, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Panelists", description: "Your panelists, and the compound tokens that you issue to them." };
  describeOperations(tag, TENANT_PANELIST_OPERATIONS, {
    listPanelists: { summary: "List panelists", description: "Newest first.", answer: Panelist },
    createPanelist: { summary: "Create a panelist", answer: Panelist, problems: ["conflict"] },
    getPanelist: { summary: "Read a panelist", answer: Panelist },
    updatePanelist: {
      summary: "Change a panelist",
      description:
        "Fields that are not sent stay as they are. `active: false` revokes all tokens of the panelist. No token is issued " +
        "until the panelist is active again.",
      answer: Panelist,
      problems: ["conflict"],
    },
    deletePanelist: {
      summary: "Delete a panelist",
      description:
        "Revokes all its tokens and removes its votes; where there are many, in the minutes after the answer. Its proposals and comments " +
        "stay, without an author.",
    },
    issueToken: {
      summary: "Issue a compound token",
      description:
        "Names the panelist by `panelistId`, or by `externalId`, your own id for this person. An unknown `externalId` creates the " +
        "panelist, so no other call is needed. The panelist's client sends the token to the panelist API.",
      answer: IssuedToken,
      problems: ["conflict"],
    },
    revokeTokens: {
      summary: "Revoke all of a panelist's tokens",
      description: "Tokens that are issued afterwards are valid.",
    },
  });
}
