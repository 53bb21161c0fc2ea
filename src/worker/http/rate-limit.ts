/**
 * Cloudflare's rate-limiting binding counts in each location. It limits floods and is not exact: when the binding fails or hangs, the
 * request is admitted.
 */
import { logWarning } from "../log.ts";
import { answerWithin } from "../store/deadline.ts";

/** The period of the bindings in wrangler.toml. After it the sender can send requests again. */
export const PERIOD_SECONDS = 60;
/** A request waits this long for the binding, in milliseconds. */
const WAIT_MS = 1_000;

export async function mayPass(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await answerWithin(WAIT_MS, limiter.limit({ key }))).success;
  } catch (error) {
    logWarning("the rate-limiting binding failed; the request is admitted", error);
    return true;
  }
}
