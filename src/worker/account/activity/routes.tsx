/** `/account/activity`: what happened in the account, by who, what and when. */
import { findAuditEvents, loadNames } from "../../database/found-events.ts";
import { listMembers } from "../../database/members.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import type { Routes } from "../../http/routes.ts";
import { visitAccount } from "../account-databases.ts";
import { renderPage } from "../frame/render-page.tsx";
import { readVisit } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { ActivityPage } from "./activity-page.tsx";
import { Filters } from "./filters.ts";

const DAY_MS = 86_400_000;
const timeOf = (day: string | undefined, later = 0) => (day === undefined ? undefined : Date.parse(day) + later);

export function addActivityPage(routes: Routes<OwnerEnv>): void {
  routes.get("/account/activity", async (c) => {
    readVisit(c);
    const { query, page } = await readPage(c, Filters);
    const filter = {
      apiKeyId: query.apiKeyId,
      actor: query.who?.trim() || undefined,
      kind: query.what,
      from: timeOf(query.from),
      until: timeOf(query.to, DAY_MS),
    };
    const now = Date.now();
    const { found, members, names } = await visitAccount(c, async (session, visit) => {
      const found = await findAuditEvents(session, { visit, request: page, filter });
      const { accountId, page: events } = found;
      const ids = events.items.flatMap(({ changes }) => [changes?.after.duplicateOf, changes?.after.ideaBankId]);
      const names = await loadNames(
        session,
        accountId,
        ids.filter((id) => id != null),
      );
      return { found: events, members: await listMembers(session, accountId, now), names };
    });
    const props = { events: found.items, names, members, now, filters: query, next: await nextCursor(c, found.next) };
    return renderPage(c, (frame) => <ActivityPage frame={frame} {...props} />);
  });
}
