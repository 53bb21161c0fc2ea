/** The idea of a path, and what the forms about it carry: the values with which they were opened, and those that their user has changed. */
import type { Context } from "hono";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { loadAsTeam } from "../../database/proposals/proposals.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { type Proposal, ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { changedSettings, saveOpened } from "../frame/opened-form.tsx";
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

/** A merged idea is decided about and commented on where it was merged into. Throws `conflict` and `not-found`. */
export async function requireUnmerged(c: Context<OwnerEnv>): Promise<Proposal> {
  const { idea } = await loadIdea(c);
  if (idea.duplicateOf !== null) throw new Problem("conflict", { detail: "This idea was merged into another one." });
  return idea;
}

/** The form sets the status Done, and it was another one when the form was opened. */
export const becomesDone = (fields: URLSearchParams): boolean =>
  fields.get("status") === "implemented" &&
  new URLSearchParams(fields.get("was") ?? "").get("status") !== "implemented";

export const DECIDED_LABELS = { visibility: "Visibility", tags: "Tags", response: "Official response" };

/** What else was decided about the idea comes along when it is published, and is saved with the entry. */
export const isCarried = (fields: URLSearchParams): boolean => CARRIED.some((name) => fields.has(name));
export const CARRIED = ["response", "visibility", "tags"];

/** What the form's user saw, of an idea that waited for approval when it was opened. */
export const waitedIn = (fields: URLSearchParams): Waited | undefined =>
  fields.has("edits") ? { edits: Number(fields.get("edits")) } : undefined;

/** Forms send a line break as two characters. */
export const textOf = (fields: URLSearchParams, name: string): string =>
  (fields.get(name) ?? "").replaceAll("\r", "").trim();

export const toTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

const SETTINGS: Readonly<Record<string, (fields: URLSearchParams) => unknown>> = {
  title: (fields) => textOf(fields, "title"),
  description: (fields) => textOf(fields, "description"),
  status: (fields) => fields.get("status"),
  visibility: (fields) => fields.get("visibility"),
  tags: (fields) => toTags(textOf(fields, "tags")),
  response: (fields) => {
    const text = textOf(fields, "response");
    return text === "" ? null : { text };
  },
};

/** What a form about an idea sets: each has some of these. */
const toSettings = (fields: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, read]) => (fields.has(name) ? [[name, read(fields)]] : [])),
  );

/** What the form's user has changed. Throws `invalid-request`. */
export const toChanges = (fields: URLSearchParams): ProposalChanges =>
  parseChanges(fields, changedSettings(fields, toSettings));

const parseChanges = (fields: URLSearchParams, changed: object): ProposalChanges =>
  parseOrThrow(ProposalChanges, fields.has("minor") ? { ...changed, minor: true } : changed);

/**
 * Saves what the form's user has changed, and returns the event's id. Throws `invalid-request`, `not-found`, and `ChangedMeanwhile`.
 * `load`: the idea as it is now.
 */
export async function saveIdea(
  path: IdeaPath,
  { fields, load }: { readonly fields: URLSearchParams; readonly load: () => Promise<Proposal> },
  change: (changes: ProposalChanges, opened: Partial<Proposal> | undefined) => Promise<string>,
): Promise<string> {
  // What cannot be saved is said first.
  toChanges(fields);
  if (!fields.has("was")) await load();
  const form = { id: path.proposalId, fields, toSettings, load, toFields };
  return saveOpened(form, (changes, opened) => change(parseChanges(fields, changes), opened));
}

const toFields = (idea: Proposal): URLSearchParams => {
  const { title, description, status, visibility, tags, response } = idea;
  return new URLSearchParams({
    ...{ title, description, status, visibility, tags: tags.join(", "), response: response?.text ?? "" },
  });
};

/** The values with which the forms of an idea's page open. */
export function formsOf(idea: Proposal) {
  const fields = toFields(idea);
  const those = (names: readonly string[]) => new URLSearchParams([...fields].filter(([name]) => names.includes(name)));
  return {
    respond: those(["response", "status"]),
    decide: those(["status", "visibility", "tags"]),
    edit: those(["title", "description"]),
  };
}

/** What was decided on the idea's page, with the texts of the entry; and with a colleague's response, if none was written here. */
export function withTexts(sent: URLSearchParams, idea: Proposal): URLSearchParams {
  const isWritten = textOf(sent, "response") !== new URLSearchParams(sent.get("was") ?? "").get("response");
  const fields = withPresent(sent, idea);
  if (sent.has("response")) fields.set("response", isWritten ? textOf(sent, "response") : (idea.response?.text ?? ""));
  const was = new URLSearchParams(fields.get("was") ?? "");
  for (const name of ["title", "description"] as const)
    for (const each of [fields, was]) if (!each.has(name)) each.set(name, idea[name]);
  fields.set("was", was.toString());
  return fields;
}

/**
 * The page shows the idea as it is now, so the form is opened with that. What was not changed here is as a colleague has set it in the
 * meantime.
 */
export function withPresent(sent: URLSearchParams, idea: Proposal): URLSearchParams {
  const was = new URLSearchParams(sent.get("was") ?? "");
  const fields = new URLSearchParams(sent);
  for (const [name, value] of toFields(idea)) {
    if (!fields.has(name)) continue;
    if (name !== "response" && fields.get(name) === was.get(name)) fields.set(name, value);
    was.set(name, value);
  }
  fields.set("was", was.toString());
  return fields;
}
