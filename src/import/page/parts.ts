/**
 * Divides ideas into the parts that the server writes in one transaction each. An idea with many votes or comments is in several parts;
 * the first one creates it. The same file gives the same parts.
 */
import { type Idea, noteOf, type Person, peopleOf, toUpsert } from "../ideas.ts";

type SentComment = { readonly author: string | null; readonly body: string; readonly createdAt: string };
export type SentRow = {
  readonly externalId: string;
  readonly idea: ReturnType<typeof toUpsert>;
  readonly author: string | null;
  readonly voters: string[];
  readonly note?: string;
  readonly comments: SentComment[];
};
export type Part = { readonly people: readonly Person[]; readonly rows: readonly SentRow[] };

/** As in `account/import/write-part.ts`. */
const AT_MOST = { rows: 20, people: 100, votes: 100, comments: 100 } as const;
/** The server takes somewhat more than the longest idea with its longest comment. */
const MAX_BYTES = 60_000;

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length + 1;

/** What a part takes at once: an idea, or a vote or a comment of the idea before it. `people`: whom it names. */
type Item = {
  readonly row?: SentRow;
  readonly voter?: string;
  readonly comment?: SentComment;
  readonly people: readonly Person[];
};

class PartInMaking {
  readonly #rows: SentRow[] = [];
  readonly #people = new Map<string, Person>();
  readonly #counts = { rows: 0, votes: 0, comments: 0 };
  #bytes = 0;

  hasRoomFor({ row, voter, comment, people }: Item): boolean {
    const { rows, votes, comments } = this.#counts;
    return (
      rows + Number(row !== undefined) <= AT_MOST.rows &&
      votes + Number(voter !== undefined) <= AT_MOST.votes &&
      comments + Number(comment !== undefined) <= AT_MOST.comments &&
      this.#people.size + people.length <= AT_MOST.people &&
      this.#bytes + bytesOf([row, voter, comment, people]) <= MAX_BYTES
    );
  }

  take({ row, voter, comment, people }: Item): void {
    this.#bytes += bytesOf([row, voter, comment, people]);
    for (const person of people) this.#people.set(person.externalId, person);
    if (row !== undefined) this.#rows.push(row);
    if (voter !== undefined) this.#rows.at(-1)?.voters.push(voter);
    if (comment !== undefined) this.#rows.at(-1)?.comments.push(comment);
    this.#counts.rows = this.#rows.length;
    this.#counts.votes += Number(voter !== undefined);
    this.#counts.comments += Number(comment !== undefined);
  }

  get done(): Part {
    return { people: [...this.#people.values()], rows: this.#rows };
  }
}

export function partsOf(ideas: readonly Idea[]): readonly Part[] {
  // With the name that somebody has anywhere in the file.
  const people = new Map(peopleOf(ideas).map((person) => [person.externalId, person]));
  const named = (person: Person | undefined) => [people.get(person?.externalId ?? "") ?? []].flat();
  const parts: PartInMaking[] = [];
  let part: PartInMaking | undefined;
  const begin = (): PartInMaking => {
    const made = new PartInMaking();
    parts.push(made);
    return made;
  };
  for (const idea of ideas) {
    const { externalId, author, voters, comments } = idea;
    const note = noteOf(idea);
    const rowOf = (): Item => ({
      row: {
        ...{ externalId, idea: toUpsert(idea), author: author?.externalId ?? null, voters: [], comments: [] },
        ...(note !== null && { note }),
      },
      people: named(author),
    });
    const items: readonly Item[] = [
      ...voters.map((voter) => ({ voter: voter.externalId, people: named(voter) })),
      ...comments.map(({ author: by, body, createdAt }) => ({
        comment: { author: by?.externalId ?? null, body, createdAt },
        people: named(by),
      })),
    ];
    const row = rowOf();
    if (!part?.hasRoomFor(row)) part = begin();
    part.take(row);
    for (const item of items) {
      if (!part.hasRoomFor(item)) {
        part = begin();
        part.take(rowOf());
      }
      part.take(item);
    }
  }
  return parts.map(({ done }) => done);
}
