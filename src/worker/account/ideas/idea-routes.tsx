/** `/account/idea-banks/{id}/ideas/{id}`: one idea, and the team's decisions about it. */
import type { Context } from "hono";
import { createComment, deleteComment, listComments, updateComment } from "../../database/comments.ts";
import { loadIdeaBank } from "../../database/idea-banks.ts";
import { loadPanelists } from "../../database/panelists.ts";
import {
  deleteProposal,
  listMerged,
  listProposals,
  loadProposal,
  loadSubmitted,
  mergeProposal,
  updateProposal,
} from "../../database/proposals.ts";
import { listOwnTags } from "../../database/tags.ts";
import { listVoters } from "../../database/voters.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { mergesUnderWay } from "../../http/merged-proposal.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { NewComment } from "../../model/comment.ts";
import { PageQuery } from "../../model/pagination.ts";
import { type Proposal, ProposalChanges, type ProposalFilter } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { decide, idsOf, openOwn, orNotFound, requireDone } from "../frame/decide.ts";
import { changedSettings } from "../frame/opened-form.tsx";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, ownPage, readVisit, withParameter } from "../frame/visit.ts";
import { IDEA_BANKS } from "../idea-banks/routes.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { IdeaPage } from "./idea-page.tsx";
import { MergePage } from "./merge-page.tsx";
import { PublishPage } from "./publish-page.tsx";
import { MAX_TEXT_FORM_BYTES } from "./text-fields.tsx";

const IDEA = `${IDEA_BANKS}/:ideaBankId/ideas/:proposalId`;
const CANDIDATES = { limit: 20, after: undefined };
const FIRST_VOTERS = { limit: 20, after: undefined };

type Path = { readonly ideaBankId: string; readonly proposalId: string };
const pathOf = (c: Context<OwnerEnv>): Path =>
  idsOf({ ideaBankId: c.req.param("ideaBankId") ?? "", proposalId: c.req.param("proposalId") ?? "" });

const subjectOf = ({ ideaBankId, proposalId }: Path) => ({ kind: "proposal" as const, id: proposalId, ideaBankId });

export function addIdeaPages(routes: Routes<OwnerEnv>): void {
  routes.get(IDEA, (c) => renderIdea(c, { sent: new URLSearchParams(), errors: [] }));

  routes.post(IDEA, async (c) => {
    const path = pathOf(c);
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const { here, back } = readVisit(c);
    const list = back ?? `${IDEA_BANKS}/${path.ideaBankId}`;
    if (fields.get("do")?.startsWith("preview-")) return renderIdea(c, { sent: fields, errors: [], cameFrom: back });
    try {
      await requireCurrent(c, fields);
      if (fields.get("asks") === "publish" && fields.get("do") === "decide" && becomesDone(fields)) {
        const opener = fields.get("then") === "list" ? list : withParameter(here, "back", list);
        const { status: _, ...others } = toChanges(fields);
        if (Object.keys(others).length > 0) return renderPublish(c, { sent: fields, errors: [], cameFrom: opener });
        const to = `${IDEA_BANKS}/${path.ideaBankId}/ideas/${path.proposalId}/publish`;
        return c.redirect(withParameter(to, "back", opener), 303);
      }
      const { event, isGone } = await change(c, path, fields);
      const to =
        isGone || fields.get("then") === "list" ? list : back === undefined ? here : withParameter(here, "back", back);
      return c.redirect(withParameter(to, "undo", event), 303);
    } catch (error) {
      return renderIdea(c, { sent: fields, errors: fieldErrorsOf(error, fields), cameFrom: back });
    }
  });

  routes.get(`${IDEA}/publish`, (c) => renderPublish(c, { sent: undefined, errors: [] }));

  routes.post(`${IDEA}/publish`, async (c) => {
    const path = pathOf(c);
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const { back } = readVisit(c);
    if (fields.get("do") === "preview") return renderPublish(c, { sent: fields, errors: [], cameFrom: back });
    if (fields.get("do") === "cancel") return cancelPublish(c, path, { fields, back });
    try {
      await requireCurrent(c, fields);
      const event = await publish(c, path, fields);
      const to = back ?? `${IDEA_BANKS}/${path.ideaBankId}/ideas/${path.proposalId}`;
      return c.redirect(withParameter(to, "undo", event), 303);
    } catch (error) {
      return renderPublish(c, { sent: fields, errors: fieldErrorsOf(error, fields), cameFrom: back });
    }
  });

  routes.get(`${IDEA}/merge`, (c) => renderMerge(c, []));

  routes.post(`${IDEA}/merge`, async (c) => {
    const path = pathOf(c);
    const fields = await readForm(c);
    const chosen = fields.get("into") ?? "";
    const keepsThis = fields.get("keep") === "this";
    const { back } = readVisit(c);
    try {
      const event = await merge(c, path, chosen, keepsThis);
      const to = `${IDEA_BANKS}/${path.ideaBankId}/ideas/${keepsThis ? path.proposalId : chosen}`;
      return c.redirect(withParameter(back === undefined ? to : withParameter(to, "back", back), "undo", event), 303);
    } catch (error) {
      return renderMerge(c, fieldErrorsOf(error), back);
    }
  });
}

