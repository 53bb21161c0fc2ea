/** `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10, for the one policy "api-key". */
import type { Quota } from "../model/api-key.ts";
import type { RateLimit } from "../rate-limit/sliding-window.ts";

export const POLICY = "api-key";

/** Whole seconds, rounded up, so that a client that waits does not retry too early. */
export const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** `q` requests per `w` seconds. */
export const policyHeader = ({ limit, windowMs }: RateLimit): string => `"${POLICY}";q=${limit};w=${windowMs / 1000}`;

/** `r` requests remain; in `t` seconds the oldest one leaves the window. */
export const quotaHeader = ({ remaining, waitMs }: Quota): string =>
  `"${POLICY}";r=${remaining};t=${toSeconds(waitMs)}`;
