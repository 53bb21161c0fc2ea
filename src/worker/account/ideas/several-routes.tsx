/**
 * Merges, deletes or publishes several ideas, after a page that asks. Each merge and each deletion is a decision of its own, as on the
 * page of the idea.
 */
import type { Context } from "hono";
import { deleteProposal, mergeProposal } from "../../database/proposals.ts";
import { loadQueued, type QueuedIdea } from "../../database/queue.ts";
import { type FieldError, invalid } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { decide, noSuchContent, openOwn, requireDone } from "../frame/decide.ts";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, ownPage, readVisit, type Told, tellAt, withParameter } from "../frame/visit.ts";
import { countChange } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { chosenIn, decideAboutSeveral, loadPublications } from "./decide-several.ts";
import { DeleteSeveralPage, MergeSeveralPage, PublishSeveralPage } from "./several-pages.tsx";

const ALL = "/account/ideas";
/** Each takes a round trip of its own. */
const AT_MOST = 20;

const PAGES = { merge: MergeSeveralPage, delete: DeleteSeveralPage };
type What = keyof typeof PAGES;

export function addSeveralPages(routes: Routes<OwnerEnv>): void {
  for (const what of ["merge", "delete"] as const) {
    routes.get(`${ALL}/${what}`, (c) => render(c, what, new URL(c.req.url).searchParams, []));
    routes.post(`${ALL}/${what}`, async (c) => {
      const fields = await readForm(c);
      const back = ownPage(fields.get("back"), ALL);
      try {
        const [only, another] = await (what === "merge" ? mergeInto(c, fields) : deleteEach(c, fields));
        const told = another ? tellAt(back, what === "merge" ? "several-merged" : "several-deleted") : back;
        // A notice with a title is about one idea.
        return c.redirect(only && !another ? withParameter(back, "undo", only) : told, 303);
      } catch (error) {
        return render(c, what, fields, fieldErrorsOf(error));
      }
    });
  }

  routes.get(`${ALL}/publish`, renderPublishSeveral);
  routes.post(`${ALL}/publish`, async (c) => {
    const fields = await readForm(c);
    const back = ownPage(fields.get("back"), ALL);
    const done = new URLSearchParams({ do: "status", status: "implemented" });
    const { event } = await decideAboutSeveral(c, chosenIn(fields, undefined), done);
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  });
}

/** What is not published yet: one can be published alone, which leads back here. When nothing is left, it leads back to the list. */
async function renderPublishSeveral(c: Context<OwnerEnv>): Promise<Response> {
  const visit = readVisit(c);
  const back = visit.back ?? ALL;
  const { publications, others } = await loadPublications(c, chosenIn(new URL(c.req.url).searchParams, undefined));
  if (publications.length === 0)
    return c.redirect(visit.undo === undefined ? back : withParameter(back, "undo", visit.undo), 303);
  const here = backTo(visit.here, back);
  const done = await loadJustDone(await openOwn(c), { ...visit, here }, Date.now());
  const props = { publications, others, back, here, done };
  return renderPage(c, (frame) => <PublishSeveralPage frame={frame} {...props} />);
}

/** The chosen ideas of the account. Throws `not-found` when none is left, and `invalid-request` for too many. */
async function load(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<readonly QueuedIdea[]> {
  const chosen = chosenIn(fields, undefined);
  if (chosen.length > AT_MOST) throw invalid([{ path: "ids", message: `can be ${AT_MOST} ideas at a time` }]);
  const { session, accountId } = await openOwn(c);
  const ideas = await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) });
  if (ideas.length === 0) throw noSuchContent();
  return ideas;
}

async function render(
  c: Context<OwnerEnv>,
  what: What,
  fields: URLSearchParams,
  errors: readonly FieldError[],
): Promise<Response> {
  const ideas = await load(c, fields);
  const back = ownPage(fields.get("back"), ALL);
  const fault = what === "merge" ? mergeFaultOf(ideas) : undefined;
  if (fault !== undefined) return c.redirect(tellAt(back, fault), 303);
  const Page = PAGES[what];
  const props = { ideas, back, errors };
  return renderPage(c, (frame) => <Page frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}

function mergeFaultOf(ideas: readonly QueuedIdea[]): Told | undefined {
  if (ideas.length < 2) return "merge-needs-two";
  return new Set(ideas.map(({ ideaBankId }) => ideaBankId)).size > 1 ? "merge-needs-one-board" : undefined;
}

/** Returns the events. */
async function mergeInto(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<readonly string[]> {
  const events: string[] = [];
  const ideas = await load(c, fields);
  // The page says why.
  if (mergeFaultOf(ideas) !== undefined) throw invalid([{ path: "ids", message: "cannot be merged" }]);
  const into = fields.get("into") ?? "";
  if (!ideas.some(({ id }) => id === into)) throw invalid([{ path: "into", message: "was not chosen" }]);
  for (const [index, { id, ideaBankId }] of ideas.filter((idea) => idea.id !== into).entries()) {
    if (index > 0) await countChange(c);
    const path = { ideaBankId, proposalId: id };
    const { answer, eventId } = await decide(c, { kind: "proposal", id, ideaBankId }, ({ session, accountId }) =>
      mergeProposal(session, { accountId, path, into }),
    );
    if (answer === "busy") throw invalid([{ path: "into", message: "is being merged. Try again in a minute" }]);
    if (answer !== null && "duplicateOf" in answer) throw invalid([{ path: "into", message: "is merged itself" }]);
    events.push(eventId);
  }
  return events;
}

async function deleteEach(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<readonly string[]> {
  const events: string[] = [];
  for (const [index, { id, ideaBankId }] of (await load(c, fields)).entries()) {
    if (index > 0) await countChange(c);
    const path = { ideaBankId, proposalId: id };
    const { answer, eventId } = await decide(c, { kind: "proposal", id, ideaBankId }, ({ session, accountId }) =>
      deleteProposal(session, { accountId, path }),
    );
    requireDone(answer);
    events.push(eventId);
  }
  return events;
}
