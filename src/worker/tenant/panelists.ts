/** `/tenant/panelists`, and their compound tokens. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { issueToken } from "../credentials/compound-token.ts";
import { createId } from "../credentials/id.ts";
import {
  createPanelist,
  deletePanelist,
  listPanelists,
  loadPanelist,
  revokePanelistTokens,
  updatePanelist,
} from "../database/panelists.ts";
import { findTokenIssue } from "../database/token-issues.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_PANELIST_OPERATIONS } from "./operations/panelists.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

const justRevoked = () =>
  new Problem("conflict", {
    detail: "The panelist's tokens were revoked several times within this second. Issue the token in a second.",
    headers: { "Retry-After": "1" },
  });

const externalIdTaken = () => new Problem("conflict", { detail: "Another panelist has this externalId." });

export const TENANT_PANELIST_HANDLERS: TenantHandlers<typeof TENANT_PANELIST_OPERATIONS> = {
  listPanelists: async (c, { session, accountId, query, page }) =>
    respondPage(c, await listPanelists(session, accountId, query.externalId, page)),

  createPanelist: async (c, { session, accountId, body, now, idempotencyKey }) => {
    const id = createId(accountId, secureRandomBytes);
    const created = await createPanelist(session, accountId, id, body, now, idempotencyKey);
    return respondCreated(c, created, (panelist) => panelist, externalIdTaken);
  },

  getPanelist: async (c, { session, accountId, ids }) =>
    c.json(owned(await loadPanelist(session, accountId, ids.panelistId))),

  updatePanelist: async (c, { session, accountId, ids, body, noteRevocation }) => {
    const updated = owned(await updatePanelist(session, accountId, ids.panelistId, body));
    if (updated === "taken") throw externalIdTaken();
    noteRevocation(updated.revocation);
    return c.json(updated.panelist);
  },

  deletePanelist: async (c, { session, accountId, ids, now, noteRevocation }) => {
    const { isDeleted, revocation } = await deletePanelist(session, accountId, ids.panelistId, now);
    noteRevocation(revocation);
    return respondDeleted(c, isDeleted);
  },

  issueToken: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
    const { ideaBankId } = ids;
    const { panelistId = "", externalId, displayName, lifetimeSeconds } = body;
    const panelist =
      externalId === undefined ? { panelistId } : { externalId, newPanelistId: createId(accountId, secureRandomBytes) };
    const named = { ...panelist, displayName };
    const found = await findTokenIssue(session, accountId, ideaBankId, named, now, idempotencyKey);
    if (found.kind === "inactive") throw new Problem("conflict", { detail: "The panelist is not active." });
    if (found.kind === "just-revoked") throw justRevoked();
    return respondCreated(c, found, async (issue) => {
      const expiresAt = issue.issuedAt + lifetimeSeconds;
      const token = await issueToken({ ideaBankId, ...issue, expiresAt }, c.get("settings").signingKeys);
      return { token, panelistId: issue.panelistId, expiresAt: toTimestamp(expiresAt * 1000) };
    });
  },

  revokeTokens: async (c, { session, accountId, ids, noteRevocation }) => {
    noteRevocation(owned(await revokePanelistTokens(session, accountId, ids.panelistId)).revocation);
    return c.body(null, 204);
  },
};
