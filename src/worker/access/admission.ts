/** Turns the decision about an API key's request into its response: 401, or 403 for a paused key and a wrong address; then 429; then 403 for the rest. */
import { oncePer } from "../http/once-per.ts";
import type { Admission, Quota } from "../model/api-key.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import type { RateLimit } from "../rate-limit/sliding-window.ts";

/** The same response for every reason. Only a client with the right secret gets a `reason`. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail: "This needs a valid API key (`ibk_…`) in the header `X-API-Key`.",
      headers: { "WWW-Authenticate": 'ApiKey realm="tenant"' },
      ...((reason === "revoked" || reason === "expired") && { extensions: { reason } }),
      cause: reason,
    }),
);

const DETAILS = {
  paused: "The API key is paused. Its owner can resume it in Account Settings.",
  address: "The API key may not be used from this address. Its owner can change that in Account Settings.",
  suspended: "The API key's account is suspended.",
};

/** The key is valid, but may do nothing at all. */
const forbidden = oncePer(
  (reason: keyof typeof DETAILS) => new Problem("forbidden", { detail: DETAILS[reason], extensions: { reason } }),
);

const tooManyRequests = oncePer(
  (retryAfterSeconds: number) =>
    new Problem("too-many-requests", {
      headers: { "Retry-After": String(retryAfterSeconds) },
      extensions: { "violated-policies": [POLICY] },
    }),
);

/** The headers of a response with any status. A key that was checked against D1 has no quota. */
export function rateLimitHeaders(admission: Admission): Readonly<Record<string, string>> {
  switch (admission.outcome) {
    case "admitted":
      return {
        "RateLimit-Policy": policyHeader(admission.rateLimit),
        ...(admission.quota && { RateLimit: quotaHeader(admission.quota) }),
      };
    case "limited":
      return {
        "RateLimit-Policy": policyHeader(admission.quota.rateLimit),
        RateLimit: quotaHeader(admission.quota),
      };
    default:
      return {};
  }
}

/** The reason to refuse the request, whatever it asks for; undefined when it is admitted. */
export function problemOf(admission: Admission): Problem | undefined {
  switch (admission.outcome) {
    case "admitted":
      return admission.tenant.accountSuspended ? forbidden("suspended") : undefined;
    case "limited":
      return tooManyRequests(toSeconds(admission.quota.waitMs));
    case "refused":
      return admission.reason === "paused" || admission.reason === "address"
        ? forbidden(admission.reason)
        : unauthorized(admission.reason);
    case "unavailable":
      return serviceUnavailable("the gate needs the key's record and cannot read it from D1");
  }
}

/** The policy of `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers-10. */
const POLICY = "api-key";

/** Whole seconds, rounded up, so that a client that waits does not retry too early. */
const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** `q` requests per `w` seconds. */
const policyHeader = ({ limit, windowMs }: RateLimit): string => `"${POLICY}";q=${limit};w=${windowMs / 1000}`;

/** `r` requests remain; in `t` seconds the oldest one leaves the window. */
const quotaHeader = ({ remaining, waitMs }: Quota): string => `"${POLICY}";r=${remaining};t=${toSeconds(waitMs)}`;
