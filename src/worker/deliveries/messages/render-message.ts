/** A message about changes: who did what to which idea, in words, with a link to its page at the desk. Pure. */
import type { Names } from "../../database/changes/names.ts";
import type { AccountEvent } from "../../model/account-event.ts";
import type { Change } from "../../model/change.ts";
import { deskAddressOf } from "../../model/desk-address.ts";
import { STATUS_WORDS } from "../../model/status-words.ts";
import { quote } from "./quote.ts";

/** Discord takes 2,000 characters, Slack 3,000. Discord's own form of a link has one more than ours. */
const MAX_LENGTH = 1_950;
/** So many changes are told in words. The others are counted. */
const IN_WORDS = 8;
const NAME_LENGTH = 80;
const TITLE_LENGTH = 160;
/** Of a text; less of each when there are several. */
const TEXT_LENGTH = 300;
const SHORTER = 120;
const LINK_LENGTH = 400;
/** The response's time and that of its change are by two clocks. */
const CLOCKS_DIFFER_MS = 10_000;

/** Where the links lead. Without the setting SIGN_IN_URL there are none. */
type Desk = { readonly accountId: string; readonly signInUrl: string | undefined };
/** A change with its identifier in the log. */
type Numbered = { readonly number: number; readonly id: string; readonly change: Change | AccountEvent };
/** `response`: the new official response that the message tells with it. */
type Told = { readonly number: number; readonly id: string; readonly change: Change; readonly response: string | null };

/** The response that came with this change; null for an older one. */
function newResponseOf({ at, proposal }: Change): string | null {
  const response = proposal?.response;
  if (!response) return null;
  return Math.abs(Date.parse(at) - Date.parse(response.respondedAt)) < CLOCKS_DIFFER_MS ? response.text : null;
}

function saysSomething(change: Change | AccountEvent): change is Change {
  if ("event" in change) return false;
  if (change.type === "survey-response.created") return true;
  // Only the team sees a hidden idea, and a channel may have other readers. What was deleted by now is not told either.
  if (!change.proposal || change.proposal.visibility === "hidden") return false;
  if (change.type === "comment.created") return change.comment?.visibility === "public";
  return ["proposal.created", "proposal.updated", "proposal.status-changed"].includes(change.type);
}

/** The changes that a message tells of. A response is told once: an edit soon after it is no second one, and a status stands alone then. */
export function toldOf(changes: readonly Numbered[]): readonly Told[] {
  const responded = new Set<string>();
  return changes.flatMap(({ number, id, change }) => {
    if (!saysSomething(change)) return [];
    const key = `${change.proposalId} ${change.proposal?.response?.respondedAt}`;
    const response = change.type === "proposal.created" || responded.has(key) ? null : newResponseOf(change);
    // An edit says nothing but its response.
    if (change.type === "proposal.updated" && response === null) return [];
    if (response !== null) responded.add(key);
    return [{ number, id, change, response }];
  });
}

/** The identifiers whose names the message says. */
export const namedIn = (told: readonly Told[]): readonly string[] =>
  told
    .slice(0, IN_WORDS)
    .flatMap(({ change: { ideaBankId, surveyId, proposal, comment } }) =>
      [ideaBankId, surveyId, proposal?.panelistId, comment?.panelistId].filter((id) => typeof id === "string"),
    );

/** A person's display name. Nobody's address is said: not a member's, and not that of a person who has it as the name. */
function author({ by, apiKeyId }: Change, panelistId: string | null | undefined, names: Names): string {
  if (!panelistId) return by === "panelist" ? "Someone" : apiKeyId === null ? "A member" : "Your team";
  const name = names.get(panelistId);
  return name === undefined || name.includes("@") ? "Someone" : quote(name, NAME_LENGTH);
}

/** The link has our own words: a title in it could end it. */
function linkTo(page: string, label: string, { accountId, signInUrl }: Desk): string {
  if (!signInUrl || !URL.canParse(signInUrl)) return "";
  const href = deskAddressOf(`${page}?account=${accountId}`, signInUrl)
    .replaceAll("&", "&amp;")
    .replace(/[|<>]/g, encodeURIComponent);
  return href.length > LINK_LENGTH ? "" : `\n<${href}|${label}>`;
}

function inWords({ change, response }: Told, { names, desk, length }: Context): string {
  const { ideaBankId = "", surveyId = "", proposalId, proposal, comment } = change;
  const board = quote(names.get(ideaBankId) ?? "", NAME_LENGTH);
  const on = board && ` on ${board}`;
  if (change.type === "survey-response.created") {
    const survey = names.get(surveyId);
    const title = survey === undefined ? "a survey" : `the survey “${quote(survey, TITLE_LENGTH)}”`;
    // An anonymous survey tells of its responses in steps of five.
    const what = change.panelistId === undefined ? "New responses to" : "New response to";
    return `${what} ${title}${on}${linkTo(`/account/surveys/${surveyId}`, "Open the survey", desk)}`;
  }
  const link = linkTo(`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`, "Open the idea", desk);
  const title = `“${quote(proposal?.title ?? "", TITLE_LENGTH)}”`;
  const withText = (text: string | null | undefined) => (text ? `\n${quote(text, length)}` : "") + link;
  if (change.type === "comment.created")
    return `${author(change, comment?.panelistId, names)} commented on ${title}${on}:${withText(comment?.body)}`;
  if (change.type === "proposal.updated") return `New official response to ${title}${on}:${withText(response)}`;
  if (change.type === "proposal.status-changed")
    return `${title}${on} is now ${proposal ? STATUS_WORDS[proposal.status] : ""}${response ? ":" : ""}${withText(response)}`;
  const waits = proposal?.visibility === "pending" ? " (waiting for approval)" : "";
  const who = author(change, proposal?.panelistId, names);
  return `${who} submitted an idea${on}${waits}: ${title}${withText(proposal?.description)}`;
}

type Context = { readonly names: Names; readonly desk: Desk; readonly length: number };

/** The identifier and the time of the first change, so that a message that came twice is known. */
const footer = ({ id, at }: { readonly id: string; readonly at: string }): string =>
  `\`${id}\` ${at.slice(0, 19).replace("T", " ")} UTC`;

/** `told` has at least one change. What does not fit is counted. */
export function renderMessage(told: readonly Told[], { names, desk }: Omit<Context, "length">): string {
  const [first] = told;
  if (first === undefined) throw new Error("a message of nothing");
  const end = footer({ id: first.id, at: first.change.at });
  const length = told.length > 2 ? SHORTER : TEXT_LENGTH;
  const more = (left: number) => (left > 0 ? [`and ${left} more`] : []);
  const said: string[] = [];
  for (const each of told.slice(0, IN_WORDS)) {
    const next = inWords(each, { names, desk, length });
    if ([...said, next, ...more(told.length), end].join("\n\n").length > MAX_LENGTH) break;
    said.push(next);
  }
  return [...said, ...more(told.length - said.length), end].join("\n\n");
}

/** `brand`: the name of the deployment, in the operator's words. */
export const renderTest = (brand: string, { id, at }: { readonly id: string; readonly at: string }): string =>
  `Test message from ${quote(brand, NAME_LENGTH)}: this webhook works.\n\n${footer({ id, at })}`;
