/**
 * Which database holds what an identifier names, whether its primary or a replica is asked, and how far that must be.
 * An isolate has one `Databases`: it remembers, for each binding, how far its reads must see and how long its replicas take.
 */
import { databaseDigit } from "../credentials/id.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { answerWithin, DEADLINE_MS, hedged } from "../memory/deadline.ts";
import { Bookmarks, laterOf, type Reader } from "./bookmarks.ts";
import { type Bindings, chooseDatabase } from "./choose-database.ts";
import { Patience } from "./patience.ts";

export type ReadOptions<Answer> = {
  /** What the answer includes besides. */
  readonly after?: D1SessionBookmark;
  /** Nobody waits for this read: it may make the next anchor. */
  readonly isAhead?: boolean;
  /** The answer may be large. What it takes says nothing of other idea banks' reads. */
  readonly isLarge?: boolean;
  /** Whether a replica that lags could have given this answer, so that the primary has to confirm it. */
  readonly needsPrimary?: (answer: Answer) => boolean;
};

type Work<Answer> = (session: D1DatabaseSession) => Promise<Answer>;
type Answered<Answer> = { readonly answer: Answer; readonly session: D1DatabaseSession; readonly isPrimary: boolean };

/** How long a read that begins at the primary waits for it alone, in milliseconds. */
const PRIMARY_MS = 1_500;
/** Idea banks whose large reads are remembered. */
const MAX_LARGE = 1_000;

/** What an isolate remembers of one database. */
class Memory {
  readonly bookmarks = new Bookmarks();
  readonly #patience = new Patience();
  readonly #large = new BoundedMap<Patience>({ max: MAX_LARGE });

  /** That of small reads is shared; that of large ones belongs to their idea bank. */
  patienceOf(ideaBankId: string, isLarge: boolean): Patience {
    if (!isLarge) return this.#patience;
    const patience = this.#large.get(ideaBankId) ?? new Patience();
    this.#large.set(ideaBankId, patience);
    return patience;
  }
}

export class Databases {
  /** How old an anchor may be (bookmarks.ts), in milliseconds. The application sets it from its settings. */
  anchorMs = 10_000;
  readonly #memories = new Map<string, Memory>();

  /** The database that holds what `id` names; undefined when no binding has its digit: then nothing has this identifier. */
  of(env: Bindings, id: string): Database | undefined {
    const binding = chooseDatabase(env, id);
    if (binding === undefined) return undefined;
    const digit = databaseDigit(id);
    const memory = this.#memories.get(digit) ?? new Memory();
    memory.bookmarks.anchorMs = this.anchorMs;
    this.#memories.set(digit, memory);
    return new Database(binding, memory);
  }
}

const once = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
};

/** One database as a request uses it. It opens no session before it is used. */
export class Database {
  /** The binding itself, guarded, for what needs neither a session nor the isolate's memory. */
  readonly binding: D1Database;
  readonly #memory: Memory;

  constructor(binding: D1Database, memory: Memory) {
    this.binding = binding;
    this.#memory = memory;
  }

  /**
   * What `work` reads at a replica; or at the primary, when a replica takes longer than usual (it waits until it has reached the
   * session's bookmark), or has to be confirmed. `work` may run twice, at the same time. Rejects as it does, or with
   * `DeadlineExceeded`, within ten seconds.
   */
  async read<Answer>(reader: Reader, work: Work<Answer>, options: ReadOptions<Answer> = {}): Promise<Answer> {
    const { answer, session } = await answerWithin(DEADLINE_MS.without, this.#ask(reader, work, options));
    if (reader.panelistId !== undefined) this.#memory.bookmarks.noteOwn(reader.panelistId, session);
    return answer;
  }

  /** What `work` gives, once, at the primary. Every later read of the idea bank sees what it has written. */
  async write<Answer>({ ideaBankId }: Reader, work: Work<Answer>): Promise<Answer> {
    const primary = this.atPrimary();
    const answer = await work(primary.session);
    primary.noteWrite(ideaBankId);
    return answer;
  }

  atPrimary(): PrimarySession {
    return new PrimarySession(this.binding, this.#memory.bookmarks);
  }

  async #ask<Answer>(
    reader: Reader,
    work: Work<Answer>,
    { after, isAhead = false, isLarge = false, needsPrimary = () => false }: ReadOptions<Answer>,
  ): Promise<Answered<Answer>> {
    const { bookmarks } = this.#memory;
    const askPrimary = once(async () => {
      const primary = this.atPrimary();
      const answer = await work(primary.session);
      primary.noteRead();
      return { answer, session: primary.session, isPrimary: true };
    });
    const now = Date.now();
    const anchor = bookmarks.anchorAt(now);
    if (anchor === undefined) return askPrimary();
    const floor = bookmarks.floorOf(reader, laterOf(anchor, after));
    const askReplica = once(async () => {
      const session = this.binding.withSession(floor);
      return { answer: await work(session), session, isPrimary: false };
    });
    const patience = this.#memory.patienceOf(reader.ideaBankId, isLarge);
    const first = async () => {
      // While the last anchor is young enough, a replica may answer when the primary does not.
      if ((isAhead && bookmarks.beginAnchor(now)) || patience.isLosing(now))
        return hedged(askPrimary().catch(askReplica), PRIMARY_MS, askReplica);
      const answered = await hedged(askReplica(), patience.milliseconds, askPrimary);
      // A replica that may have had to wait for a write of somebody's says nothing of how far it is.
      if (floor === anchor) patience.note(answered.isPrimary ? "lost" : Date.now() - now, Date.now());
      return answered;
    };
    const answered = await first();
    return answered.isPrimary || !needsPrimary(answered.answer) ? answered : askPrimary();
  }
}

/** The work of one request at the primary. The session is opened when it is first used. */
export class PrimarySession {
  readonly #binding: D1Database;
  readonly #bookmarks: Bookmarks;
  #opened: { readonly session: D1DatabaseSession; readonly openedAt: number } | undefined;

  constructor(binding: D1Database, bookmarks: Bookmarks) {
    this.#binding = binding;
    this.#bookmarks = bookmarks;
  }

  get session(): D1DatabaseSession {
    this.#opened ??= { openedAt: Date.now(), session: this.#binding.withSession("first-primary") };
    return this.#opened.session;
  }

  /** Reads have succeeded in the session, if it was opened: it may be an anchor. */
  noteRead(): void {
    if (this.#opened !== undefined) this.#bookmarks.noteAnchor(this.#opened.session, this.#opened.openedAt);
  }

  /** Writes have succeeded: to this idea bank, or to what is of none. */
  noteWrite(ideaBankId: string | undefined): void {
    this.noteRead();
    if (this.#opened !== undefined) this.#bookmarks.noteOwn(ideaBankId, this.#opened.session);
  }
}
