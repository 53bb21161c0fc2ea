/** The real rate-limiting bindings of the panelist API, with every call passing through one function. */
import { vi } from "vitest";

export type LimitCall = { readonly policy: "reads" | "writes"; readonly key: string };

/** Sees each call before it is made; makes it, or does not. */
export type LimitInterceptor = (
  call: LimitCall,
  makeCall: () => Promise<RateLimitOutcome>,
) => Promise<RateLimitOutcome>;

export function interceptLimits(env: Env, interceptor: LimitInterceptor): Env {
  const intercept = (limiter: RateLimit, policy: LimitCall["policy"]): RateLimit => ({
    limit: (options) => interceptor({ policy, key: options.key }, () => limiter.limit(options)),
  });
  return {
    ...env,
    PANELIST_READS: intercept(env.PANELIST_READS, "reads"),
    PANELIST_WRITES: intercept(env.PANELIST_WRITES, "writes"),
  };
}

/**
 * Down, so that every request passes: for tests that send more than a panelist may. The Worker warns of it each time; the test
 * does not print that.
 */
export function withoutLimits(env: Env): Env {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  return interceptLimits(env, () => Promise.reject(new Error("injected fault: rate limit")));
}
