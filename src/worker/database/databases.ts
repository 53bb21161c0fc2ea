/**
 * Which database holds what an identifier names, whether its primary or a replica is asked, and how far that must be.
 * An isolate has one `Databases`: it remembers, for each binding, how far its reads must see, how long its replicas take, and
 * whether it hangs.
 */
import { databaseDigit } from "../credentials/id.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import {
  answerWithin,
  DEADLINE_MS,
  DeadlineExceeded,
  hasHung,
  hasSettledWithin,
  hedged,
  type WaitUntil,
} from "../memory/deadline.ts";
import { Anchors, laterOf } from "./anchors.ts";
import { openAtPrimary } from "./at-primary.ts";
import { attach } from "./attached-session.ts";
import { type Bindings, findBinding } from "./choose-database.ts";
import { guardDatabase } from "./guarded-database.ts";
import { DatabaseOutage, databaseAnswer, isDatabaseOutage } from "./outage.ts";
import { Patience } from "./patience.ts";
import { pingDatabase } from "./ping.ts";
import { type Ping, Pulse } from "./pulse.ts";
import { DOUBTED_AFTER_MS, Sessions } from "./sessions.ts";
import { rowsOf } from "./statement.ts";
import { type AccountOfWebhooks, selectWaiting } from "./webhook-deliveries.ts";

export type ReadOptions<Answer> = {
  /** What the answer includes at least, besides what every read does. */
  readonly floor?: D1SessionBookmark | undefined;
  /** Only the primary is asked. */
  readonly atPrimary?: boolean | undefined;
  /** Nobody waits for this read: it may make the next anchor. */
  readonly isAhead?: boolean | undefined;
  /** Whose answer may be large. How long it takes says nothing of others' reads. */
  readonly largeOf?: string | undefined;
  /** Whether a replica that lags, and is as far as `bookmark`, could have given this answer: then the primary has to confirm it. */
  readonly needsPrimary?: (answer: Answer, bookmark: D1SessionBookmark) => boolean;
};

/** A request, as Hono's context has it. */
export type Caller = { readonly env: Bindings; readonly executionCtx: { waitUntil(promise: Promise<unknown>): void } };

/** `isPrimary`: the session is at the primary. */
type Work<Answer> = (session: D1DatabaseSession, isPrimary: boolean) => Promise<Answer>;
type Answered<Answer> = {
  readonly answer: Answer;
  readonly isPrimary: boolean;
  readonly bookmark: D1SessionBookmark;
};

/** How long a read that begins at the primary waits for it alone, in milliseconds. */
const PRIMARY_MS = 1_500;
/** Idea banks whose large reads are remembered. */
const MAX_LARGE = 1_000;

/** What an isolate remembers of one database. */
class Memory {
  readonly anchors = new Anchors();
  readonly sessions = new Sessions();
  readonly pulses = { primary: new Pulse(), replica: new Pulse() };
  readonly #patience = new Patience();
  readonly #large = new BoundedMap<Patience>({ max: MAX_LARGE });

  /** That of small reads is shared; that of large ones is kept by whom they are of. */
  patienceOf(largeOf: string | undefined): Patience {
    if (largeOf === undefined) return this.#patience;
    const patience = this.#large.get(largeOf) ?? new Patience();
    this.#large.set(largeOf, patience);
    return patience;
  }
}

export class Databases {
  /** How old an anchor may be (anchors.ts), in milliseconds. The application sets it from its settings. */
  anchorMs = 6_000;
  readonly #memories = new Map<string, Memory>();

