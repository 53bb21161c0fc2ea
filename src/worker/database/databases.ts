/**
 * Which database holds what an identifier names, whether its primary or a replica is asked, and how far that must be.
 * An isolate has one `Databases`. For each binding it remembers how far its reads must see, and whether its parts answer.
 */
import { databaseDigit } from "../credentials/id.ts";
import { answerWithin, DEADLINE_MS, hasHung, hedged, type WaitUntil } from "../memory/deadline.ts";
import { readAnchorMs } from "../settings.ts";
import { Anchors, laterOf } from "./anchors.ts";
import { openAtPrimary } from "./at-primary.ts";
import { attach } from "./attached-session.ts";
import { Breaker, type Pinger } from "./breaker.ts";
import { type Bindings, findBinding } from "./choose-database.ts";
import { guardDatabase } from "./guarded-database.ts";
import { isDatabaseOutage } from "./outage.ts";
import { pingDatabase } from "./ping.ts";
import { Sessions } from "./sessions.ts";
import { rowsOf } from "./statement.ts";
import { type AccountOfWebhooks, selectWaiting } from "./webhook-deliveries.ts";

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

/** A request, as Hono's context has it. */
export type Caller = {
  readonly env: Bindings & { readonly ANCHOR_SECONDS?: string };
  readonly executionCtx: { waitUntil(promise: Promise<unknown>): void };
};

/** `isPrimary`: the session is at the primary. */
type Work<Answer> = (session: D1DatabaseSession, isPrimary: boolean) => Promise<Answer>;
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
    if (binding === undefined) return undefined;
    const memory = this.#memories.get(digit) ?? new Memory(readAnchorMs(caller.env));
    this.#memories.set(digit, memory);
    return new Database(binding, memory, (promise) => caller.executionCtx.waitUntil(promise));
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

/** One database as a request uses it. A request that memory answers uses none: a session is opened when it is used. */
export class Database {
  readonly #raw: D1Database;
  readonly #memory: Memory;
  readonly #pingers: Readonly<Record<"primary" | "replica", Pinger>>;
  readonly #waitUntil: WaitUntil;

  constructor(binding: D1Database, memory: Memory, waitUntil: WaitUntil) {
    const { sessions } = memory;
    this.#raw = binding;
    this.#memory = memory;
    this.#waitUntil = waitUntil;
    this.#pingers = {
      primary: { ping: () => sessions.ping(binding), waitUntil },
      replica: { ping: () => pingDatabase(sessions.open(binding, "first-unconstrained")), waitUntil },
    };
  }

  /** The primary, for what needs no session. */
  get binding(): D1Database {
    return this.#guard("primary");
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

  /** `account`: whose webhooks are to be known when the work is done (`waiting`), for work that may change something of it. */
  atPrimary(account?: AccountOfWebhooks): PrimarySession {
    const { anchors, sessions } = this.#memory;
    if (sessions.isDue) this.#waitUntil(sessions.ping(this.#raw).catch(() => {}));
    return new PrimarySession(this.binding, sessions, anchors, account);
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

  #guard(part: "primary" | "replica"): D1Database {
    return guardDatabase(this.#raw, (run) => this.#memory[part].call(run, this.#pingers[part]));
  }

  async #ask<Answer>(
    work: Work<Answer>,
    { floor, atPrimary, isAhead, needsPrimary = () => false }: ReadOptions<Answer>,
  ): Promise<Answered<Answer>> {
    const { anchors, sessions } = this.#memory;
    sessions.note(floor);
    const askPrimary = once(async () => {
      const primary = this.atPrimary();
      const answer = await work(primary.session, true);
      primary.noteAnswer();
      return { answer, isPrimary: true, bookmark: primary.bookmark ?? "" };
    });
    const now = Date.now();
    const anchor = anchors.at(now);
    if (atPrimary || anchor === undefined || sessions.areHanging) return askPrimary();
    const askReplica = once(async () => {
      const session = this.#guard("replica").withSession(laterOf(anchor, floor));
      const answer = await work(session, false);
      const bookmark = session.getBookmark() ?? "";
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

/** The work of one request at the primary. The session is opened when it is first used; the binding serves while sessions hang. */
export class PrimarySession {
  readonly #binding: D1Database;
  readonly #sessions: Sessions;
  readonly #anchors: Anchors;
  readonly #account: AccountOfWebhooks | undefined;
  #opened: { readonly session: D1DatabaseSession; readonly openedAt: number } | undefined;
  #attached: D1DatabaseSession | undefined;
  /** The account's webhooks that have something to deliver after the last round trip, and wait for somebody to begin. */
  waiting: readonly string[] = [];

  constructor(binding: D1Database, sessions: Sessions, anchors: Anchors, account?: AccountOfWebhooks) {
    this.#binding = binding;
    this.#sessions = sessions;
    this.#anchors = anchors;
    this.#account = account;
  }

  get session(): D1DatabaseSession {
    this.#opened ??= { openedAt: Date.now(), session: openAtPrimary(this.#binding, this.#sessions) };
    const { session } = this.#opened;
    if (this.#account === undefined) return session;
    this.#attached ??= attach(session, selectWaiting(session, this.#account), (result) => {
      this.waiting = rowsOf<{ id: string }>(result).map(({ id }) => id);
    });
    return this.#attached;
  }

  /** Where D1 stood after the last answer in the session; undefined before that. */
  get bookmark(): D1SessionBookmark | undefined {
    return this.#sessions.areHanging ? undefined : (this.#opened?.session.getBookmark() ?? undefined);
  }

  /** Something has succeeded in the session, if it was opened: it may be an anchor. */
  noteAnswer(): void {
    if (this.#opened === undefined || this.bookmark === undefined) return;
    this.#sessions.note(this.bookmark);
    this.#anchors.note(this.#opened.session, this.#opened.openedAt);
  }
}
