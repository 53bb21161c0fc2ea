/**
 * A circuit breaker for one part of a database: its primary, or the replica near this isolate. D1 has hung for a minute at a
 * time; requests must not queue behind it.
 *
 * A missed deadline opens the breaker, unless a call that began later was answered. While it is open, calls are refused at once,
 * and a refused call sends a ping, at most one a second. Only an answer closes it: a call that fails after a minute is no sign of
 * life. If the last ping is two seconds old, the database may be back, so the next call waits up to half a second for a ping.
 */
import { DEADLINE_MS, hasHung, hasSettledWithin, isWithin, type WaitUntil } from "./deadline.ts";
import { DatabaseOutage, databaseAnswer, isStatementDefect } from "./outage.ts";

const PING_INTERVAL_MS = 1_000;
/** When the last ping is older than this, in milliseconds, the state of the database is unknown. */
const STALE_MS = 2_000;
/** The farthest primary answers a ping within this time, in milliseconds. */
const GRACE_MS = 500;
/** A call that takes longer than this, in milliseconds, triggers a ping. It is a little more than the shorter deadline. */
const SLOW_MS = DEADLINE_MS.withFallback + 200;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** `ping` settles as the database answers; it runs in the context of a request, which `waitUntil` keeps alive. */
export type Pinger = { readonly ping: () => Promise<unknown>; readonly waitUntil: WaitUntil };

export class Breaker {
  #isOpen = false;
  /** `#calledAt`: the beginning of the last call. `#answeredAt`: the beginning of the latest call that was answered. */
  #calledAt = LONG_AGO;
  #answeredAt = LONG_AGO;
  #pingedAt = LONG_AGO;

  /**
   * Makes the call, which has `withinMs`. Rejects with a `DatabaseOutage` when the breaker is open, when the call misses its deadline,
   * and when the database fails. A wrong statement rejects with D1's own error.
   */
  async call<Answer>(
    run: () => Promise<Answer>,
    pinger: Pinger,
    withinMs: number = DEADLINE_MS.without,
  ): Promise<Answer> {
    if (this.#isOpen) await this.#waitForPing(pinger);
    const began = Date.now();
    const answer = this.#run(run);
    void hasSettledWithin(SLOW_MS, answer).then((isSettled) => {
      if (!isSettled) this.#ping(pinger);
    });
    try {
      return await databaseAnswer(() => answer, withinMs);
    } catch (error) {
      if (hasHung(error)) this.missed(began, pinger);
      throw error;
    }
  }

  /**
   * A caller has waited since `since` (Unix milliseconds) and missed its deadline. This opens the breaker, if the database was
   * called since then and gave no answer.
   */
  missed(since: number, pinger: Pinger): void {
    const hasAnswered = this.#answeredAt > since && this.#answeredAt <= Date.now();
    if (this.#isOpen || hasAnswered || this.#calledAt < since) return;
    this.#isOpen = true;
    this.#ping(pinger);
  }

  async #waitForPing(pinger: Pinger): Promise<void> {
    const isStale = !isWithin(this.#pingedAt, Date.now(), STALE_MS);
    const ping = this.#ping(pinger);
    if (isStale && ping !== undefined) await hasSettledWithin(GRACE_MS, ping);
    if (this.#isOpen) throw new DatabaseOutage("its circuit breaker is open");
  }

  /** Sends at most one ping a second. */
  #ping({ ping, waitUntil }: Pinger): Promise<unknown> | undefined {
    if (isWithin(this.#pingedAt, Date.now(), PING_INTERVAL_MS)) return undefined;
    this.#pingedAt = Date.now();
    const answer = this.#run(ping);
    waitUntil(hasSettledWithin(DEADLINE_MS.without, answer).then(() => {}));
    return answer;
  }

  #run<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const began = Date.now();
    this.#calledAt = began;
    const answer = Promise.resolve().then(run);
    const answered = () => {
      this.#answeredAt = began;
      this.#isOpen = false;
    };
    answer.then(answered, (error: unknown) => isStatementDefect(error) && answered());
    return answer;
  }
}