/**
 * A merged idea is decided about and commented on where it was merged into, and nobody's response is replaced unread. Throws `conflict`,
 * `invalid-request` and `not-found`.
 */
async function requireCurrent(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<void> {
  const { idea } = await loadIdea(c);
  if (idea.duplicateOf !== null && ["decide", "edit", "comment", "publish"].includes(fields.get("do") ?? ""))
    throw new Problem("conflict", { detail: "This idea was merged into another one." });
  const was = new URLSearchParams(fields.get("was") ?? "").get("response");
  if (was === null || fields.get("response") === null) return;
  if (textOf(fields, "response") !== was && responseOf(idea) !== was)
    throw invalid([{ path: "response", message: "was changed in the meantime. Save again to replace it" }]);
}

/** The form sets the status Done, and it was another one when the form was opened. */
const becomesDone = (fields: URLSearchParams): boolean =>
  fields.get("status") === "implemented" &&
  new URLSearchParams(fields.get("was") ?? "").get("status") !== "implemented";

/** Leads back to what was written on the idea's page, or in its row, before it was published. */
function cancelPublish(
  c: Context<OwnerEnv>,
  { ideaBankId, proposalId }: Path,
  { fields, back }: { readonly fields: URLSearchParams; readonly back: string | undefined },
): Promise<Response> {
  const sent = new URLSearchParams(fields);
  sent.set("status", new URLSearchParams(fields.get("was") ?? "").get("status") ?? "");
  const opener = new URL(back ?? "/", "https://own.invalid");
  const isIdea = opener.pathname === `${IDEA_BANKS}/${ideaBankId}/ideas/${proposalId}`;
  const cameFrom = isIdea ? ownPage(opener.searchParams.get("back"), "") || undefined : back;
  return renderIdea(c, { sent, errors: [], cameFrom });
}

/** What else was decided about the idea comes along, and is saved with the entry. */
const isCarried = (fields: URLSearchParams): boolean => fields.has("response");

/** Publishes the entry, or changes it, and returns the event's id. Throws `invalid-request`, and `not-found`. */
async function publish(c: Context<OwnerEnv>, path: Path, fields: URLSearchParams): Promise<string> {
  const texts = changedSettings(fields, (each) => ({
    title: textOf(each, "title"),
    description: textOf(each, "description"),
    ...(isCarried(fields) && toDecided(each)),
  }));
  const changes = parseOrThrow(ProposalChanges, {
    ...texts,
    status: "implemented",
    ...(fields.has("minor") && { minor: true }),
  });
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId, now }) =>
    updateProposal(session, { accountId, path, changes, now, keepsSubmitted: true }),
  );
  orNotFound(answer);
  return eventId;
}

