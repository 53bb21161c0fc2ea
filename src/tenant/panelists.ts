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
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import { owned, respondGone, respondPage } from "./answers.ts";
import { respondOnce } from "./idempotency-key.ts";
import type { OperationRouter } from "./operation-router.ts";
import { OPERATIONS } from "./operations.ts";

const externalIdTaken = () => new Problem("conflict", { detail: "Another panelist has this externalId." });

export function addPanelistRoutes(router: OperationRouter): void {
  const { memory } = router;

  router.on(OPERATIONS.listPanelists, async (c, { session, accountId, query, page }) =>
    respondPage(c, memory, await listPanelists(session, accountId, query.externalId, page)),
  );

  router.on(OPERATIONS.createPanelist, async (c, { session, accountId, body, now, retry }) => {
    const once = await createPanelist(session, accountId, createId(secureRandomBytes), body, now, retry);
    return respondOnce(c, once, (panelist) => panelist, externalIdTaken);
  });

  router.on(OPERATIONS.getPanelist, async (c, { session, accountId, ids }) =>
    c.json(owned(await loadPanelist(session, accountId, ids.panelistId))),
  );

  router.on(OPERATIONS.updatePanelist, async (c, { session, accountId, ids, body, now }) => {
    const panelist = owned(await updatePanelist(session, accountId, ids.panelistId, body, now));
    if (panelist === "taken") throw externalIdTaken();
    return c.json(panelist);
  });

  router.on(OPERATIONS.deletePanelist, async (c, { session, accountId, ids }) =>
    respondGone(c, await deletePanelist(session, accountId, ids.panelistId)),
  );

  router.on(OPERATIONS.issueToken, async (c, { session, accountId, ids, body, now, retry }) => {
    const { ideaBankId } = ids;
    const { panelistId = "", externalId, lifetimeSeconds } = body;
    const panelist =
      externalId === undefined ? { panelistId } : { externalId, newPanelistId: createId(secureRandomBytes) };
    const found = await findTokenIssue(session, accountId, ideaBankId, panelist, now, retry);
    if (found.kind === "inactive") throw new Problem("conflict", { detail: "The panelist is switched off." });
    const { signingKeys } = await memory.readSettings(c.env);
    const token = async (issue: { panelistId: string; issuedAt: number }) => {
      const expiresAt = issue.issuedAt + lifetimeSeconds;
      const text = await issueToken({ ideaBankId, ...issue, expiresAt }, signingKeys);
      return { token: text, panelistId: issue.panelistId, expiresAt: toTimestamp(expiresAt * 1000) };
    };
    return respondOnce(c, found, token);
  });

  router.on(OPERATIONS.revokeTokens, async (c, { session, accountId, ids, now }) =>
    respondGone(c, await revokePanelistTokens(session, accountId, ids.panelistId, now)),
  );
}
