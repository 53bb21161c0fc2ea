/** The use of an API key as Account Settings shows it: how much, for which operations, and from where. */
import * as z from "zod/mini";
import { HourlyCount } from "./account-key.ts";
import { describe } from "./describe.ts";
import { SEEN_REFUSALS } from "./seen.ts";
import { integer, oneOf, Timestamp } from "./text.ts";

const Requests = integer(0, 1_000_000_000_000);

const EXAMPLE_HOUR = "2026-11-20T12:00:00.000Z";
const EXAMPLE_COUNT = { operation: "whoami", admitted: 42 };
const EXAMPLE_USE = {
  at: "2026-11-20T12:34:56.000Z",
  network: "203.0.113.0/24",
  country: "DE",
  userAgent: "crm-sync/2.1",
  operation: "whoami",
};
const SEEN_TEXTS = {
  at: "When it was sent: ISO 8601, UTC, with milliseconds.",
  network:
    "The network that it came from: the first 24 bits of an IPv4 address, 48 of an IPv6 one. The rest of the address is not kept.",
  country:
    "The country that Cloudflare places the address in: two letters of ISO 3166, or `T1` for Tor. `null` if unknown.",
  userAgent: "The first 100 characters of its `User-Agent`, without control characters.",
  operation:
    "What it asked for: an `operationId` in this document. `verifyKey`: another service of the platform had it. `mcp`: an agent looked around.",
};

const OperationCount = describe(
  z.object({
    start: Timestamp,
    operation: z.string(),
    admitted: Requests,
  }),
  {
    name: "OperationCount",
    fields: {
      start: "The start of the hour or day: ISO 8601, UTC, with milliseconds.",
      operation: "An `operationId` in this document.",
      admitted: "Requests for it that were admitted.",
    },
  },
);
export type OperationCount = z.infer<typeof OperationCount>;

const SEEN = {
  at: Timestamp,
  network: z.nullable(z.string()),
  country: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  operation: z.string(),
};
const SeenRequest = describe(z.object(SEEN), { name: "SeenRequest", fields: SEEN_TEXTS });
export type SeenRequest = z.infer<typeof SeenRequest>;
const RefusedRequest = describe(z.object({ ...SEEN, reason: oneOf(SEEN_REFUSALS) }), {
  name: "RefusedRequest",
  fields: {
    ...SEEN_TEXTS,
    reason:
      "Why: `limited` (over its limit), `paused`, `address` (not an allowed one), `expired`, `revoked`, `wrong-secret` (from before a rotation).",
  },
});
export type RefusedRequest = z.infer<typeof RefusedRequest>;

export const ApiKeyUsage = describe(
  z.object({
    items: z.array(HourlyCount),
    hours: z.array(OperationCount),
    days: z.array(OperationCount),
    lastUse: z.nullable(SeenRequest),
    lastRefusal: z.nullable(RefusedRequest),
    previousLastUse: z.nullable(SeenRequest),
  }),
  {
    name: "ApiKeyUsage",
    example: {
      items: [{ hour: EXAMPLE_HOUR, admitted: 42, limited: 1 }],
      hours: [{ start: EXAMPLE_HOUR, ...EXAMPLE_COUNT }],
      days: [{ start: "2026-11-20T00:00:00.000Z", ...EXAMPLE_COUNT }],
      lastUse: EXAMPLE_USE,
      lastRefusal: { ...EXAMPLE_USE, reason: "limited" },
      previousLastUse: null,
    },
    fields: {
      items: "The hours with requests among the last 30 days, oldest first, a few seconds behind.",
      hours: "By hour and operation: the last 24 hours, oldest first.",
      days: "By day of UTC and operation: the last 30 days, oldest first.",
      lastUse: "The last request that was admitted. `null` if there was none in 31 days.",
      lastRefusal: "The last request with the key that was not admitted. `null` if there was none in 31 days.",
      previousLastUse:
        "The last one with the secret before the last rotation, while that still works. Otherwise `null`.",
    },
  },
);
export type ApiKeyUsage = z.infer<typeof ApiKeyUsage>;
