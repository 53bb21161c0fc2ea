/** Rows of `api_keys`, for their account's owner. */
import type { ApiKey } from "../model/account.ts";
import type { Region } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import { toTimestamp } from "../model/text.ts";
import { ACCOUNT_OF_OWNER } from "./idempotency.ts";
import { nextNotice } from "./next-notice.ts";

export type KeyRow = {
  id: string;
  name: string;
  last_four: string;
  scopes: string;
  rate_limit: number;
  rate_window_seconds: number;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  previous_expires_at: number | null;
  previous_last_used_at: number | null;
  region: string | null;
  paused_at: number | null;
  allowed_addresses: string | null;
  leaked_at: number | null;
  created_by: string | null;
};
export type UsageRow = { api_key_id: string; hour: number; admitted: number; limited: number };

/** A gate that was not notified may use a record from before its key's end, but for less than this time. */
export const HEARD_MS = 10 * 60_000;

export const COLUMNS = `id, name, last_four, scopes, rate_limit, rate_window_seconds, created_at, expires_at, revoked_at, last_used_at,
  previous_expires_at, previous_last_used_at, region, paused_at, allowed_addresses, leaked_at, created_by`;
/** The keys of the owner `:email`. */
export const OWN = `account_id = ${ACCOUNT_OF_OWNER}`;
export const OWN_KEY = `id = :id AND ${OWN}`;
export const ACTIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)";

/** The active keys of one account. It has two terms because each is a range of an index, so that expired keys are not read. */
export const selectActive = (
  own: string,
) => `SELECT * FROM api_keys WHERE ${own} AND revoked_at IS NULL AND expires_at IS NULL
  UNION ALL SELECT * FROM api_keys WHERE ${own} AND revoked_at IS NULL AND expires_at > :now`;

/** The key of the first row, without its use. */
export function firstKey([row]: readonly KeyRow[], now: number): ApiKey | null {
  return row === undefined ? null : toApiKey(row, now, []);
}

/** A column's time, as text or null. */
export const orNull = (time: number | null) => (time === null ? null : toTimestamp(time));

export function toApiKey(row: KeyRow, now: number, usage: readonly UsageRow[]): ApiKey {
  const expired = row.expires_at !== null && row.expires_at <= now;
  const previousEnds = Math.min(row.previous_expires_at ?? 0, row.expires_at ?? Number.POSITIVE_INFINITY);
  const inGrace = previousEnds > now && row.revoked_at === null;
  return {
    id: row.id,
    name: row.name,
    lastFour: row.last_four,
    state: row.revoked_at !== null ? "revoked" : expired ? "expired" : "active",
    scopes: JSON.parse(row.scopes) as Scope[],
    limit: row.rate_limit,
    windowSeconds: row.rate_window_seconds,
    createdAt: toTimestamp(row.created_at),
    createdBy: row.created_by,
    region: row.region as Region | null,
    expiresAt: orNull(row.expires_at),
    revokedAt: orNull(row.revoked_at),
    pausedAt: orNull(row.paused_at),
    allowedAddresses: row.allowed_addresses === null ? null : (JSON.parse(row.allowed_addresses) as string[]),
    leakedAt: orNull(row.leaked_at),
    lastUsedAt: orNull(row.last_used_at),
    previous: inGrace ? { expiresAt: toTimestamp(previousEnds), lastUsedAt: orNull(row.previous_last_used_at) } : null,
    usage: usage.map(toHourlyCount),
  };
}

export const toHourlyCount = ({ hour, admitted, limited }: UsageRow) => ({
  hour: toTimestamp(hour),
  admitted,
  limited,
});

/** How many days before a key expires its account is notified. */
const TOLD_DAYS_BEFORE = [1, 7, 30];

/** `nextNotice` for a key. */
export const nextExpiryNotice = (expiresAt: string): string => nextNotice(expiresAt, TOLD_DAYS_BEFORE);
