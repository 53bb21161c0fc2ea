/** `/tenant/changes`. */
import { signCursor, verifyCursor } from "../credentials/cursor.ts";
import { listChanges } from "../database/changes.ts";
import { invalid } from "../http/invalid-request.ts";
import { NOW } from "../model/change.ts";
import { Problem } from "../problem.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_CHANGE_OPERATIONS } from "./operations/changes.ts";

export const TENANT_CHANGE_HANDLERS: TenantHandlers<typeof TENANT_CHANGE_OPERATIONS> = {
  listChanges: async (c, { session, accountId, query: { after, limit } }) => {
    const list = `${accountId} ${c.req.path}`;
    const { signingKeys } = c.get("settings");
    const cursor = after === undefined || after === NOW ? after : await verifyCursor(after, list, signingKeys);
    if (after !== undefined && cursor === undefined)
      throw invalid([{ path: "after", message: `must be a nextCursor of this list, or ${NOW}` }]);
    const withPanelists = c.get("tenant").scopes.includes("panelists:read");
    const page = await listChanges(session, accountId, { after: cursor, limit, withPanelists });
    if (page === "expired") throw new Problem("cursor-expired");
    return c.json({ items: page.items, nextCursor: await signCursor(page.next, list, signingKeys) });
  },
};
