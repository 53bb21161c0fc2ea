/** An API key's record, and the decision whether it admits a request. Pure. */
import * as z from "zod/mini";
import { constantTimeEqual } from "../credentials/constant-time-equal.ts";
import type { Lease } from "../rate-limit/lease.ts";
import type { RateLimit } from "../rate-limit/sliding-window.ts";
import { type AllowedAddresses, addressFilter } from "./allowed-addresses.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import type { Scope } from "./scope.ts";

/** The regions in which a key's gate can be placed: Cloudflare's location hints. */
export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;
export type Region = (typeof REGIONS)[number];

/** The answer of `GET /tenant/whoami` (contract). */
export const WhoAmI = describe(z.object({ apiKeyId: Id }), {
  name: "ApiKeyIdentity",
  example: { apiKeyId: "XtwvMRbXxcwn" },
  fields: { apiKeyId: "The identifier of the API key in the request." },
});

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
  readonly pausedAt: number | null;
  readonly allowedAddresses: AllowedAddresses;
};

/** Only a client with the right secret learns the reasons after the first two. */
type RecordRefusal = "unknown" | "wrong-secret" | "revoked" | "expired" | "paused" | "address";

/** The values of `reason` in a problem document. */
export const REFUSAL_REASONS = ["revoked", "expired", "paused", "address", "suspended"] as const;

/** The tenant of a verified key, with the key's scopes and allowed addresses. */
export type Tenant = Pick<ApiKeyRecord, "accountId" | "accountSuspended" | "scopes" | "allowedAddresses">;

/** The rest of the limit, and the milliseconds until the oldest request leaves the window. */
export type Quota = { readonly rateLimit: RateLimit; readonly remaining: number; readonly waitMs: number };

/** Without `quota` the limit could not be counted, and is not enforced. `remaining` includes the admissions of a `lease`. */
export type Admitted = {
  readonly outcome: "admitted";
  readonly tenant: Tenant;
  readonly rateLimit: RateLimit;
  readonly quota?: Quota;
  readonly lease?: Lease;
};

/**
 * `allowedAddresses` comes with the reason `address`. `isOver` comes with `wrong-secret` when the key has ended for good, so that
 * an isolate need not ask again soon; the client does not learn it.
 */
export type Refused = {
  readonly outcome: "refused";
  readonly reason: RecordRefusal;
  readonly isOver?: true;
  readonly allowedAddresses?: AllowedAddresses | undefined;
};

type Limited = { readonly outcome: "limited"; readonly quota: Quota };

/** The answer of a key's gate to one request. `unavailable`: the gate needs the record and cannot read it from D1. */
export type Admission = Admitted | Limited | Refused | { readonly outcome: "unavailable" };

/** A decision that an isolate makes by itself. */
export type OwnDecision = (Admitted & { readonly quota: Quota }) | Limited | Refused;

/** Whether this is the secret before the last rotation, still in its grace period. */
export const isPreviousSecret = ({ previous }: ApiKeyRecord, secretHash: string, now: number): boolean =>
  previous !== null && now < previous.expiresAt && constantTimeEqual(previous.secretHash, secretHash);

/** The reason to refuse this secret at `now`, from any address; undefined if it is accepted. */
export function refusalOf(record: ApiKeyRecord | null, secretHash: string, now: number): RecordRefusal | undefined {
  if (record === null) return "unknown";
  if (!constantTimeEqual(record.secretHash, secretHash) && !isPreviousSecret(record, secretHash, now)) {
    return "wrong-secret";
  }
  return endOf(record, now) ?? (record.pausedAt === null ? undefined : "paused");
}

/** The reason why the key has ended for good; undefined while it is alive. */
function endOf({ revokedAt, expiresAt }: ApiKeyRecord, now: number): "revoked" | "expired" | undefined {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && now >= expiresAt ? "expired" : undefined;
}

/** The refusal of a request with this secret from `address`, at `now`. Undefined if the key admits it, up to its limit. */
export function refuse(
  record: ApiKeyRecord | null,
  { secretHash, address, now }: { readonly secretHash: string; readonly address: string | null; readonly now: number },
): Refused | undefined {
  const reason = refusalOf(record, secretHash, now);
  if (reason !== undefined) {
    const isOver = reason === "wrong-secret" && record !== null && endOf(record, now) !== undefined;
    return { outcome: "refused", reason, ...(isOver && { isOver }) };
  }
  const allowedAddresses = record?.allowedAddresses ?? null;
  return addressFilter(allowedAddresses)(address)
    ? undefined
    : { outcome: "refused", reason: "address", allowedAddresses };
}

export const tenantOf = ({ accountId, accountSuspended, scopes, allowedAddresses }: ApiKeyRecord): Tenant => ({
  accountId,
  accountSuspended,
  scopes,
  allowedAddresses,
});

const WARNED_AT_MOST_MS = 30 * 86_400_000;
const WARNED_IN_THE_LAST = 3;

/** SQL: how long before its end a key needs attention: the last third of its life, at most 30 days. In milliseconds. */
export const WARNED_MS = `min(${WARNED_AT_MOST_MS}, (expires_at - created_at) / ${WARNED_IN_THE_LAST})`;

/** The same of times in Unix milliseconds. */
export const warnedMs = (createdAt: number, expiresAt: number): number =>
  Math.min(WARNED_AT_MOST_MS, (expiresAt - createdAt) / WARNED_IN_THE_LAST);
