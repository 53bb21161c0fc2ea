/** The rate limits of a panelist, for writes and for reads of proposals. */
import { oncePer } from "../http/once-per.ts";
import { mayPass, PERIOD_SECONDS } from "../http/rate-limit.ts";
import { Problem } from "../problem.ts";

type Limiters = Pick<Env, "PANELIST_READS" | "PANELIST_WRITES">;

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