  /** The database that holds what `id` names; undefined when no binding has its digit: then nothing has this identifier. */
  of(caller: Caller, id: string): Database | undefined {
    const digit = databaseDigit(id);
    const binding = findBinding(caller.env, digit);
    if (binding === undefined) return undefined;
    const memory = this.#memories.get(digit) ?? new Memory();
    memory.anchors.anchorMs = this.anchorMs;
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

/** What of a database answers or hangs by itself, and what asks it for a sign of life. */
type Part = { readonly pulse: Pulse; readonly ping: Ping };

/** One database as a request uses it. A request that memory answers uses none: a session is opened, a binding guarded, when it is used. */
export class Database {
  readonly #raw: D1Database;
  #guarded: D1Database | undefined;
  readonly #memory: Memory;
  readonly #primary: Part;
  readonly #replica: Part;
  readonly #waitUntil: WaitUntil;

  constructor(binding: D1Database, memory: Memory, waitUntil: WaitUntil) {
    const { primary, replica } = memory.pulses;
    const { sessions } = memory;
    this.#primary = { pulse: primary, ping: () => pingDatabase(sessions.open(binding, "first-primary")) };
    this.#replica = { pulse: replica, ping: () => pingDatabase(sessions.open(binding, "first-unconstrained")) };
    this.#raw = binding;
    this.#memory = memory;
    this.#waitUntil = waitUntil;
  }

  /** The primary, for what needs no session. Its calls have deadlines, and are refused at once while it is known to hang. */
  get binding(): D1Database {
    this.#guarded ??= this.#guard(this.#primary);
    return this.#guarded;
  }

  /**
   * What `work` reads at a replica; or at the primary, when a replica fails, takes longer than usual (it waits until it has reached the
   * session's bookmark), or has to be confirmed. `work` may run twice, at the same time. Rejects as it does, or with
   * `DeadlineExceeded`, within ten seconds.
   */
  async read<Answer>(work: Work<Answer>, options: ReadOptions<Answer> = {}): Promise<Answer> {
    const since = Date.now();
    try {
      return (await answerWithin(DEADLINE_MS.without, this.#ask(work, options))).answer;
    } catch (error) {
      // The first missed deadline ends the request, and the other call with it: both are told here.
      if (hasHung(error)) this.#missed(since);
      throw error;
    }
  }

  /** `account`: whose webhooks are to be known when the work is done (`waiting`), for work that may change something of it. */
  atPrimary(account?: AccountOfWebhooks): PrimarySession {
    const { anchors, sessions } = this.#memory;
    this.#checkSessions(sessions.areHanging);
    return new PrimarySession(this.binding, sessions, anchors, account);
  }

  /** How much older than its read an answer of a replica may be, in milliseconds. */
  get anchorMs(): number {
    return this.#memory.anchors.anchorMs;
  }

  /** What a kept value has to know of this database. `consequence` is for the log. */
  outages(consequence: string) {
    return {
      isOutage: isDatabaseOutage,
      onOutage: (error: unknown, since: number) => {
        console.warn(`D1 does not answer; ${consequence}`, error);
        if (error instanceof DeadlineExceeded) this.#missed(since);
      },
    };
  }

  /** Whether a call of the primary has missed its deadline, and none has been answered since: it hangs, or that is about to be known. */
  isSilent(): boolean {
    return this.#isSilent(this.#primary);
  }

  /** Somebody else got no answer: it is asked for a sign of life. */
  doubt(): void {
    this.#primary.pulse.doubt(Date.now(), this.#primary.ping, this.#waitUntil);
  }

  /** Whether it answers: after half a second at most, when it is silent. */
  isBack(): Promise<boolean> {
    return pingDatabase(this.binding).then(
      () => true,
      () => false,
    );
  }

  /** `isDoubted`: one of them has not answered for a while, or was seen to hang. */
  #checkSessions(isDoubted: boolean): void {
    const { sessions } = this.#memory;
    if (isDoubted && sessions.isCheckDue(Date.now())) this.#waitUntil(sessions.check(this.#raw));
  }

  #guard(part: Part): D1Database {
    return guardDatabase(this.#raw, (call) => this.#around(part, call));
  }

  #isSilent({ pulse, ping }: Part): boolean {
    const now = Date.now();
    return pulse.isHanging(now, ping, this.#waitUntil) || pulse.doubtMs(now) !== undefined;
  }

  /** A read that has missed its deadline: at the primary, or at the replica that it asked first. */
  #missed(since: number): void {
    const parts = this.#replica.pulse.wasAskedSince(since) ? [this.#primary, this.#replica] : [this.#primary];
    for (const { pulse, ping } of parts) pulse.missed(since, Date.now(), ping, this.#waitUntil);
  }

  async #around<Answer>({ pulse, ping }: Part, call: () => Promise<Answer>): Promise<Answer> {
    const since = Date.now();
    const refuseHanging = () => {
      if (pulse.isHanging(Date.now(), ping, this.#waitUntil)) throw new DatabaseOutage("it is known to hang");
    };
    refuseHanging();
    pulse.began(since);
    const ended = () => pulse.ended(since, Date.now());
    try {
      let doubtMs = pulse.doubtMs(since);
      const answer = call();
      answer.then(ended, ended);
      void hasSettledWithin(DOUBTED_AFTER_MS, answer).then((settled) => this.#checkSessions(!settled));
      // By a clock that has stepped back meanwhile there is still doubt.
      while (doubtMs !== undefined && !(await hasSettledWithin(doubtMs, answer))) {
        refuseHanging();
        doubtMs = pulse.doubtMs(Date.now());
      }
      return await databaseAnswer(() => answer);
    } catch (error) {
      if (hasHung(error)) pulse.missed(since, Date.now(), ping, this.#waitUntil);
      throw error;
    }
  }

  async #ask<Answer>(
    work: Work<Answer>,
    { floor, atPrimary, isAhead, largeOf, needsPrimary = () => false }: ReadOptions<Answer>,
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
    // While the primary is silent, a replica is read if it answers. It may hang, too: it is asked for a sign of life.
    const isSilent = this.isSilent();
    const isReplicaOut = sessions.areHanging || (!isSilent && this.#isSilent(this.#replica));
    if (atPrimary || anchor === undefined || isReplicaOut) return askPrimary();
    if (isSilent) this.#replica.pulse.doubt(now, this.#replica.ping, this.#waitUntil);
    const least = laterOf(anchor, floor);
    const askReplica = once(async () => {
      const session = this.#guard(this.#replica).withSession(least);
      const answer = await work(session, false);
      return { answer, isPrimary: false, bookmark: session.getBookmark() ?? "" };
    });
    const patience = this.#memory.patienceOf(largeOf);
    const first = async () => {
      // While the last anchor is young enough, a replica may answer when the primary does not.
      if ((isAhead && anchors.begin(now)) || patience.isLosing(now))
        return hedged(askPrimary().catch(unlessHung(askReplica)), PRIMARY_MS, askReplica);
      const answered = await hedged(askReplica().catch(unlessHung(askPrimary)), patience.milliseconds, askPrimary);
      // A replica that may have had to wait for somebody's write says nothing of how far it is.
      if (least === anchor) patience.note(answered.isPrimary ? "lost" : Date.now() - now, Date.now());
      return answered;
    };
    const answered = await first();
    return answered.isPrimary || !needsPrimary(answered.answer, answered.bookmark) ? answered : askPrimary();
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
