/** Decides when a failed delivery is repeated, and when a webhook is given up. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays after the first failure, the second, and so on. The last one repeats. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
const LONGEST_MS = 24 * HOUR_MS;
/** Up to this share is added at random, so that deliveries that failed together do not come back together. */
const JITTER = 0.2;
const GIVEN_UP_AFTER_MS = 5 * 24 * HOUR_MS;

/** A receiver's answer. `status` is null when it did not answer in time. `retryAfter` is the header. */
export type ReceiverAnswer = { readonly status: number | null; readonly retryAfter: string | null };

const isDelivered = ({ status }: ReceiverAnswer): boolean => status !== null && status >= 200 && status < 300;

/** Whether the receiver may have taken it: it did not answer in time, the connection was lost, or it broke. */
export const isUnclear = ({ status }: Pick<ReceiverAnswer, "status">): boolean => status === null || status >= 500;

/**
 * The delay after a failure, in milliseconds. `failures` is the number of failures before it; `random` is from 0 to 1, `now` in
 * Unix milliseconds.
 */
function delayAfter(
  failures: number,
  {
    answer: { retryAfter },
    random,
    now,
  }: { readonly answer: ReceiverAnswer; readonly random: number; readonly now: number },
): number {
  const planned = (DELAYS_MS[failures] ?? LONGEST_MS) * (1 + JITTER * random);
  return Math.round(Math.max(planned, Math.min(LONGEST_MS, waitOf(retryAfter, now))));
}

/** `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
function waitOf(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : Date.parse(retryAfter) - now;
  return Number.isNaN(wait) ? 0 : wait;
}

/** The webhook's state after a failure that comes `failingMs` after the first one: active, ended, or paused. */
function stateAfter({ status }: ReceiverAnswer, failingMs: number): "active" | "failed" | "ended" {
  if (status === 410) return "ended";
  return failingMs >= GIVEN_UP_AFTER_MS ? "failed" : "active";
}

/** The webhook's state and delay after an answer. Undefined when it was delivered. */
export function failureOf(
  answer: ReceiverAnswer,
  { attempts, failingMs }: { readonly attempts: number; readonly failingMs: number },
) {
  if (isDelivered(answer)) return undefined;
  const delayMs = delayAfter(attempts, { answer, random: Math.random(), now: Date.now() });
  return { state: stateAfter(answer, failingMs), delayMs };
}
