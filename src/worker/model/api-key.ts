/** An API key's record, and whether it admits a request. Pure. */
import * as z from "zod/mini";
import { constantTimeEqual } from "../credentials/constant-time-equal.ts";
import type { Lease } from "../rate-limit/lease.ts";
import type { RateLimit } from "../rate-limit/sliding-window.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import type { Scope } from "./scope.ts";

/** Where a key's gate can be asked to live: Cloudflare's location hints. */
export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;
export type Region = (typeof REGIONS)[number];

/** The answer of `GET /tenant/whoami` (contract). */
export const WhoAmI = z.object({ apiKeyId: Id });

/** A key's row and its account's state. Times are Unix milliseconds; `secretHash` is the hex SHA-256 of the whole key. */
export type ApiKeyRecord = {
  readonly accountId: string;
  readonly accountSuspended: boolean;
  readonly secretHash: string;
  /** The secret before the last rotation, until the end of its grace period. */
  readonly previous: { readonly secretHash: string; readonly expiresAt: number } | null;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
};

export type RecordRefusal = "unknown" | "wrong-secret" | "revoked" | "expired";

/** The tenant of a verified key, and the key's scopes. */
export type Tenant = Pick<ApiKeyRecord, "accountId" | "accountSuspended" | "scopes">;

/** How much of the limit is left, and the milliseconds until the oldest request leaves the window. */
export type Quota = { readonly rateLimit: RateLimit; readonly remaining: number; readonly waitMs: number };

/**
 * Without `quota` the limit could not be counted, and is not enforced. With a `lease`, what it may still admit is part of what
 * remains.
 */
export type Admitted = {
  readonly outcome: "admitted";
  readonly tenant: Tenant;
  readonly rateLimit: RateLimit;
  readonly quota?: Quota;
  readonly lease?: Lease;
};

/** The answer of a key's gate to one request. `unavailable`: the gate needs the record and cannot read it from D1. */
export type Admission =
  | Admitted
  | { readonly outcome: "limited"; readonly quota: Quota }
  | { readonly outcome: "refused"; readonly reason: RecordRefusal }
  | { readonly outcome: "unavailable" };

/** Whether this is the secret before the last rotation, still in its grace period. */
export const isPreviousSecret = ({ previous }: ApiKeyRecord, secretHash: string, now: number): boolean =>
  previous !== null && now < previous.expiresAt && constantTimeEqual(previous.secretHash, secretHash);

/** Why this secret is refused at `now`, or undefined if it is accepted. */
export function refusalOf(record: ApiKeyRecord | null, secretHash: string, now: number): RecordRefusal | undefined {
  if (record === null) return "unknown";
  if (!constantTimeEqual(record.secretHash, secretHash) && !isPreviousSecret(record, secretHash, now)) {
    return "wrong-secret";
  }
  if (record.revokedAt !== null) return "revoked";
  if (record.expiresAt !== null && now >= record.expiresAt) return "expired";
  return undefined;
}

export const tenantOf = ({ accountId, accountSuspended, scopes }: ApiKeyRecord): Tenant => ({
  accountId,
  accountSuspended,
  scopes,
});

if (!import.meta.deployed) {
  describe(WhoAmI, {
    name: "WhoAmI",
    example: { apiKeyId: "XtwvMRbXxcwn" },
    fields: { apiKeyId: "The identifier of the API key in the request." },
  });
}
