/** Boards, ideas and people in words, for the team. */
import type { IdeaBankStatus } from "../../model/idea-bank.ts";
import type { Panelist } from "../../model/panelist.ts";
import type { Visibility } from "../../model/proposal.ts";
import { STATUS_WORDS } from "../../model/status-words.ts";

/** The statuses of a board: name and effect. */
export const BANK_STATUSES: Record<IdeaBankStatus, readonly [name: string, effect: string]> = {
  DRAFT: ["Draft", "Only your team can see it."],
  OPEN: ["Open", "People can use it, within the settings below."],
  CLOSED: ["Closed", "People see nothing, not even the changelog. Ideas are kept."],
};

/** What people can use on a board: name, and effect while it is on. */
export const BANK_USES = {
  submissionsEnabled: ["New ideas", "People can submit ideas."],
  votingEnabled: ["Votes", "People can vote and take votes back."],
  commentsEnabled: ["Comments", "People can comment."],
  surveysEnabled: ["Surveys", "People can answer this board’s surveys, also while it’s internal."],
} as const;

/** Who sees what on a board: name, and effect while it is on. */
export const BANK_LIMITS = {
  approvalRequired: ["Approval", "New and edited ideas stay hidden from others until you approve them."],
  commentApprovalRequired: [
    "Approval of comments",
    "New and edited comments stay hidden from others until you approve them.",
  ],
  internal: ["Internal", "People can’t see ideas, votes or comments. Only the changelog is public."],
} as const;

export const BANK_SWITCHES = { ...BANK_USES, ...BANK_LIMITS };

export const CHANGELOG_SWITCH = ["Changelog", "People can see what you shipped."] as const;

/** Of a board, and of the account for all its boards. */
export const PEOPLE_TOLD = [
  "Tell people by email when something is decided about their ideas",
  "Whoever suggested an idea, voted for it, commented on it or follows it, and whose address is known.",
] as const;

export const IDEA_STATUSES = STATUS_WORDS;

/** The visibilities of an idea: name, and the people who see it. */
export const IDEA_VISIBILITIES: Record<Visibility, readonly [name: string, effect: string]> = {
  public: ["Public", "Everyone can see it."],
  pending: ["Waiting for approval", "Only its author and your team can see it."],
  hidden: ["Hidden", "Only your team sees hidden ideas."],
};

/** An account is known by its creator's address, and without its creator by its id. */
export const accountInWords = (name: string): string => (name.includes("@") ? name : `account ${name}`);

/** "1 vote", "2 votes". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "1 entry", "2 entries". */
export const entries = (count: number): string => `${count} ${count === 1 ? "entry" : "entries"}`;

/** "1 person", "1,234 people". */
export const people = (count: number): string => (count === 1 ? "1 person" : `${number(count)} people`);

/** "1,000". */
export const number = (value: number): string => value.toLocaleString("en");

const WINDOWS: Readonly<Record<number, string>> = { 1: "second", 60: "minute", 3600: "hour" };

/** "600 requests per minute". */
export const rateInWords = (limit: number, windowSeconds: number): string =>
  `${number(limit)} ${limit === 1 ? "request" : "requests"} per ${WINDOWS[windowSeconds] ?? `${number(windowSeconds)} seconds`}`;

export const nameOf = ({ displayName, externalId, id }: Panelist): string => displayName ?? externalId ?? id;
