/** What a file of another service holds, in the terms of the tenant API; and what of it has no counterpart here. */
import type { ProposalStatus, Visibility } from "../../worker/model/proposal.ts";

/** `externalId` is the tenant's own id for the person, as far as the file has one. */
export type Person = { readonly externalId: string; readonly displayName: string | null };

export type ImportedComment = { readonly author: Person; readonly body: string; readonly createdAt: string };

export type Idea = {
  readonly externalId: string;
  readonly title: string;
  readonly description: string;
  readonly status: ProposalStatus;
  /** Of a new one. Once it is there, its visibility is the tenant's. */
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: string | undefined;
  readonly author: Person | undefined;
  readonly response: string | undefined;
  readonly voters: readonly Person[];
  readonly comments: readonly ImportedComment[];
  /** The external id of the idea that this one repeats. */
  readonly duplicateOf: string | undefined;
};

/** `faulty`: rows that give no idea, and why. */
export type Import = { readonly ideas: readonly Idea[]; readonly lost: Lost; readonly faulty: readonly string[] };

/** What the tenant API is sent for a new idea, but for its author. */
export const toUpsert = ({ title, description, status, visibility, tags, metadata, createdAt, response }: Idea) => ({
  ...{ title, description, status, visibility, tags, metadata, createdAt },
  ...(response !== undefined && { response: { text: response } }),
});

/** Everybody in them, once, with the first name that is given. */
export function peopleOf(ideas: readonly Idea[]): readonly Person[] {
  const people = new Map<string, Person>();
  for (const { author, voters, comments } of ideas)
    for (const person of [...(author ? [author] : []), ...voters, ...comments.map((each) => each.author)])
      if ((people.get(person.externalId)?.displayName ?? null) === null) people.set(person.externalId, person);
  return [...people.values()];
}

/** Counts what is not imported, and why. */
export class Lost {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  lines = (): string[] => [...this.#counts].map(([what, count]) => `  ${count} × ${what}`);
}

const STATUSES: Readonly<Record<string, ProposalStatus>> = {
  open: "submitted",
  submitted: "submitted",
  "under review": "under-review",
  planned: "planned",
  started: "in-progress",
  "in progress": "in-progress",
  complete: "implemented",
  completed: "implemented",
  implemented: "implemented",
  closed: "declined",
  declined: "declined",
};

export function toStatus(name: string, lost: Lost): ProposalStatus {
  const status = STATUSES[name.trim().toLowerCase().replaceAll("-", " ")];
  if (status === undefined && name.trim() !== "") lost.add(`status “${name}”: imported as submitted`);
  return status ?? "submitted";
}

/** One line without what the API refuses: control characters, and what no screen shows. */
const toLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\p{DI}\p{NChar}\ufff9-\ufffb]/gu, "")
    .toWellFormed()
    .trim();

/** The first `length` characters. What is cut is told. */
function cut(text: string, length: number, what: string, lost: Lost): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  lost.add(`${what} of more than ${length} characters: cut`);
  return characters.slice(0, length).join("").trim();
}

export function toTitle(text: string, lost: Lost): string {
  const title = cut(toLine(text), 200, "title", lost);
  if (title === "") lost.add("idea without a title: imported as “Untitled”");
  return title || "Untitled";
}

export const toName = (text: string | null | undefined, lost: Lost): string | null =>
  cut(toLine(text ?? ""), 100, "name", lost) || null;

export const toProse = (text: string, what: string, lost: Lost): string =>
  cut(
    text
      .replaceAll(/[^\P{Cc}\n\r\t]/gu, "")
      .toWellFormed()
      .trim(),
    10_000,
    what,
    lost,
  );

export function toTags(names: readonly string[], lost: Lost): string[] {
  const tags = [...new Set(names.map((name) => cut(toLine(name), 32, "tag", lost).normalize("NFC")).filter(Boolean))];
  lost.add("tag beyond the fifth of an idea", tags.length - 5);
  return tags.slice(0, 5);
}

/** ISO 8601 in UTC; undefined for no time that there was. */
export function toTime(text: string | null | undefined, now: number): string | undefined {
  const time = Date.parse(text ?? "");
  return time >= 0 && time <= now ? new Date(time).toISOString() : undefined;
}
