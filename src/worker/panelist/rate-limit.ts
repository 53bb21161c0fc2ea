/**
 * The rate limits of a panelist, for writes and for reads of proposals, counted by Cloudflare's rate-limiting binding in each
 * location. They limit floods and are not exact: when the binding fails or hangs, the request is admitted.
 */
import { oncePer } from "../http/once-per.ts";
import { logWarning } from "../log.ts";
import { Problem } from "../problem.ts";
import { answerWithin } from "../store/deadline.ts";

type Limiters = Pick<Env, "PANELIST_READS" | "PANELIST_WRITES">;

/** The period of both bindings in wrangler.toml. After it the panelist can send requests again. */
const PERIOD_SECONDS = 60;
/** A request waits this long for the binding, in milliseconds. */
const WAIT_MS = 1_000;

const tooManyRequests = oncePer(
  (policy: "panelist-reads" | "panelist-writes") =>
    new Problem("too-many-requests", {
      detail: "The panelist is over its rate limit. Wait for the seconds in `Retry-After`.",
      headers: { "Retry-After": String(PERIOD_SECONDS) },
      extensions: { "violated-policies": [policy] },
    }),
);

/** Throws `too-many-requests`. */
export async function limitPanelist(limiters: Limiters, panelistId: string, isRead: boolean): Promise<void> {
  const limiter = isRead ? limiters.PANELIST_READS : limiters.PANELIST_WRITES;
  if (!(await mayPass(limiter, panelistId))) throw tooManyRequests(isRead ? "panelist-reads" : "panelist-writes");
}

async function mayPass(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await answerWithin(WAIT_MS, limiter.limit({ key }))).success;
  } catch (error) {
    logWarning("the rate-limiting binding failed; the request is admitted", error);
    return true;
  }
}