/** Does the action of the pressed button. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, path: Path, fields: URLSearchParams) {
  const what = fields.get("do");
  if (what === "delete") {
    const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId }) =>
      deleteProposal(session, { accountId, path }),
    );
    requireDone(answer);
    return { event: eventId, isGone: true };
  }
  if (what === "comment" || what === "edit-comment" || what === "delete-comment")
    return { event: await changeComments(c, { path, what, fields }), isGone: false };
  const changes = toChanges(fields);
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId, now }) =>
    updateProposal(session, { accountId, path, changes, now }),
  );
  orNotFound(answer);
  return { event: eventId, isGone: false };
}

async function changeComments(
  c: Context<OwnerEnv>,
  {
    path,
    what,
    fields,
  }: {
    readonly path: Path;
    readonly what: "comment" | "edit-comment" | "delete-comment";
    readonly fields: URLSearchParams;
  },
): Promise<string> {
  const subject = { kind: "comment" as const, ideaBankId: path.ideaBankId };
  const written = () => parseOrThrow(NewComment, { body: textOf(fields, "body") });
  if (what === "comment") {
    const comment = written();
    const { answer, eventId } = await decide(c, subject, ({ session, accountId, id, now }) =>
      createComment(session, { accountId, path, id, comment, now, idempotencyKey: undefined }),
    );
    requireDone(answer.result);
    return eventId;
  }
  const { commentId: id } = idsOf({ commentId: fields.get("commentId") ?? "" });
  if (what === "delete-comment") {
    const { answer, eventId } = await decide(c, { ...subject, id }, ({ session, accountId }) =>
      deleteComment(session, { accountId, path, commentId: id }),
    );
    requireDone(answer);
    return eventId;
  }
  const comment = written();
  const { answer, eventId } = await decide(c, { ...subject, id }, ({ session, accountId }) =>
    updateComment(session, { accountId, path, commentId: id, comment }),
  );
  if (orNotFound(answer) === "panelists")
    throw new Problem("conflict", { detail: "Only your team's comments can be edited." });
  return eventId;
}

/** Merges either way, and returns the event's id. Throws `invalid-request` when the chosen idea is none, or no longer one. */
async function merge(c: Context<OwnerEnv>, here: Path, chosen: string, keepsThis: boolean): Promise<string> {
  const refuse = (message: string) => invalid([{ path: "into", message }]);
  if (chosen === "") throw refuse("was not chosen");
  if (chosen === here.proposalId) throw refuse("must be another idea");
  const path = keepsThis ? idsOf({ ideaBankId: here.ideaBankId, proposalId: chosen }) : here;
  const into = keepsThis ? here.proposalId : chosen;
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId }) =>
    mergeProposal(session, { accountId, path, into }),
  );
  if (answer === null) throw refuse("was deleted in the meantime");
  if (answer === "busy") throw mergesUnderWay();
  if ("duplicateOf" in answer) throw refuse("is merged already, or this idea is");
  return eventId;
}

/** Forms send a line break as two characters. */
const textOf = (fields: URLSearchParams, name: string): string => (fields.get(name) ?? "").replaceAll("\r", "").trim();

const toTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The values of the two forms of an idea. Throws `invalid-request`. */
function toChanges(fields: URLSearchParams): ProposalChanges {
  const changed = changedSettings(fields, (each) => {
    if (fields.get("do") === "edit") return { title: textOf(each, "title"), description: textOf(each, "description") };
    return { status: each.get("status"), ...toDecided(each) };
  });
  return parseOrThrow(ProposalChanges, fields.has("minor") ? { ...changed, minor: true } : changed);
}

/** What is decided about an idea besides its status. */
function toDecided(fields: URLSearchParams) {
  const text = textOf(fields, "response");
  return {
    ...{ visibility: fields.get("visibility"), tags: toTags(textOf(fields, "tags")) },
    response: text === "" ? null : { text },
  };
}

const responseOf = ({ response }: Proposal): string => response?.text ?? "";

/** The values with which the forms open. */
const toFields = (idea: Proposal) => ({
  decide: new URLSearchParams({
    status: idea.status,
    visibility: idea.visibility,
    tags: idea.tags.join(", "),
    response: responseOf(idea),
  }),
  edit: new URLSearchParams({ title: idea.title, description: idea.description }),
});

/** The idea, and its board. Throws `not-found`. */
async function loadIdea(c: Context<OwnerEnv>) {
  const path = pathOf(c);
  const { session, accountId } = await openOwn(c);
  const idea: Proposal = orNotFound(await loadProposal(session, accountId, path));
  const ideaBank = orNotFound(await loadIdeaBank(session, accountId, path.ideaBankId));
  return { path, session, accountId, idea, ideaBank };
}

type Refused = {
  readonly sent: URLSearchParams | undefined;
  readonly errors: readonly FieldError[];
  readonly cameFrom?: string | undefined;
};

