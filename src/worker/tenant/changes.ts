/** `/tenant/changes`. */
import { signCursor, verifyCursor } from "../credentials/cursor.ts";
import { listChanges } from "../database/changes/changes.ts";
import { invalid } from "../http/invalid-request.ts";
import { Change, ChangeQuery, NOW } from "../model/change.ts";
import { Problem } from "../problem.ts";
import { tenantOperations } from "./operation.ts";

const operation = tenantOperations({
  name: "Changes",
  description: "What has changed in your account, to follow without missing anything.",
});

export const CHANGE_OPERATIONS = {
  listChanges: operation({
    method: "GET",
    effect: "reads",
    path: "/tenant/changes",
    scope: "ideabanks:read",
    query: ChangeQuery,
    answer: Change,
    problems: ["cursor-expired"],
    summary: "Follow the changes",
    description:
      "Changes of idea banks, proposals, comments, panelists and surveys after a cursor, oldest first, each with the resource in its current state. Every answer has a `nextCursor`: send it as `after`. An empty page means that there is nothing new. Votes are counts, not changes. Changes are kept for 30 days, and at most 500,000; a cursor that is older is 410 " +
      "`cursor-expired`.",
    handle: async (c, { session, accountId, query: { after, limit } }) => {
      const list = `${accountId} ${c.req.path}`;
      const { signingKeys } = c.get("settings");
      const cursor = after === undefined || after === NOW ? after : await verifyCursor(after, list, signingKeys);
      if (after !== undefined && cursor === undefined)
        throw invalid([{ path: "after", message: `must be a nextCursor of this list, or ${NOW}` }]);
      const { scopes } = c.get("tenant");
      const [withPanelists, withSurveys] = [scopes.includes("panelists:read"), scopes.includes("surveys:read")];
      const page = await listChanges(session, accountId, { after: cursor, limit, withPanelists, withSurveys });
      if (page === "expired") throw new Problem("cursor-expired");
      return c.json({ items: page.items, nextCursor: await signCursor(page.next, list, signingKeys) });
    },
  }),
};
