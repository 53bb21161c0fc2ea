/** `/tenant/changes`. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { Change, ChangeQuery } from "../../model/change.ts";

export const TENANT_CHANGE_OPERATIONS = {
  listChanges: {
    method: "GET",
    path: "/tenant/changes",
    credential: apiKey("ideabanks:read"),
    query: ChangeQuery,
  },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Changes", description: "What has changed in your account, to follow without missing anything." };
  describeOperations(tag, TENANT_CHANGE_OPERATIONS, {
    listChanges: {
      summary: "Follow the changes",
      description:
        "Oldest first: the changes of idea banks, proposals, comments and panelists after a cursor, in the order in which they were made, " +
        "each with the resource as it is now. `nextCursor` is always there: send it as `after`. An empty page means that there is nothing " +
        "new. Votes are counts, not changes. Changes are kept for 30 days, and at most 500,000; a cursor that is older is 410 " +
        "`cursor-expired`.",
      answer: Change,
      problems: ["cursor-expired"],
    },
  });
}
