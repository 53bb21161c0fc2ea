/**
 * What an isolate knows of the pages of boards: lists, ideas, surveys, as a stranger may see them. It is kept and renewed as the changelog
 * is (store/kept.ts), so a page of a board that is in use asks no store, and an outage of D1 is not seen for five minutes.
 *
 * Memory is bounded in bytes, and no account takes more than its share.
 */
import { BoundedMap } from "../memory/bounded-map.ts";
import { laterOf } from "../store/anchors.ts";
import type { Database } from "../store/databases.ts";
import type { WaitUntil } from "../store/deadline.ts";
import { Kept, OUTAGE_MS, type Terms } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import type { Session } from "../store/session.ts";

const MIB = 1024 * 1024;
const MEMORY_BYTES = { contents: 24 * MIB, share: 4 * MIB } as const;
/** The strings and objects of an entry, beside its texts. A text takes two bytes a character at most, and is kept rendered, too. */
const ENTRY_BYTES = 2_048;
const BYTES_PER_CHARACTER = 6;
/** Content that is this old, in milliseconds, is read again after an answer. */
const RENEW_MS = 1_000;
/** For so long after a write without a bookmark the primary is asked, in milliseconds. */
const PRIMARY_MS = 60_000;

/** `since` is when its read began, in Unix milliseconds. */
type Content = {
  readonly value: object | null;
  readonly characters: number;
  readonly bookmark: D1SessionBookmark;
  readonly since: number;
};
type Entry = { readonly accountId: string; readonly kept: Kept<Content> };

/**
 * `floor`: the bookmark that the content includes at least; `writtenAt`: so does a write at that time (Unix milliseconds), which has none. `admitRead` rejects when the sender has asked D1
 * too often.
 */
export type ContentTerms = {
  readonly database: Database;
  readonly freshMs: number;
  readonly floor: D1SessionBookmark;
  readonly writtenAt: number;
  readonly admitRead: () => Promise<void>;
  readonly waitUntil: WaitUntil;
};

/**
 * `name` tells contents of a board apart; `load` is one round trip. `isFirst`: every visit begins with it, so it is renewed after an answer
 * and nobody waits. Of everything else there can be as much as somebody asks for, so each of its reads is counted.
 */
type Question<Value extends object | null> = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly name: string;
  readonly isFirst: boolean;
  readonly load: (session: Session) => Promise<Value>;
};

export class PageContents {
  readonly #entries = new BoundedMap<Entry>({
    max: MEMORY_BYTES.contents,
    weigh: ({ kept }) => ENTRY_BYTES + BYTES_PER_CHARACTER * (kept.last?.value.characters ?? 0),
    share: { max: MEMORY_BYTES.share, ownerOf: ({ accountId }) => accountId },
  });

  /** The content, from memory where it may be. Rejects as D1 does when it does not answer and nothing usable is known. */
  async get<Value extends object | null>(
    { accountId, ideaBankId, name, isFirst, load }: Question<Value>,
    { database, freshMs, floor, writtenAt, admitRead, waitUntil }: ContentTerms,
  ): Promise<Value> {
    const key = `${ideaBankId} ${name}`;
    const entry = this.#entries.get(key) ?? { accountId, kept: this.#kept(database) };
    const terms: Terms<Content> = {
      load: async (isBackground) => {
        const since = Date.now();
        // A replica may not have it yet.
        const atPrimary = since - writtenAt < PRIMARY_MS;
        const read = async (session: Session) => {
          const value = await load(session);
          return { value, characters: JSON.stringify(value).length, bookmark: session.bookmark ?? "", since };
        };
        const loaded = await database.withoutBudget().read(read, { floor, atPrimary, isBackground });
        // Weighed anew: it may have grown.
        this.#entries.set(key, entry);
        return loaded;
      },
      accepts: ({ bookmark, since }) => laterOf(bookmark, floor) === bookmark && since >= writtenAt,
      freshMs,
      ...(isFirst && { renewMs: RENEW_MS }),
      withinMs: database.within(Number.POSITIVE_INFINITY),
      waitUntil,
    };
    const young = entry.kept.young(terms);
    if (young !== undefined) return young.value as Value;
    await admitRead();
    const content = await entry.kept.get(terms);
    this.#entries.set(key, entry);
    return content.value as Value;
  }

  #kept(database: Database): Kept<Content> {
    return new Kept<Content>({
      now: () => Date.now(),
      isOutage: isDatabaseOutage,
      compare: (next, kept) => Number(next.bookmark > kept.bookmark) - Number(next.bookmark < kept.bookmark),
      lastsMs: OUTAGE_MS - database.anchorMs,
      onOutage: (error, since) => database.noteOutage("D1 does not answer for a board's page", error, since),
    });
  }
}
