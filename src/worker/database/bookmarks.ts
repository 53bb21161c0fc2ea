/**
 * How far back this isolate's reads of one D1 database may see. Bookmarks sort as text: the greater is the later.
 *
 * - Anchors: how far a replica lags has no bound. So a session begins at the primary now and then, and its bookmark is an anchor.
 *   A read sees at least the oldest anchor that is younger than `anchorMs`, so nothing that was written `anchorMs` before it is
 *   missing; and replicas have had the time to come so far. Without such an anchor the read itself makes one.
 * - Own: a read of an idea bank sees what was written through this isolate to it, or to no single idea bank, and what its panelist
 *   has read before. They are kept apart, so that no idea bank's readers wait at a replica for another's writes.
 */
import { BoundedMap } from "../memory/bounded-map.ts";
import { DEADLINE_MS, isWithin } from "../memory/deadline.ts";

/** Where the session of an anchor stood, and when it was opened (Unix milliseconds). */
type Anchor = { readonly bookmark: D1SessionBookmark; readonly openedAt: number };

/** Whose answer it is: what it includes, and what later answers include of it. */
export type Reader = { readonly ideaBankId: string; readonly panelistId?: string };

/**
 * An isolate knows at most three anchors, evenly spaced over `anchorMs`. With the default of ten seconds, a read in steady use
 * asks a replica for what is at least six seconds old. 99 of 100 writes reach a replica within that time.
 */
const ANCHORS = 3;
const APART = 0.9 / ANCHORS;
/** Before every time. */
const LONG_AGO = Number.NEGATIVE_INFINITY;
const MAX_OWN = 10_000;

export const laterOf = (left = "", right = ""): D1SessionBookmark => (left > right ? left : right);

export class Bookmarks {
  /** In milliseconds; 0 reads the primary each time. */
  anchorMs = 10_000;
  /** The oldest first. */
  #anchors: readonly Anchor[] = [];
  /** When the last read ahead went to the primary (Unix milliseconds). */
  #anchoringSince = LONG_AGO;
  /** By idea bank what was written to it, by panelist what was read. What is dropped counts for all. */
  readonly #own = new BoundedMap<D1SessionBookmark>({
    max: MAX_OWN,
    onDrop: (bookmark) => {
      this.#all = laterOf(this.#all, bookmark);
    },
  });
  #all = "";

  /** What every read sees at least; undefined when no anchor is young enough. */
  anchorAt(now: number): D1SessionBookmark | undefined {
    return this.#anchors.find(({ openedAt }) => isWithin(openedAt, now, this.anchorMs))?.bookmark;
  }

  /** What the reader sees at least: the anchor, and what is the reader's own. */
  floorOf({ ideaBankId, panelistId = "" }: Reader, anchor: D1SessionBookmark): D1SessionBookmark {
    const own = [ideaBankId, panelistId].map((key) => this.#own.get(key));
    return own.reduce<string>(laterOf, laterOf(anchor, this.#all));
  }

  /**
   * Whether the next anchor is due, and nobody makes it: then the caller does. A request that is cancelled takes its session along,
   * so only time tells that one is under way.
   */
  beginAnchor(now: number): boolean {
    const newest = this.#anchors.at(-1)?.openedAt ?? LONG_AGO;
    if (isWithin(newest, now, APART * this.anchorMs)) return false;
    if (isWithin(this.#anchoringSince, now, DEADLINE_MS.withFallback)) return false;
    this.#anchoringSince = now;
    return true;
  }

  /** Something has succeeded in a session that was opened at the primary at `openedAt`. */
  noteAnchor(session: D1DatabaseSession, openedAt: number): void {
    const bookmark = session.getBookmark();
    if (bookmark === null) return;
    // A clock that has stepped back: what was opened later by it says nothing.
    const known = this.#anchors.filter((anchor) => anchor.openedAt <= Date.now());
    const newest = known.at(-1)?.openedAt ?? LONG_AGO;
    if (openedAt - newest >= APART * this.anchorMs) this.#anchors = [...known, { bookmark, openedAt }].slice(-ANCHORS);
  }

  /** Later reads see what the session has seen: those of this idea bank or panelist, or all. */
  noteOwn(key: string | undefined, session: D1DatabaseSession): void {
    const seen = session.getBookmark() ?? "";
    if (key === undefined) this.#all = laterOf(this.#all, seen);
    else this.#own.set(key, laterOf(this.#own.get(key), seen));
  }
}