async function renderPublish(c: Context<OwnerEnv>, { sent, errors, cameFrom }: Refused): Promise<Response> {
  const { back = cameFrom } = readVisit(c);
  const { path, session, accountId, idea, ideaBank } = await loadIdea(c);
  const submitted = await loadSubmitted(session, { accountId, path });
  const opened = new URLSearchParams({ title: idea.title, description: idea.description });
  const fields = sent === undefined ? opened : isCarried(sent) ? withTexts(sent, idea) : sent;
  const props = { ideaBank, idea, submitted, fields, errors, now: Date.now(), back };
  return renderPage(c, (frame) => <PublishPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}

async function renderIdea(
  c: Context<OwnerEnv>,
  {
    sent,
    errors,
    cameFrom,
  }: { readonly sent: URLSearchParams; readonly errors: readonly FieldError[]; readonly cameFrom?: string | undefined },
): Promise<Response> {
  const visit = readVisit(c);
  const { page } = await readPage(c, PageQuery);
  const { path, session, accountId, idea, ideaBank } = await loadIdea(c);
  const submitted = await loadSubmitted(session, { accountId, path });
  const target = idea.duplicateOf && { ideaBankId: path.ideaBankId, proposalId: idea.duplicateOf };
  const mergedInto = target ? await loadProposal(session, accountId, target) : null;
  const merged = await listMerged(session, { accountId, proposalId: idea.id });
  const voters = await listVoters(session, { accountId, path, request: FIRST_VOTERS });
  const comments = orNotFound(await listComments(session, { accountId, path, request: page }));
  const tags = await listOwnTags(session, accountId, path.ideaBankId);
  const authors = [idea.panelistId, ...comments.items.map(({ panelistId }) => panelistId)].filter((id) => id !== null);
  const people = new Map(
    (await loadPanelists(session, accountId, [...new Set(authors)])).map((each) => [each.id, each] as const),
  );
  const now = Date.now();
  const done = await loadJustDone({ session, accountId }, { ...visit, here: backTo(visit.here, visit.back) }, now);
  const props = {
    ...{
      ideaBank,
      idea,
      mergedInto,
      merged,
      submitted,
      tags,
      comments: comments.items,
      people,
      sent,
      errors,
      now,
      done,
    },
    voters: voters?.items ?? [],
    fields: {
      ...toFields(idea),
      ...(sent.has("response") && { decide: withPresent(sent, idea) }),
      ...(sent.get("do") === "edit" && { edit: sent }),
    },
    ...{ back: visit.back ?? cameFrom, more: await nextCursor(c, comments.next) },
  };
  return renderPage(c, (frame) => <IdeaPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}

/** What was decided on the idea's page, with the texts of the entry; and with a colleague's response, if none was written here. */
function withTexts(sent: URLSearchParams, idea: Proposal): URLSearchParams {
  const isWritten = textOf(sent, "response") !== new URLSearchParams(sent.get("was") ?? "").get("response");
  const fields = withPresent(sent, idea);
  fields.set("response", isWritten ? textOf(sent, "response") : responseOf(idea));
  const was = new URLSearchParams(fields.get("was") ?? "");
  for (const name of ["title", "description"] as const)
    for (const each of [fields, was]) if (!each.has(name)) each.set(name, idea[name]);
  fields.set("was", was.toString());
  return fields;
}

/**
 * The page shows the response as it is now, so the form is opened with it. What else was not changed here is as a colleague has set it in
 * the meantime.
 */
function withPresent(sent: URLSearchParams, idea: Proposal): URLSearchParams {
  const was = new URLSearchParams(sent.get("was") ?? "");
  const fields = new URLSearchParams(sent);
  for (const [name, value] of toFields(idea).decide) {
    if (name !== "response" && fields.get(name) === was.get(name)) fields.set(name, value);
    was.set(name, value);
  }
  fields.set("was", was.toString());
  return fields;
}

async function renderMerge(c: Context<OwnerEnv>, errors: readonly FieldError[], cameFrom?: string): Promise<Response> {
  const { back = cameFrom } = readVisit(c);
  const { path, session, accountId, idea } = await loadIdea(c);
  const q = c.req.query("q")?.slice(0, 200);
  const list = async (filter: ProposalFilter) => {
    const listed = await listProposals(session, {
      ...{ accountId, ideaBankId: path.ideaBankId, filter },
      request: CANDIDATES,
    });
    return (listed?.items ?? []).filter(({ id }) => id !== idea.id);
  };
  const found = await list({ q: q ?? idea.title });
  const isFound = found.length > 0 || q !== undefined;
  const candidates = isFound ? found : await list({ sort: "top" });
  const props = { ideaBankId: path.ideaBankId, idea, q: q ?? "", candidates, isFound, back, errors };
  return renderPage(c, (frame) => <MergePage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}
