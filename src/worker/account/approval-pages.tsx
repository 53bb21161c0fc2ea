/**
 * The pages of what waits for approval. What the owner decides is done as by the tenant API, which has all of this as JSON. Panelists see
 * it as soon as what any other isolate has written.
 */
import type { Context } from "hono";
import { listPendingProposals, loadPendingProposal } from "../database/pending-proposals.ts";
import { listProposals, mergeProposal, updateProposal } from "../database/proposals.ts";
import { type FieldError, invalid, parseOrThrow } from "../http/invalid-request.ts";
import { mergesUnderWay } from "../http/merged-proposal.ts";
import { nextCursor, readPage } from "../http/pagination.ts";
import { readForm } from "../http/read-body.ts";
import type { Routes } from "../http/routes.ts";
import { PageQuery } from "../model/pagination.ts";
import { ProposalChanges } from "../model/proposal.ts";
import { Problem } from "../problem.ts";
import { visitAccount } from "./account-databases.ts";
import { primaryOf } from "./actions.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { ApprovalPage } from "./pages/approval-page.tsx";
import { ReviewPage } from "./pages/review-page.tsx";
import { fieldErrorsOf, refuseMethod, renderPage } from "./render-page.tsx";

const LIST = "/account/approval";
/** A form sends a character as up to twelve: a response of 10,000 fits. */
const MAX_FORM_BYTES = 128 * 1024;
const SIMILAR = { limit: 5, after: undefined };

const notWaiting = () =>
  new Problem("not-found", { detail: "This proposal does not wait for approval, or not any more." });

const notMerged = (otherWas: "merged" | "deleted") =>
  invalid([{ path: "proposal", message: `was not merged: the other one was ${otherWas} meanwhile. Choose again.` }]);

/** Throws `not-found`. */
async function load(c: Context<OwnerEnv>, id: string) {
  const proposal = await loadPendingProposal(primaryOf(c, id, notWaiting), c.var.owner, id);
  if (proposal === null) throw notWaiting();
  return proposal;
}

export function addApprovalPages(routes: Routes<OwnerEnv>): void {
  routes.get(LIST, async (c) => {
    const { page } = await readPage(c, PageQuery);
    const { items, next } = (await visitAccount(c, (session, visit) => listPendingProposals(session, visit, page)))
      .page;
    const props = { waiting: items, now: Date.now(), next: await nextCursor(c, next) };
    return renderPage(c, (frame) => <ApprovalPage frame={frame} {...props} />);
  });
  routes.all(LIST, refuseMethod("GET, HEAD"));

  const ONE = `${LIST}/:proposalId`;
  routes.get(ONE, (c) => renderReview(c, c.req.param("proposalId"), new URLSearchParams(), []));

  routes.post(ONE, async (c) => {
    const fields = await readForm(c.req.raw, MAX_FORM_BYTES);
    const id = c.req.param("proposalId");
    try {
      await decide(c, id, fields);
    } catch (error) {
      return renderReview(c, id, fields, fieldErrorsOf(error));
    }
    return c.redirect(LIST, 303);
  });
  routes.all(ONE, refuseMethod("GET, HEAD, POST"));
}

/**
 * A visibility, with a response or without one; or the proposal to merge into. Panelists get to see only what was seen here: what its
 * author has edited since can be hidden. Throws `invalid-request` for that.
 */
async function decide(c: Context<OwnerEnv>, id: string, fields: URLSearchParams): Promise<void> {
  const { accountId, ideaBankId } = await load(c, id);
  const session = primaryOf(c, id, notWaiting);
  const path = { ideaBankId, proposalId: id };
  const into = fields.get("into");
  const visibility = fields.get("visibility");
  const edits = fields.get("edits");
  const decision = {
    person: c.var.owner.person,
    edits: edits === null || visibility === "hidden" ? undefined : Number(edits),
  };
  const refuse = async (problem: Problem): Promise<never> => {
    const { edits } = await load(c, id);
    if (edits === (decision.edits ?? edits)) throw problem;
    throw invalid([{ path: "proposal", message: "was edited since you saw it. Read it again." }]);
  };
  if (into === null) {
    // Forms send a line break as two characters.
    const text = fields.get("response")?.replaceAll("\r", "").trim();
    const changes = parseOrThrow(ProposalChanges, { visibility, ...(text && { response: { text } }) });
    if ((await updateProposal(session, accountId, path, changes, Date.now(), decision)) === null)
      await refuse(notWaiting());
  } else {
    const outcome = into === id ? null : await mergeProposal(session, accountId, path, into, decision);
    if (outcome === null) await refuse(notMerged("deleted"));
    else if (outcome === "busy") await refuse(mergesUnderWay());
    else if ("duplicateOf" in outcome) await refuse(notMerged("merged"));
  }
}

async function renderReview(
  c: Context<OwnerEnv>,
  id: string,
  sent: URLSearchParams,
  errors: readonly FieldError[],
): Promise<Response> {
  const proposal = await load(c, id);
  const filter = { q: proposal.title, visibility: "public" } as const;
  const similar = await listProposals(
    primaryOf(c, id, notWaiting),
    proposal.accountId,
    proposal.ideaBankId,
    filter,
    SIMILAR,
  );
  const props = { proposal, similar: similar?.items ?? [], now: Date.now(), sent, errors };
  return renderPage(c, (frame) => <ReviewPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
