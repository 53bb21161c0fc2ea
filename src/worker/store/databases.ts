/**
 * Which database holds what an identifier names, whether its primary or a replica is asked, and how far that must be.
 * An isolate has one `Databases`. For each binding it remembers how far its reads must see, and whether its parts answer.
 */
import { databaseDigit } from "../credentials/id.ts";
import { readAnchorMs } from "../settings.ts";
import { Anchors, laterOf } from "./anchors.ts";
import { type Bindings, bindingName, DIRECTORY_DIGIT, digitsOf, findBinding } from "./bindings.ts";
import { Breaker, type Pinger } from "./breaker.ts";
import type { StoreCalls } from "./calls.ts";
import { answerWithin, DEADLINE_MS, hasHung, hedged, type WaitUntil } from "./deadline.ts";
import { isDatabaseOutage } from "./outage.ts";
import { type Call, Session } from "./session.ts";
import { ping, Sessions } from "./sessions.ts";
import type { Statement } from "./statement.ts";

export type ReadOptions<Answer> = {
  /** The answer includes at least this bookmark, besides what every read does. */
  readonly floor?: D1SessionBookmark | undefined;
  /** Only the primary is asked. */
  readonly atPrimary?: boolean | undefined;
  /** Nobody waits for this read: it may make the next anchor. */
  readonly isAhead?: boolean | undefined;
  /** Whether a replica that lags could have given this answer: then the primary has to confirm it. */
  readonly needsPrimary?: (answer: Answer) => boolean;
};

/** A request, as Hono's context has it; or a run of the scheduled job, or of a gate. `calls` counts. */
export type Caller = {
  readonly env: Bindings & { readonly ANCHOR_SECONDS?: string };
  readonly executionCtx: { waitUntil(promise: Promise<unknown>): void };
  readonly var?: { readonly calls?: StoreCalls };
};

/** `isPrimary`: the session is at the primary. */
type Work<Answer> = (session: Session, isPrimary: boolean) => Promise<Answer>;
type Answered<Answer> = {
  readonly answer: Answer;
  readonly isPrimary: boolean;
  readonly bookmark: D1SessionBookmark;
};

/** For so long a read waits for a replica before it asks the primary, too: longer than a healthy one needs. In milliseconds. */
const HEDGE_MS = 250;
/** The same for a read that begins at the primary, which may be far away. */
const PRIMARY_HEDGE_MS = 1_500;

/** The memory that an isolate has of one database. */
class Memory {
  readonly anchors: Anchors;
  readonly sessions = new Sessions();
  readonly primary = new Breaker();
  readonly replica = new Breaker();

  constructor(anchorMs: number) {
    this.anchors = new Anchors(anchorMs);
  }
}

export class Databases {
  readonly #memories = new Map<string, Memory>();

  /** The database that holds what `id` names; undefined when no binding has its digit: then nothing has this identifier. */
  of(caller: Caller, id: string): Database | undefined {
    const digit = databaseDigit(id);
    const binding = findBinding(caller.env, digit);
    return binding && this.#at(caller, digit, binding);
  }

  /** The database with the directory of account owners. */
  directory(caller: Caller): Database {
    return this.#at(caller, DIRECTORY_DIGIT, caller.env.DB);
  }

  /** Every database, with the name of its binding: for jobs that are no tenant's. */
  all(caller: Caller): { readonly binding: string; readonly database: Database }[] {
    return digitsOf(caller.env).flatMap((digit) => {
      const database = this.of(caller, digit);
      return database === undefined ? [] : [{ binding: bindingName(digit), database }];
    });
  }

  #at(caller: Caller, digit: string, binding: D1Database): Database {
    const memory = this.#memories.get(digit) ?? new Memory(readAnchorMs(caller.env));
    this.#memories.set(digit, memory);
    return new Database(binding, memory, caller);
  }
}

const once = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
};

/** Asks the other in place of one that has failed. When it has hung, the other was asked seconds ago: an old failure must not pass for a new one. */
const unlessHung =
  <Answer>(other: () => Promise<Answer>) =>
  (error: unknown): Promise<Answer> =>
    isDatabaseOutage(error) && !hasHung(error) ? other() : Promise.reject(error);

/** One database as a request uses it. */
export class Database {
  readonly #binding: D1Database;
  readonly #memory: Memory;
  readonly #calls: StoreCalls | undefined;
  readonly #pingers: Readonly<Record<"primary" | "replica", Pinger>>;
  readonly #waitUntil: WaitUntil;

