/** `/account/people`: finds panelists, shows what one of them has written and voted for, ends their tokens, deletes them. */
import type { Context } from "hono";
import {
  deletePanelist,
  listPanelists,
  loadPanelist,
  revokePanelistTokens,
  updatePanelist,
} from "../../database/panelists.ts";
import { findPanelists, listContributions, loadActivity } from "../../database/people.ts";
import { invalid } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { PageQuery } from "../../model/pagination.ts";
import type { Session } from "../../store/session.ts";
import { decide, idsOf, openOwn, orNotFound, requireDone } from "../frame/decide.ts";
import { renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { PeoplePage } from "./list-page.tsx";
import { PanelistPage } from "./person-page.tsx";

const PEOPLE = "/account/people";
const ONE = `${PEOPLE}/:panelistId`;

export function addPeoplePages(routes: Routes<OwnerEnv>): void {
  routes.get(PEOPLE, async (c) => {
    const visit = readVisit(c);
    const q = c.req.query("q")?.trim().slice(0, 200);
    const { session, accountId } = await openOwn(c);
    const now = Date.now();
    const done = await loadJustDone({ session, accountId }, visit, now);
    const { people, isPartial, more } = q
      ? { ...(await findPanelists(session, accountId, q)), more: undefined }
      : await listNewest(c, { session, accountId });
    const activity = await loadActivity(session, people);
    const props = { q: q ?? "", people, activity, isPartial, more, here: visit.here, now, done };
    return renderPage(c, (frame) => <PeoplePage frame={frame} {...props} />);
  });

  routes.get(ONE, async (c) => {
    const visit = readVisit(c);
    const { panelistId } = idsOf(c.req.param());
    const { session, accountId } = await openOwn(c);
    const panelist = orNotFound(await loadPanelist(session, accountId, panelistId));
    const contributions = await listContributions(session, accountId, panelistId);
    const now = Date.now();
    const here = backTo(visit.here, visit.back);
    const done = await loadJustDone({ session, accountId }, { ...visit, here }, now);
    return renderPage(c, (frame) => (
      <PanelistPage frame={frame} {...{ panelist, contributions, here, back: visit.back, now, done }} />
    ));
  });

  routes.post(ONE, async (c) => {
    const { panelistId } = idsOf(c.req.param());
    const what = (await readForm(c)).get("do") ?? "";
    const { here, back } = readVisit(c);
    const event = await change(c, panelistId, what);
    const list = back?.split("?")[0] === PEOPLE ? back : PEOPLE;
    const to = what.startsWith("delete") ? list : backTo(here, back);
    return c.redirect(withParameter(to, "undo", event), 303);
  });
}

async function listNewest(
  c: Context<OwnerEnv>,
  { session, accountId }: { readonly session: Session; readonly accountId: string },
) {
  const { page } = await readPage(c, PageQuery);
  const { items, next } = await listPanelists(session, { accountId, externalId: undefined, request: page });
  return { people: items, isPartial: false, more: await nextCursor(c, next) };
}

/** Makes the change, and returns the event's id. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, id: string, what: string): Promise<string> {
  if (what === "unblock") await limitOwner(c);
  const { answer, eventId } = await decide(c, { kind: "panelist", id }, async ({ session, accountId, now }) => {
    switch (what) {
      case "end-tokens": {
        const written = await revokePanelistTokens(session, { accountId, id });
        requireDone(written.result);
        return written;
      }
      case "block":
      case "unblock":
        return orNotFound(await updatePanelist(session, { accountId, id, changes: { active: what === "unblock" } }));
      case "delete":
      case "delete-all": {
        const deletion = { accountId, id, deletesContent: what === "delete-all", now, idempotencyKey: undefined };
        const written = await deletePanelist(session, deletion);
        requireDone(written.result);
        return written;
      }
      default:
        throw invalid([{ path: "do", message: "is not known" }]);
    }
  });
  if (answer !== "other-id" && answer.revocation !== undefined) c.var.views.noteRevocation(answer.revocation);
  return eventId;
}
