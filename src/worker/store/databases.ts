/**
 * The way to D1: which database holds a row, whether the primary or a replica answers, and how old that answer may be. An isolate
 * has one `Databases`. It remembers for each binding which bookmark its reads must include, and whether its primary and its
 * replica answer.
 */
import { databaseDigit } from "../credentials/id.ts";
import { logWarning } from "../log.ts";
import { readAnchorMs } from "../settings.ts";
import { Anchors, laterOf } from "./anchors.ts";
import { type Bindings, bindingName, DIRECTORY_DIGIT, digitsOf, findBinding } from "./bindings.ts";
import { Breaker, type Pinger } from "./breaker.ts";
import { answerWithin, DEADLINE_MS, hasHung, hedged, type TimeBudget } from "./deadline.ts";
import { ping, Sessions } from "./hanging-sessions.ts";
import { DatabaseOutage, isDatabaseOutage } from "./outage.ts";
import { type Call, openSession, type Session } from "./session.ts";

export type ReadOptions<Answer> = {
  /** The answer includes at least this bookmark, besides the anchor that every read includes. */
  readonly floor?: D1SessionBookmark | undefined;
  /** Only the primary is asked. */
  readonly atPrimary?: boolean | undefined;
  /** No client waits for this read, so it may go to the primary and make the next anchor. */
  readonly isBackground?: boolean | undefined;
  /** Whether a replica that lags could have given this answer. If so, the primary is asked too, and its answer counts. */
  readonly needsPrimary?: (answer: Answer) => boolean;
};

/** The number of a request's calls to stores, by kind. A batch of D1 is one call. */
export type StoreCalls = { d1: number; kv: number; gate: number };

/** What a request's calls to stores share. `calls` counts them. */
export type SharedByCalls = { readonly calls: StoreCalls; readonly budget: TimeBudget };

/**
 * A request (as Hono's context has it), a run of the scheduled job, or a gate. Only a request has something that its calls to stores
 * share: the job and a gate have the deadline of each call.
 */
export type Caller = {
  readonly env: Bindings & Partial<Pick<Env, "ANCHOR_SECONDS">>;
  readonly executionCtx: { waitUntil(promise: Promise<unknown>): void };
  get?<Key extends keyof SharedByCalls>(key: Key): SharedByCalls[Key] | undefined;
};

/** `isPrimary`: the session is at the primary. */
type Work<Answer> = (session: Session, isPrimary: boolean) => Promise<Answer>;
type Answered<Answer> = {
  readonly answer: Answer;
  readonly isPrimary: boolean;
};

/** A read waits this long for a replica, in milliseconds, then asks the primary too (a hedge). A healthy replica needs less. */
const HEDGE_MS = 250;
/** The hedge delay of the read that makes the next anchor: it starts at the primary, which may be far away. */
const PRIMARY_HEDGE_MS = 1_500;

