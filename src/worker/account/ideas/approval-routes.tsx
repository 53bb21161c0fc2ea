/**
 * The pages of proposals that wait for approval. Decisions use the functions of the tenant API, which offers all of this as JSON.
 * Panelists see a decision as soon as they see the write of any other isolate.
 */
import type { Context } from "hono";
import { listPendingProposals, loadPendingProposal } from "../../database/pending-proposals.ts";
import { changeProposalFrom, listProposals, mergeProposal, updateProposal } from "../../database/proposals.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { mergesUnderWay } from "../../http/merged-proposal.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { PageQuery } from "../../model/pagination.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { primaryOf, visitAccount } from "../account-databases.ts";
import { decide as decideAbout, decideTogether, idsOf, openOwn } from "../frame/decide.ts";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { ownPage, readVisit, tellAt, withParameter } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { ApprovalPage } from "./approval-page.tsx";
import { ReviewPage } from "./review-page.tsx";

const LIST = "/account/approval";
/** A form needs up to twelve bytes for a character, so this has room for a response of 10,000. */
const MAX_FORM_BYTES = 128 * 1024;
/** The maximum of proposals on a page. */
const SEVERAL_AT_MOST = 100;
const SIMILAR = { limit: 5, after: undefined };

const notWaiting = () => new Problem("not-found", { detail: "This idea is no longer waiting for approval." });

const notMerged = (otherWas: "merged" | "deleted") =>
  invalid([
    { path: "proposal", message: `was not merged: the other one was ${otherWas} in the meantime. Choose again.` },
  ]);

/** Throws `not-found`. */
async function load(c: Context<OwnerEnv>, id: string) {
  const proposal = await loadPendingProposal(primaryOf(c, id, notWaiting), c.var.owner, id);
  if (proposal === null) throw notWaiting();
  return proposal;
}

export function addApprovalPages(routes: Routes<OwnerEnv>): void {
  routes.get(LIST, async (c) => {
    const visit = readVisit(c);
    const { page } = await readPage(c, PageQuery);
    const listed = await visitAccount(c, async (session, owner) => ({
      session,
      ...(await listPendingProposals(session, owner, page)),
    }));
    const { items, next } = listed.page;
    const now = Date.now();
    const done = await loadJustDone(listed, visit, now);
    const props = {
      waiting: items,
      now,
      next: await nextCursor(c, next),
      here: visit.here,
      done,
      told: visit.told,
    };
    return renderPage(c, (frame) => <ApprovalPage frame={frame} {...props} />);
  });

  routes.post(LIST, async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_FORM_BYTES });
    const back = ownPage(fields.get("back"), LIST);
    if (!fields.has("ids")) return c.redirect(tellAt(back, "nothing-chosen"), 303);
    const event = await decideSeveral(c, fields);
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  });

  const ONE = `${LIST}/:proposalId`;
  routes.get(ONE, (c) => renderReview(c, { id: c.req.param("proposalId"), sent: new URLSearchParams(), errors: [] }));

  routes.post(ONE, async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_FORM_BYTES });
    const id = c.req.param("proposalId");
    try {
      const event = await decide(c, id, fields);
      return c.redirect(withParameter(ownPage(fields.get("back"), LIST), "undo", event), 303);
    } catch (error) {
      return renderReview(c, { id, sent: fields, errors: fieldErrorsOf(error, fields) });
    }
  });
}

/**
 * Decides, and returns the event's id. The decision is a visibility, with or without a response, or the proposal to merge into.
 * Only the text that was seen here may become visible, so if its author has edited it since, it can only be hidden. Throws
 * `invalid-request` for that.
 */
async function decide(c: Context<OwnerEnv>, id: string, fields: URLSearchParams): Promise<string> {
  const { accountId, ideaBankId } = await load(c, id);
  const path = { ideaBankId, proposalId: id };
  const subject = { kind: "proposal" as const, id, ideaBankId };
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
    const { answer, eventId } = await decideAbout(c, subject, ({ session, now }) =>
      updateProposal(session, { accountId, path, changes, now, decision }),
    );
    return answer === null ? refuse(notWaiting()) : eventId;
  }
  if (into === id) return refuse(notMerged("deleted"));
  const { answer, eventId } = await decideAbout(c, subject, ({ session }) =>
    mergeProposal(session, { accountId, path, into, decision }),
  );
  if (answer === null) return refuse(notMerged("deleted"));
  if (answer === "busy") return refuse(mergesUnderWay());
  return "duplicateOf" in answer ? refuse(notMerged("merged")) : eventId;
}

/**
 * Decides about several proposals, each in the state that was seen; one that its author has edited since keeps waiting. Returns
 * the event's id; undefined when none was chosen.
 */
async function decideSeveral(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<string | undefined> {
  const { visibility } = parseOrThrow(ProposalChanges, { visibility: fields.get("visibility") });
  const { session, accountId } = await openOwn(c);
  const own = { session, accountId, now: Date.now() };
  const chosen = fields.getAll("ids").slice(0, SEVERAL_AT_MOST);
  const event = await decideTogether(
    c,
    own,
    chosen.map((each) => {
      const [ideaBankId = "", proposalId = "", edits] = each.split(" ");
      return {
        subject: { id: proposalId, ideaBankId },
        statement: changeProposalFrom(
          { visibility: "pending", edits: Number(edits) },
          { accountId, path: idsOf({ ideaBankId, proposalId }), changes: { visibility }, now: own.now },
        ),
      };
    }),
  );
  if (event === undefined && chosen.length > 0) throw notWaiting();
  return event;
}

async function renderReview(
  c: Context<OwnerEnv>,
  { id, sent, errors }: { readonly id: string; readonly sent: URLSearchParams; readonly errors: readonly FieldError[] },
): Promise<Response> {
  const proposal = await load(c, id);
  const filter = { q: proposal.title, visibility: "public" } as const;
  const similar = await listProposals(primaryOf(c, id, notWaiting), {
    accountId: proposal.accountId,
    ideaBankId: proposal.ideaBankId,
    filter,
    request: SIMILAR,
  });
  const props = { proposal, similar: similar?.items ?? [], now: Date.now(), sent, errors };
  return renderPage(c, (frame) => <ReviewPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
