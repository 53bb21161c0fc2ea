/**
 * Deadlines for calls to stores, and for all calls of a request together. A call that misses its deadline is abandoned: its caller
 * continues, and no later request waits for the call.
 */

/** Milliseconds. `withFallback`: the caller has another answer when the store is silent. `without`: it has none. */
export const DEADLINE_MS = { withFallback: 2_000, without: 10_000 } as const;

/**
 * Whether less than `milliseconds` have passed from `since` to `now`. False when `since` is in the future, because the clock has
 * stepped back.
 */
export const isWithin = (since: number, now: number, milliseconds: number): boolean =>
  now >= since && now - since < milliseconds;

export class DeadlineExceeded extends Error {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = "DeadlineExceeded";
    this.milliseconds = milliseconds;
  }
}

/**
 * Whether the error is a missed deadline, or was caused by one, so that the store counts as hanging. A request that had less time left
 * than the shortest deadline says nothing of the store.
 */
export const hasHung = (error: unknown): boolean => isHang(error) || (error instanceof Error && isHang(error.cause));

const isHang = (error: unknown): boolean =>
  error instanceof DeadlineExceeded && error.milliseconds >= DEADLINE_MS.withFallback;

/** The answer. Rejects with `DeadlineExceeded` after `milliseconds`, because a store that hangs is down. */
export async function answerWithin<Answer>(milliseconds: number, answer: Promise<Answer>): Promise<Answer> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new DeadlineExceeded(milliseconds)), milliseconds);
  try {
    return await Promise.race([answer, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps a request's context alive until the promise settles. */
export type WaitUntil = (promise: Promise<void>) => void;

/** Runs work some milliseconds later, and keeps the request's context alive until then: at most 30 seconds, workerd's limit. */
export type Later = (milliseconds: number, work: () => Promise<void>, waitUntil: WaitUntil) => void;

export const wait = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

export const runLater: Later = (milliseconds, work, waitUntil) => waitUntil(wait(milliseconds).then(work));

export const hasSettled = (answer: Promise<unknown>): Promise<void> =>
  answer.then(
    () => {},
    () => {},
  );

export const hasSettledWithin = (milliseconds: number, answer: Promise<unknown>): Promise<boolean> =>
  answerWithin(milliseconds, hasSettled(answer)).then(
    () => true,
    () => false,
  );

/**
 * The first answer of two. `second` is asked only if `first` has not settled within `milliseconds`; a failure before that is
 * final. After that, a failure of one of them waits for the other.
 */
export async function hedged<Answer>(
  first: Promise<Answer>,
  milliseconds: number,
  second: () => Promise<Answer>,
): Promise<Answer> {
  if (await hasSettledWithin(milliseconds, first)) return first;
  const other = second();
  return Promise.race([first.catch(() => other), other.catch(() => first)]);
}

const WITH_WHAT_FOLLOWS_MS = 12_000;

/**
 * The time of one request, which its calls to stores share: 10 seconds from the moment it came in. A call gets its own deadline or what
 * is left, whichever is less; when nothing is left, it is refused without being sent. So nobody waits longer because a request makes
 * several calls.
 *
 * - **What follows** a change, such as telling a key's Durable Object of a revocation, may take until second 12. Otherwise a revocation
 *   that D1 took its time for would not be told at all.
 * - **What is outside** takes its own time: the time in which a body arrives or a webhook's receiver answers a test does not count.
 * - **After the answer** nobody waits, so calls have their own deadlines alone. Work for then begins then (`afterAnswer`).
 */
export class TimeBudget {
  /** In Unix milliseconds. */
  #startedAt: number;
  #isAnswered = false;
  /** Made for who waits for it: most requests have nothing to do afterwards. */
  #answer: PromiseWithResolvers<void> | undefined;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** The time for a call whose own deadline is `ownMs`; 0 when nothing is left. In milliseconds. */
  within(ownMs: number): number {
    return this.#least(ownMs, DEADLINE_MS.without);
  }

  /** The same for what follows a change. */
  withinWhatFollows(ownMs: number): number {
    return this.#least(ownMs, WITH_WHAT_FOLLOWS_MS);
  }

  /** The request has waited so many milliseconds for its sender, or for a receiver, and not for a store. */
  waitedOutside(milliseconds: number): void {
    this.#startedAt += Math.max(0, milliseconds);
  }

  end(): void {
    this.#isAnswered = true;
    this.#answer?.resolve();
  }

  /** Runs the work once the request is answered. */
  async afterAnswer(work: () => Promise<void>): Promise<void> {
    if (!this.#isAnswered) {
      this.#answer ??= Promise.withResolvers<void>();
      await this.#answer.promise;
    }
    await work();
  }

  /** When the clock has stepped back, no more time is left than at the beginning. */
  #least(ownMs: number, totalMs: number): number {
    if (this.#isAnswered) return ownMs;
    const passedMs = Math.max(0, Date.now() - this.#startedAt);
    return Math.max(0, Math.min(ownMs, totalMs - passedMs));
  }
}
