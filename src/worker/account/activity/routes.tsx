/** `/account/activity`. */
import { listAuditEvents } from "../../database/audit-events.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import type { Routes } from "../../http/routes.ts";
import { ActivityQuery } from "../../model/audit-event.ts";
import { visitAccount } from "../account-databases.ts";
import { renderPage } from "../frame/render-page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { ActivityPage } from "./activity-page.tsx";

export function addActivityPage(routes: Routes<OwnerEnv>): void {
  routes.get("/account/activity", async (c) => {
    const {
      query: { apiKeyId },
      page,
    } = await readPage(c, ActivityQuery);
    const { items, next } = (
      await visitAccount(c, (session, visit) => listAuditEvents(session, { visit, request: page, apiKeyId }))
    ).page;
    const cursor = await nextCursor(c, next);
    const props = { events: items, now: Date.now(), apiKeyId, next: cursor };
    return renderPage(c, (frame) => <ActivityPage frame={frame} {...props} />);
  });
}