  constructor(binding: D1Database, memory: Memory, caller: Caller) {
    const { sessions } = memory;
    const waitUntil: WaitUntil = (promise) => caller.executionCtx.waitUntil(promise);
    this.#binding = binding;
    this.#memory = memory;
    this.#calls = caller.var?.calls;
    this.#waitUntil = waitUntil;
    this.#pingers = {
      primary: { ping: () => sessions.ping(binding), waitUntil },
      replica: { ping: () => ping(sessions.open(binding, "first-unconstrained")), waitUntil },
    };
  }

  /**
   * The answer of `work` at a replica; or at the primary, when a replica fails, is late, or has to be confirmed. `work` may run twice, at
   * the same time. Rejects as it does, or with a `DatabaseOutage` within ten seconds.
   */
  async read<Answer>(work: Work<Answer>, options: ReadOptions<Answer> = {}): Promise<Answer> {
    const since = Date.now();
    try {
      return (await answerWithin(DEADLINE_MS.without, this.#ask(work, options))).answer;
    } catch (error) {
      // The first missed deadline ends the request, and the other call with it: both breakers learn of it here.
      if (hasHung(error)) this.missed(since);
      throw error;
    }
  }

  /** The work of one request at the primary. */
  primary(): PrimarySession {
    const { anchors, sessions } = this.#memory;
    if (sessions.isDue) this.#waitUntil(sessions.ping(this.#binding).catch(() => {}));
    return new PrimarySession(this.#binding, sessions, anchors, this.#callOf("primary"));
  }

  /** The primary without a D1 session, for what needs no bookmark. */
  withoutSession(): Session {
    return new Session(() => this.#binding, this.#callOf("primary"));
  }

  /** Asks the primary through a D1 session, as requests do, whatever the isolate knows of it. For the health check. */
  async ping(): Promise<void> {
    if (this.#calls !== undefined) this.#calls.d1 += 1;
    await ping(this.#binding.withSession("first-primary"));
  }

  /** How much older than its read an answer of a replica may be, in milliseconds. */
  get anchorMs(): number {
    return this.#memory.anchors.anchorMs;
  }

  /** Somebody has waited since `since` (Unix milliseconds), and goes on without an answer. */
  missed(since: number): void {
    this.#memory.primary.missed(since, this.#pingers.primary);
    this.#memory.replica.missed(since, this.#pingers.replica);
  }

  #callOf(part: "primary" | "replica"): Call {
    return (run) =>
      this.#memory[part].call(() => {
        if (this.#calls !== undefined) this.#calls.d1 += 1;
        return run();
      }, this.#pingers[part]);
  }

  async #ask<Answer>(
    work: Work<Answer>,
    { floor, atPrimary, isAhead, needsPrimary = () => false }: ReadOptions<Answer>,
  ): Promise<Answered<Answer>> {
    const { anchors, sessions } = this.#memory;
    sessions.note(floor);
    const askPrimary = once(async () => {
      const primary = this.primary();
      const answer = await work(primary.session, true);
      primary.noteAnswer();
      return { answer, isPrimary: true, bookmark: primary.bookmark ?? "" };
    });
    const now = Date.now();
    const anchor = anchors.at(now);
    if (atPrimary || anchor === undefined || sessions.areHanging) return askPrimary();
    const askReplica = once(async () => {
      const opened = this.#binding.withSession(laterOf(anchor, floor));
      const session = new Session(() => opened, this.#callOf("replica"));
      const answer = await work(session, false);
      const bookmark = session.bookmark ?? "";
      sessions.note(bookmark);
      return { answer, isPrimary: false, bookmark };
    });
    // While the last anchor is young enough, a replica may answer when the primary does not.
    const answered =
      isAhead && anchors.begin(now)
        ? await hedged(askPrimary().catch(unlessHung(askReplica)), PRIMARY_HEDGE_MS, askReplica)
        : await hedged(askReplica().catch(unlessHung(askPrimary)), HEDGE_MS, askPrimary);
    return answered.isPrimary || !needsPrimary(answered.answer) ? answered : askPrimary();
  }
}

/**
 * The work of one request at the primary. Each round trip opens a D1 session of its own: D1 would send the second one of a session to
 * the nearest replica, which has to come as far as the session first, and that takes for ever while the replica stands still.
 * While sessions hang, the binding serves.
 */
export class PrimarySession {
  #session: Session;
  readonly #sessions: Sessions;
  readonly #anchors: Anchors;
  #openedAt: number | undefined;

  constructor(binding: D1Database, sessions: Sessions, anchors: Anchors, call: Call) {
    this.#sessions = sessions;
    this.#anchors = anchors;
    this.#session = new Session(() => {
      this.#openedAt ??= Date.now();
      return sessions.open(binding, "first-primary");
    }, call);
  }

  get session(): Session {
    return this.#session;
  }

  /** From now on each round trip answers one more statement (`Session.with`). */
  attach<Row>(statement: Statement<Row>, answered: (rows: readonly Row[]) => void): void {
    this.#session = this.#session.with(statement, answered);
  }

  /** Where D1 stood after the last answer in the session; undefined before that. */
  get bookmark(): D1SessionBookmark | undefined {
    return this.#sessions.areHanging ? undefined : this.#session.bookmark;
  }

  /** Something has succeeded in the session, if it was used: it may be an anchor. */
  noteAnswer(): void {
    const { bookmark } = this;
    if (this.#openedAt === undefined || bookmark === undefined) return;
    this.#sessions.note(bookmark);
    this.#anchors.note(bookmark, this.#openedAt);
  }
}
