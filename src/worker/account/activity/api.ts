/** `/account/api/activity`. */
import { listAuditEvents } from "../../database/activity/audit-events.ts";
import { respondPage } from "../../http/pagination.ts";
import { ActivityQuery, AuditEvent } from "../../model/audit-event.ts";
import { visitAccount } from "../account-databases.ts";
import { operation } from "../operation.ts";
import { asMayBeSeen } from "./without-addresses.ts";

export const ACTIVITY_OPERATIONS = {
  listActivity: operation({
    method: "GET",
    effect: "reads",
    path: "/account/api/activity",
    query: ActivityQuery,
    answer: AuditEvent,
    summary: "List what happened to the API keys and the webhooks",
    description: "Newest first. Who is no admin gets only the host and the last four characters of a webhook's URL.",
    handle: async (c, { query, page: request }) => {
      const { page } = await visitAccount(c, (session, visit) =>
        listAuditEvents(session, { visit, request, apiKeyId: query.apiKeyId }),
      );
      return respondPage(c, { ...page, items: await asMayBeSeen(c, page.items) });
    },
  }),
};
