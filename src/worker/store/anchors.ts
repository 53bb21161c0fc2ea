/**
 * How far back an isolate's reads of one D1 database may see. How far a replica lags has no bound. So a session begins at the
 * primary now and then, and its bookmark is an anchor. A read sees at least the oldest anchor that is younger than `anchorMs`, so
 * nothing that was written `anchorMs` before it is missing; and replicas have had the time to come so far. Without such an anchor
 * the read itself makes one. Bookmarks sort as text: the greater is the later.
 */
import { DEADLINE_MS, isWithin } from "./deadline.ts";

/** Where the session of an anchor stood, and when it was opened (Unix milliseconds). */
type Anchor = { readonly bookmark: D1SessionBookmark; readonly openedAt: number };

/**
 * An isolate knows at most three anchors, evenly spaced over `anchorMs`. With the default of six seconds, a read in steady use asks a
 * replica for what is at least 3.6 seconds old.
 */
const ANCHORS = 3;
const APART = 0.9 / ANCHORS;
/** Before every time. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

export const laterOf = (left = "", right = ""): D1SessionBookmark => (left > right ? left : right);

export class Anchors {
  /** In milliseconds; 0 reads the primary each time. */
  readonly anchorMs: number;
  /** The oldest first. */
  #anchors: readonly Anchor[] = [];
  /** When the last read ahead went to the primary (Unix milliseconds). */
  #anchoringSince = LONG_AGO;

  constructor(anchorMs: number) {
    this.anchorMs = anchorMs;
  }

  /** Every read sees at least this bookmark; undefined when no anchor is young enough. */
  at(now: number): D1SessionBookmark | undefined {
    return this.#anchors.find(({ openedAt }) => isWithin(openedAt, now, this.anchorMs))?.bookmark;
  }

  /**
   * Whether the next anchor is due, and nobody makes it: then the caller does. A request that is cancelled takes its session along,
   * so only time tells that one is under way.
   */
  begin(now: number): boolean {
    const newest = this.#anchors.at(-1)?.openedAt ?? LONG_AGO;
    if (isWithin(newest, now, APART * this.anchorMs)) return false;
    if (isWithin(this.#anchoringSince, now, DEADLINE_MS.withFallback)) return false;
    this.#anchoringSince = now;
    return true;
  }

  /** `bookmark` is of a session that was opened at the primary at `openedAt` (Unix milliseconds), after an answer. */
  note(bookmark: D1SessionBookmark, openedAt: number): void {
    // A clock that has stepped back: what was opened later by it says nothing.
    const known = this.#anchors.filter((anchor) => anchor.openedAt <= Date.now());
    const newest = known.at(-1)?.openedAt ?? LONG_AGO;
    if (openedAt - newest >= APART * this.anchorMs) this.#anchors = [...known, { bookmark, openedAt }].slice(-ANCHORS);
  }
}
