/**
 * The rate limits of a panelist, for writes and for reads that ask D1, counted by Cloudflare's rate-limiting binding in each
 * location.
 */
import { oncePer } from "../http/once-per.ts";
import { mayPass, PERIOD_SECONDS } from "../http/rate-limit.ts";
import { clientOf } from "../model/address.ts";
import type { AnyToken } from "../model/signed-token.ts";
import { Problem } from "../problem.ts";

export type Limiters = Pick<Env, "PANELIST_READS" | "PANELIST_WRITES">;

/**
 * Whose requests are counted together. All visitors have the same token, so their addresses distinguish them: "" when another
 * service asks. A signed token's panelist is found later, if the account is unknown here.
 */
export function holderOf(token: AnyToken, address: string): string {
  if (token.panelistId === undefined) return `${token.signed.accountId} ${token.signed.externalId}`;
  return token.panelistId ?? `${token.ideaBankId} ${clientOf(address)}`;
}

/** Requests in a period: the limits of the bindings in wrangler.toml, which a Worker cannot ask. */
export const POLICIES = { "panelist-reads": 300, "panelist-writes": 30 } as const;
type Policy = keyof typeof POLICIES;

const policyOf = (isRead: boolean): Policy => (isRead ? "panelist-reads" : "panelist-writes");

/** The binding does not say how many requests are left, so there is no `RateLimit`. */
export function limitHeaders(isRead: boolean): Readonly<Record<string, string>> {
  const policy = policyOf(isRead);
  return { "RateLimit-Policy": `"${policy}";q=${POLICIES[policy]};w=${PERIOD_SECONDS}` };
}

const tooManyRequests = oncePer(
  (policy: Policy) =>
    new Problem("too-many-requests", {
      detail: "The panelist is over its rate limit. Wait for the seconds in `Retry-After`.",
      headers: { "Retry-After": String(PERIOD_SECONDS), ...limitHeaders(policy === "panelist-reads") },
      extensions: { "violated-policies": [policy] },
    }),
);

/** Throws `too-many-requests`. */
export async function limitPanelist(limiters: Limiters, holder: string, isRead: boolean): Promise<void> {
  const limiter = isRead ? limiters.PANELIST_READS : limiters.PANELIST_WRITES;
  if (!(await mayPass(limiter, holder))) throw tooManyRequests(policyOf(isRead));
}
