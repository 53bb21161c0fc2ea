/**
 * Deadlines for calls to stores. A call that misses its deadline is abandoned: its caller continues, and no later request waits for
 * the call.
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
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = "DeadlineExceeded";
  }
}

/** Whether the error is a missed deadline, or was caused by one. */
export const hasHung = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || (error instanceof Error && error.cause instanceof DeadlineExceeded);

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
