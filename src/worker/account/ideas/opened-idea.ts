/** The idea of a path, and what the forms about it carry: the values with which they were opened, and those that their user has changed. */
import type { Context } from "hono";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { loadAsTeam } from "../../database/proposals/proposals.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { type Proposal, ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { changedSettings } from "../frame/opened-form.tsx";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import type { Waited } from "./chosen.ts";
import type { IdeaPath } from "./decide.ts";

export const IDEAS = "/account/ideas";
export const IDEA = `${IDEA_BANKS}/:ideaBankId/ideas/:proposalId`;

/** Throws `not-found`. */
export const pathOfIdea = (c: Context<OwnerEnv>): IdeaPath =>
  idsOf({ ideaBankId: c.req.param("ideaBankId") ?? "", proposalId: c.req.param("proposalId") ?? "" });

export const addressOf = ({ ideaBankId, proposalId }: IdeaPath): string =>
  `${IDEA_BANKS}/${ideaBankId}/ideas/${proposalId}`;

/** The idea, and its board. Throws `not-found`. */
export async function loadIdea(c: Context<OwnerEnv>) {
  const path = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [loaded, ideaBank] = await Promise.all([
    loadAsTeam(session, { accountId, path }),
    loadIdeaBank(session, accountId, path.ideaBankId),
  ]);
  return { path, session, accountId, ...orNotFound(loaded), ideaBank: orNotFound(ideaBank) };
}

/**
 * A merged idea is decided about and commented on where it was merged into, and nobody's response is replaced unread. Throws `conflict`,
 * `invalid-request` and `not-found`.
 */
export async function requireCurrent(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<void> {
  const isForUnmerged = ["decide", "edit", "comment", "publish"].includes(fields.get("do") ?? "");
  const was = new URLSearchParams(fields.get("was") ?? "").get("response");
  const responds = was !== null && fields.has("response") && textOf(fields, "response") !== was;
  if (!isForUnmerged && !responds) return;
  const { idea } = await loadIdea(c);
  if (isForUnmerged && idea.duplicateOf !== null)
    throw new Problem("conflict", { detail: "This idea was merged into another one." });
  if (responds && responseOf(idea) !== was)
    throw invalid([{ path: "response", message: "was changed in the meantime. Save again to replace it" }]);
}

/** The form sets the status Done, and it was another one when the form was opened. */
export const becomesDone = (fields: URLSearchParams): boolean =>
  fields.get("status") === "implemented" &&
  new URLSearchParams(fields.get("was") ?? "").get("status") !== "implemented";

export const DECIDED_LABELS = { visibility: "Visibility", tags: "Tags", response: "Official response" };

/** What else was decided about the idea comes along when it is published, and is saved with the entry. */
export const isCarried = (fields: URLSearchParams): boolean => fields.has("response");

/** What the form's user saw, of an idea that waited for approval when it was opened. */
export const waitedIn = (fields: URLSearchParams): Waited | undefined =>
  fields.has("edits") ? { edits: Number(fields.get("edits")) } : undefined;

/** Forms send a line break as two characters. */
export const textOf = (fields: URLSearchParams, name: string): string =>
  (fields.get(name) ?? "").replaceAll("\r", "").trim();

const toTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The values of the two forms of an idea. Throws `invalid-request`. */
export function toChanges(fields: URLSearchParams): ProposalChanges {
  const changed = changedSettings(fields, (each) => {
    if (fields.get("do") === "edit") return { title: textOf(each, "title"), description: textOf(each, "description") };
    return { status: each.get("status"), ...toDecided(each) };
  });
  return parseOrThrow(ProposalChanges, fields.has("minor") ? { ...changed, minor: true } : changed);
}

/** What is decided about an idea besides its status. */
export function toDecided(fields: URLSearchParams) {
  const text = textOf(fields, "response");
  return {
    ...{ visibility: fields.get("visibility"), tags: toTags(textOf(fields, "tags")) },
    response: text === "" ? null : { text },
  };
}

const responseOf = ({ response }: Proposal): string => response?.text ?? "";

/** The values with which the forms open. */
export const toFields = (idea: Proposal) => ({
  decide: new URLSearchParams({
    status: idea.status,
    visibility: idea.visibility,
    tags: idea.tags.join(", "),
    response: responseOf(idea),
  }),
  edit: new URLSearchParams({ title: idea.title, description: idea.description }),
});

/** What was decided on the idea's page, with the texts of the entry; and with a colleague's response, if none was written here. */
export function withTexts(sent: URLSearchParams, idea: Proposal): URLSearchParams {
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
export function withPresent(sent: URLSearchParams, idea: Proposal): URLSearchParams {
  const was = new URLSearchParams(sent.get("was") ?? "");
  const fields = new URLSearchParams(sent);
  for (const [name, value] of toFields(idea).decide) {
    if (name !== "response" && fields.get(name) === was.get(name)) fields.set(name, value);
    was.set(name, value);
  }
  fields.set("was", was.toString());
  return fields;
}
