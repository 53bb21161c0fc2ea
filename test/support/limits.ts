/** The real rate-limiting bindings of the panelist API, with every call passing through one function. */
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

/** As if nobody were over a limit: for tests that send more than a panelist may. */
export const withoutLimits = (env: Env): Env => interceptLimits(env, async () => ({ success: true }));