/** An isolate's memory of one database. */
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

  /** The database that holds the row `id`. Undefined when no binding has its digit: then no row has this identifier. */
  of(caller: Caller, id: string): Database | undefined {
    const digit = databaseDigit(id);
    const binding = findBinding(caller.env, digit);
    return binding && this.#at(caller, digit, binding);
  }

  /** The database with the directory of account owners. */
  directory(caller: Caller): Database {
    return this.#at(caller, DIRECTORY_DIGIT, caller.env.DB);
  }

  /** Every database, with the name of its binding: for jobs that belong to no tenant. */
  all(caller: Caller): { readonly digit: string; readonly binding: string; readonly database: Database }[] {
    return digitsOf(caller.env).flatMap((digit) => {
      const database = this.of(caller, digit);
      return database === undefined ? [] : [{ digit, binding: bindingName(digit), database }];
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

/**
 * Asks the other part when the first has failed, but not when it has hung: then the other was asked seconds ago, and its old
 * failure must not pass for a new one.
 */
const unlessHung =
  <Answer>(other: () => Promise<Answer>) =>
  (error: unknown): Promise<Answer> =>
    isDatabaseOutage(error) && !hasHung(error) ? other() : Promise.reject(error);

/** One database as a request uses it. */
export class Database {
  readonly #binding: D1Database;
  readonly #memory: Memory;
  readonly #caller: Caller;
  readonly #calls: SharedByCalls["calls"] | undefined;
  readonly #budget: SharedByCalls["budget"] | undefined;

  constructor(binding: D1Database, memory: Memory, caller: Caller, hasBudget = true) {
    this.#binding = binding;
    this.#memory = memory;
    this.#caller = caller;
    this.#calls = caller.get?.("calls");
    this.#budget = hasBudget ? caller.get?.("budget") : undefined;
  }

  /**
   * The answer of `work` at a replica, or at the primary when the replica fails, is late, or has to be confirmed. `work` may run
   * twice at the same time. Rejects as `work` does, or with a `DatabaseOutage` within ten seconds, and within the request's time.
   */
  async read<Answer>(work: Work<Answer>, options: ReadOptions<Answer> = {}): Promise<Answer> {
    const since = Date.now();
    try {
      return (await answerWithin(this.within(DEADLINE_MS.without), this.#ask(work, options))).answer;
    } catch (error) {
      // The first missed deadline ends the request and the hedge with it, so both breakers record it here.
      this.#missed(error, since);
      throw error;
    }
  }

  /** A session at the primary for one request. */
  primary(): PrimarySession {
    const { anchors, sessions } = this.#memory;
    if (sessions.isDue) this.#caller.executionCtx.waitUntil(sessions.ping(this.#binding).catch(() => {}));
    return new PrimarySession(this.#binding, { sessions, anchors, call: this.#callOf("primary") });
  }

  /** The primary without a D1 session, for what needs no bookmark. */
  withoutSession(): Session {
    return openSession(() => this.#binding, this.#callOf("primary"));
  }

  /**
   * The same database for a read whose value all requests share. It has its own deadline and not the request's, because requests with
   * more time left wait for it, too.
   */
  withoutBudget(): Database {
    return new Database(this.#binding, this.#memory, this.#caller, false);
  }

  /** The time of a call whose own deadline is `ownMs`, when the request may have less left. In milliseconds. */
  within(ownMs: number): number {
    return this.#budget?.within(ownMs) ?? ownMs;
  }

  /** Asks the primary through a D1 session, as requests do, without the circuit breaker. For the health check. */
  async ping(): Promise<void> {
    if (this.#calls !== undefined) this.#calls.d1 += 1;
    await ping(this.#binding.withSession("first-primary"));
  }

  /** An answer of a replica may be this much older than its read, in milliseconds. */
  get anchorMs(): number {
    return this.#memory.anchors.anchorMs;
  }

  /** Logs why a caller continues without an answer, after waiting since `since` (Unix milliseconds). A hang opens the breakers. */
  noteOutage(message: string, error: unknown, since: number): void {
    logWarning(message, error);
    this.#missed(error, since);
  }

  #missed(error: unknown, since: number): void {
    if (!hasHung(error)) return;
    this.#memory.primary.missed(since, this.#pingerOf("primary"));
    this.#memory.replica.missed(since, this.#pingerOf("replica"));
  }

  /** Made when a call needs it: a request that is answered from memory makes none. */
  #pingerOf(part: "primary" | "replica"): Pinger {
    const { sessions } = this.#memory;
    return {
      ping: () =>
        part === "primary" ? sessions.ping(this.#binding) : ping(sessions.open(this.#binding, "first-unconstrained")),
      waitUntil: (promise) => this.#caller.executionCtx.waitUntil(promise),
    };
  }

  #callOf(part: "primary" | "replica"): Call {
    return async (run) => {
      const withinMs = this.within(DEADLINE_MS.without);
      if (withinMs === 0) throw new DatabaseOutage("the request has no time left");
      const count = () => {
        if (this.#calls !== undefined) this.#calls.d1 += 1;
        return run();
      };
      return this.#memory[part].call(count, this.#pingerOf(part), withinMs);
    };
  }

  async #ask<Answer>(
    work: Work<Answer>,
    { floor, atPrimary, isBackground, needsPrimary = () => false }: ReadOptions<Answer>,
  ): Promise<Answered<Answer>> {
    const { anchors, sessions } = this.#memory;
    sessions.note(floor);
    const askPrimary = once(async () => {
      const primary = this.primary();
      const answer = await work(primary.session, true);
      primary.noteAnswer();
      return { answer, isPrimary: true };
    });
    const now = Date.now();
    const anchor = anchors.at(now);
    if (atPrimary || anchor === undefined || sessions.areHanging) return askPrimary();
    const askReplica = once(async () => {
      const opened = this.#binding.withSession(laterOf(anchor, floor));
      const session = openSession(() => opened, this.#callOf("replica"));
      const answer = await work(session, false);
      sessions.note(session.bookmark);
      return { answer, isPrimary: false };
    });
    // While the last anchor is young enough, a replica may answer when the primary does not.
    const answered =
      isBackground && anchors.begin(now)
        ? await hedged(askPrimary().catch(unlessHung(askReplica)), PRIMARY_HEDGE_MS, askReplica)
        : await hedged(askReplica().catch(unlessHung(askPrimary)), HEDGE_MS, askPrimary);
    return answered.isPrimary || !needsPrimary(answered.answer) ? answered : askPrimary();
  }
}

/**
 * One request's session at the primary. Each round trip opens a D1 session of its own, because D1 would send the second round
 * trip of a session to the nearest replica. That replica first has to reach the session's bookmark, which never happens while the
 * replica stands still. While sessions hang, the binding is used instead.
 */
export class PrimarySession {
  readonly session: Session;
  readonly #sessions: Sessions;
  readonly #anchors: Anchors;
  #openedAt: number | undefined;
  /** The binding answered instead of a D1 session, so no known bookmark includes what it wrote. */
  #usedBinding = false;

  constructor(
    binding: D1Database,
    { sessions, anchors, call }: { readonly sessions: Sessions; readonly anchors: Anchors; readonly call: Call },
  ) {
    this.#sessions = sessions;
    this.#anchors = anchors;
    this.session = openSession(() => {
      this.#openedAt ??= Date.now();
      this.#usedBinding ||= sessions.areHanging;
      return sessions.open(binding, "first-primary");
    }, call);
  }

  /** The bookmark after the last answer of this session; undefined before the first one, and once the binding was used. */
  get bookmark(): D1SessionBookmark | undefined {
    return this.#usedBinding ? undefined : this.session.bookmark;
  }

  /** Call it when the request's work has succeeded: the session, if it was used, may become an anchor. */
  noteAnswer(): void {
    const { bookmark } = this;
    if (this.#openedAt === undefined || bookmark === undefined) return;
    this.#sessions.note(bookmark);
    this.#anchors.note(bookmark, this.#openedAt);
  }
}
