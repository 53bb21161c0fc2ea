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
import { answerWithin, DEADLINE_MS, hedged, isWithin } from "../memory/deadline.ts";
import { Patience } from "./patience.ts";

/** Where the session of an anchor stood, and when it was opened (Unix milliseconds). */
type Anchor = { readonly bookmark: D1SessionBookmark; readonly openedAt: number };

/** Whose answer it is: what it includes, and what later answers include of it. */
export type Reader = { readonly ideaBankId: string; readonly panelistId?: string };

export type ReadOptions<Answer> = {
  /** What the answer includes besides. */
  readonly after?: D1SessionBookmark;
  /** Nobody waits for this read: it may make the next anchor. */
  readonly isAhead?: boolean;
  /** Whether a replica that lags may say so, and the primary is asked instead. */
  readonly isDoubtful?: (answer: Answer) => boolean;
};

/**
 * So many anchors are known, each from this share of `anchorMs` after the one before. With the default of ten seconds a read in
 * steady use asks a replica for what is at least six seconds old: as much as 99 of 100 writes take there.
 */
const ANCHORS = 3;
const APART = 0.9 / ANCHORS;
const NEVER = Number.NEGATIVE_INFINITY;
/** How long a read that makes an anchor waits for the primary alone, in milliseconds. Nobody waits for it. */
const PRIMARY_MS = 1_500;
const MAX_OWN = 10_000;

const laterOf = (left = "", right = ""): D1SessionBookmark => (left > right ? left : right);

const once = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
};

export class Bookmarks {
  /** In milliseconds; 0 reads the primary each time. The application sets it from its settings. */
  anchorMs: number;
  /** The oldest first. */
  #anchors: readonly Anchor[] = [];
  /** When the last read ahead went to the primary (Unix milliseconds). */
  #anchoringSince = NEVER;
  /** The sessions that began at the primary, and when they were opened. */
  readonly #anchored = new WeakMap<D1DatabaseSession, number>();
  /** By idea bank what was written to it, by panelist what was read. What is dropped counts for all. */
  readonly #own = new BoundedMap<D1SessionBookmark>({
    max: MAX_OWN,
    onDrop: (bookmark) => {
      this.#all = laterOf(this.#all, bookmark);
    },
  });
  #all = "";
  readonly #patience = new Patience();

  constructor(anchorMs = 10_000) {
    this.anchorMs = anchorMs;
  }

  /**
   * What `work` reads at a replica; or at the primary, when a replica takes longer than usual (it waits until it has reached the
   * session's bookmark), or is doubted. `work` may run twice, at the same time. Rejects as it does, or with `DeadlineExceeded`,
   * within ten seconds.
   */
  async read<Answer>(
    database: D1Database,
    reader: Reader,
    work: (session: D1DatabaseSession) => Promise<Answer>,
    { after, isAhead = false, isDoubtful = () => false }: ReadOptions<Answer> = {},
  ): Promise<Answer> {
    const ask = async (session: D1DatabaseSession) => {
      const answer = await work(session);
      this.noteAnchor(session);
      return { answer, session };
    };
    const askPrimary = once(() => ask(this.openAtPrimary(database)));
    const now = Date.now();
    const anchor = this.#anchors.find(({ openedAt }) => isWithin(openedAt, now, this.anchorMs))?.bookmark;
    const floor = anchor && this.#floorOf(reader, laterOf(anchor, after));
    const askReplica = once(() => ask(database.withSession(floor)));
    const first = async () => {
      if (floor === undefined) return askPrimary();
      // While the last anchor is young enough, a replica may answer when the primary does not.
      if (isAhead && this.#isAnchorDue(now)) {
        this.#anchoringSince = now;
        return hedged(askPrimary().catch(askReplica), PRIMARY_MS, askReplica);
      }
      const answered = await hedged(askReplica(), this.#patience.milliseconds, askPrimary);
      // A replica that may have had to wait for a write of somebody's says nothing of how far it is.
      if (floor === anchor && !this.#anchored.has(answered.session)) this.#patience.note(Date.now() - now);
      return isDoubtful(answered.answer) ? askPrimary() : answered;
    };
    const { answer, session } = await answerWithin(DEADLINE_MS.without, first());
    if (reader.panelistId !== undefined) this.#raise(reader.panelistId, session);
    return answer;
  }

  /** What `work` gives, once, at the primary. Every later read of the idea bank sees what it has written. */
  async write<Answer>(
    database: D1Database,
    { ideaBankId }: Reader,
    work: (session: D1DatabaseSession) => Promise<Answer>,
  ): Promise<Answer> {
    const session = this.openAtPrimary(database);
    const answer = await work(session);
    this.noteWrite(session, ideaBankId);
    return answer;
  }

  /** A session for reads and writes. Pass it to `noteAnchor` or `noteWrite` when its work is done. */
  openAtPrimary(database: D1Database): D1DatabaseSession {
    const session = database.withSession("first-primary");
    this.#anchored.set(session, Date.now());
    return session;
  }

  /** Reads have succeeded in the session. */
  noteAnchor(session: D1DatabaseSession): void {
    const bookmark = session.getBookmark();
    const openedAt = this.#anchored.get(session);
    if (bookmark === null || openedAt === undefined) return;
    // A clock that has stepped back: what was opened later by it says nothing.
    const known = this.#anchors.filter((anchor) => anchor.openedAt <= Date.now());
    const newest = known.at(-1)?.openedAt ?? NEVER;
    if (openedAt - newest >= APART * this.anchorMs) this.#anchors = [...known, { bookmark, openedAt }].slice(-ANCHORS);
  }

  /** Writes have succeeded in the session: to this idea bank, or to what is of none. */
  noteWrite(session: D1DatabaseSession, ideaBankId: string | undefined): void {
    this.noteAnchor(session);
    if (ideaBankId === undefined) this.#all = laterOf(this.#all, session.getBookmark() ?? "");
    else this.#raise(ideaBankId, session);
  }

  /** What the reader sees at least: the anchor, and what is the reader's own. */
  #floorOf({ ideaBankId, panelistId = "" }: Reader, anchor: D1SessionBookmark): D1SessionBookmark {
    const own = [ideaBankId, panelistId].map((key) => this.#own.get(key));
    return own.reduce<string>(laterOf, laterOf(anchor, this.#all));
  }

  #raise(key: string, session: D1DatabaseSession): void {
    this.#own.set(key, laterOf(this.#own.get(key), session.getBookmark() ?? ""));
  }

  /** One at a time. A request that is cancelled takes its session along, so only time tells that one is under way. */
  #isAnchorDue(now: number): boolean {
    const newest = this.#anchors.at(-1)?.openedAt ?? NEVER;
    return (
      !isWithin(newest, now, APART * this.anchorMs) && !isWithin(this.#anchoringSince, now, DEADLINE_MS.withFallback)
    );
  }
}
