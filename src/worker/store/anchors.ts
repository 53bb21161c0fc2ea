/**
 * Anchors bound the age of an isolate's reads of one D1 database, because a replica may lag by any time. Now and then a session
 * begins at the primary; its bookmark is an anchor. Every read includes at least the oldest anchor that is younger than
 * `anchorMs`. So a read misses nothing that was written more than `anchorMs` before it, and replicas have had time to reach that
 * bookmark. If no anchor is young enough, the read itself goes to the primary and makes one. Bookmarks sort as text: the greater
 * one is the later one.
 */
import { DEADLINE_MS, isWithin } from "./deadline.ts";

/** `bookmark` is the position of an anchor's session; `openedAt` is when it was opened, in Unix milliseconds. */
type Anchor = { readonly bookmark: D1SessionBookmark; readonly openedAt: number };

/**
 * An isolate keeps at most three anchors, evenly spaced over `anchorMs`. With the default of six seconds, a read in steady use
 * asks a replica for a state that is at least 3.6 seconds old.
 */
const ANCHORS = 3;
const APART = 0.9 / ANCHORS;
/** Earlier than every time. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

export const laterOf = (left = "", right = ""): D1SessionBookmark => (left > right ? left : right);

export class Anchors {
  /** In milliseconds; 0 reads the primary each time. */
  readonly anchorMs: number;
  /** Sorted, the oldest first. */
  #anchors: readonly Anchor[] = [];
  /** When the last read ahead went to the primary (Unix milliseconds). */
  #anchoringSince = LONG_AGO;

  constructor(anchorMs: number) {
    this.anchorMs = anchorMs;
  }

  /** The bookmark that every read includes at least; undefined when no anchor is young enough. */
  at(now: number): D1SessionBookmark | undefined {
    return this.#anchors.find(({ openedAt }) => isWithin(openedAt, now, this.anchorMs))?.bookmark;
  }

  /**
   * Whether the caller has to make the next anchor: it is due, and no other request makes it. A cancelled request takes its
   * session along unseen, so a time, not a flag, says that one is under way.
   */
  begin(now: number): boolean {
    const newest = this.#anchors.at(-1)?.openedAt ?? LONG_AGO;
    if (isWithin(newest, now, APART * this.anchorMs)) return false;
    if (isWithin(this.#anchoringSince, now, DEADLINE_MS.withFallback)) return false;
    this.#anchoringSince = now;
    return true;
  }

  /** Call it after an answer, with the bookmark of a session that was opened at the primary at `openedAt` (Unix milliseconds). */
  note(bookmark: D1SessionBookmark, openedAt: number): void {
    // If the clock has stepped back, anchors from the future are dropped.
    const known = this.#anchors.filter((anchor) => anchor.openedAt <= Date.now());
    const newest = known.at(-1)?.openedAt ?? LONG_AGO;
    if (openedAt - newest >= APART * this.anchorMs) this.#anchors = [...known, { bookmark, openedAt }].slice(-ANCHORS);
  }
}
