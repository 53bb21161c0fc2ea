/** The content of another service's file in the terms of the tenant API, and the parts of it that have no counterpart here. */
import type { ProposalStatus, Visibility } from "../worker/model/proposal.ts";
import { Tag } from "../worker/model/tag.ts";
import { Name, Title, withoutInvisible } from "../worker/model/text.ts";
import type { Encoding } from "./encoding.ts";

/** `externalId` is the tenant's own id for the person, as far as the file has one. */
export type Person = { readonly externalId: string; readonly displayName: string | null };

/** The author of a comment that has lost its own. `service` is the one that the file is from. */
export const somebody = (service: string): Person => ({ externalId: `${service}:somebody`, displayName: "Somebody" });

/** Without an author it is the team's. */
export type ImportedComment = {
  readonly author: Person | undefined;
  readonly body: string;
  readonly createdAt: string;
};

export type Idea = {
  /** Where it stands in the file, in words: "line 12". */
  readonly place: string;
  readonly externalId: string;
  readonly title: string;
  readonly description: string;
  readonly status: ProposalStatus;
  /** For a new idea only. Afterwards its visibility is the tenant's decision. */
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: string | undefined;
  readonly author: Person | undefined;
  readonly response: string | undefined;
  readonly voters: readonly Person[];
  /** Votes that the file only counts, without their voters. */
  readonly countedVotes: number;
  readonly comments: readonly ImportedComment[];
  /** The external id of the idea that this one repeats. */
  readonly duplicateOf: string | undefined;
};

/** The person's options about the file. */
export type Terms = {
  /** By the name of a status, as `statusName` returns it. */
  readonly statuses?: ReadonlyMap<string, ProposalStatus>;
  /** The file's names of columns, by ours. Empty: the column is not imported. */
  readonly columns?: ReadonlyMap<string, string>;
  readonly encoding?: Encoding;
};

/** A status of the file, and what it becomes. */
export type FoundStatus = { readonly name: string; readonly status: ProposalStatus; readonly isKnown: boolean };

/** `faulty`: what gives no idea or no comment, each by its place and why. `rows`: how many ideas the file has with those. */
export type Import = {
  readonly ideas: readonly Idea[];
  readonly lost: Lost;
  readonly faulty: readonly string[];
  readonly statuses: readonly FoundStatus[];
  readonly rows: number;
};

/** What has no place among the votes: who they are from is not in the file. Null where all voters are. */
export const noteOf = ({ countedVotes, metadata: { source } }: Idea): string | null => {
  if (countedVotes === 0) return null;
  const place = { canny: "Canny", fider: "Fider" }[source ?? ""] ?? "the imported file";
  return `${countedVotes} ${countedVotes === 1 ? "vote" : "votes"} in ${place}`;
};

/** The body for a new idea, without its author. */
export const toUpsert = ({ title, description, status, visibility, tags, metadata, createdAt, response }: Idea) => ({
  ...{ title, description, status, visibility, tags: [...tags], metadata },
  ...(createdAt !== undefined && { createdAt }),
  ...(response !== undefined && { response: { text: response } }),
});

/** Everybody in them, once, with the first name that is given. */
export function peopleOf(ideas: readonly Idea[]): readonly Person[] {
  const people = new Map<string, Person>();
  for (const { author, voters, comments } of ideas)
    for (const person of [author, ...voters, ...comments.map((each) => each.author)].filter(
      (each) => each !== undefined,
    ))
      if ((people.get(person.externalId)?.displayName ?? null) === null) people.set(person.externalId, person);
  return [...people.values()];
}

/**
 * Reads each item. One that is not as the service gives it is a fault by its name, and no reason to refuse the others. `required`: the
 * members that each must have.
 */
export function readEach<Item extends object, Read>(
  items: readonly Item[],
  {
    nameOf,
    required,
    faulty,
  }: {
    readonly nameOf: (item: Partial<Item>, index: number) => string;
    readonly required: readonly (keyof Item & string)[];
    readonly faulty: string[];
  },
  read: (item: Item) => readonly Read[],
): Read[] {
  return items.flatMap((item: Item | null, index) => {
    const given: Partial<Item> = typeof item === "object" && item !== null ? item : {};
    const missing = required.filter((name) => given[name] === undefined || given[name] === null);
    try {
      if (item !== null && missing.length === 0) return read(item);
      faulty.push(`${nameOf(given, index)}: it has no ${missing.join(", no ")}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      faulty.push(`${nameOf(given, index)}: it is not as the service gives it`);
    }
    return [];
  });
}

export const COMMENT_OF_TEAM = "comment of an administrator: imported as the team's";

/** Counts the parts that are not imported, with the reasons. */
export class Lost {
  /** Votes that the file only counts, without their voters. */
  votes = 0;
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  lines = (): string[] => [...this.#counts].map(([what, count]) => `  ${count} × ${what}`);
}

/**
 * One line as the API accepts it: spaces for control characters, without invisible characters. If it was shortened, `lost` counts
 * it.
 */
function toLine(
  text: string,
  { length, what, lost }: { readonly length: number; readonly what: string; readonly lost: Lost },
): string {
  const spaced = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .toWellFormed()
    .trim();
  const line = withoutInvisible(spaced).trim();
  if (line !== spaced) lost.add(`invisible characters of a ${what}: left out`);
  return withoutInvisible(cut(line, { length, what, lost }));
}

/** The first `length` characters. What is cut is told. */
function cut(
  text: string,
  { length, what, lost }: { readonly length: number; readonly what: string; readonly lost: Lost },
): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  lost.add(`${what} of more than ${length} characters: cut`);
  return characters.slice(0, length).join("").trim();
}

export function toTitle(text: string, lost: Lost): string {
  const title = toLine(text, { length: 200, what: "title", lost });
  if (Title.safeParse(title).success) return title;
  lost.add("idea without a title: imported as “Untitled”");
  return "Untitled";
}

export function toName(text: string | null | undefined, lost: Lost): string | null {
  const name = toLine(text ?? "", { length: 100, what: "name", lost });
  return Name.safeParse(name).success ? name : null;
}

export function toProse(text: string, what: string, lost: Lost): string {
  const prose = text.replaceAll(/[^\P{Cc}\n\r\t]/gu, "").toWellFormed();
  if (prose !== text) lost.add(`control characters of a ${what}: left out`);
  return cut(prose.trim(), { length: 10_000, what, lost });
}

/**
 * Addresses are one whatever their capitals. Other ids are the tenant's own, in which capitals may count. The Kelvin sign stays, and the
 * API refuses it: the address with it is another person's.
 */
export const toPersonId = (id: string): string =>
  id.includes("@") ? id.replace(/[^\u212a]+/g, (part) => part.toLowerCase()) : id;

/** Each person once. */
export const unique = (people: readonly Person[]): Person[] => [
  ...new Map(people.map((person) => [person.externalId, person])).values(),
];

export function toTags(names: readonly string[], lost: Lost): string[] {
  const lines = names.map((name) => toLine(name, { length: 32, what: "tag", lost }).normalize("NFC"));
  const different = [...Map.groupBy(lines, (line) => line.toLowerCase()).values()].flatMap(([first]) => first ?? []);
  const tags = different.filter((tag) => Tag.safeParse(tag).success);
  lost.add("tag beyond the fifth of an idea", tags.length - 5);
  return tags.slice(0, 5);
}
