/** Rows of `api_keys`, for their account's owner. */
import * as z from "zod/mini";
import { type ApiKey, NewApiKey } from "../../model/account-key.ts";
import { flag, Moment, toTimestamp } from "../../model/text.ts";
import { storedFields } from "../columns.ts";
import { ACCOUNT_OF_OWNER } from "../idempotency.ts";
import type { HourCounts } from "./unsaved-use.ts";

const { expiresInDays: _, region, allowedAddresses, ...first } = NewApiKey.shape;

/** What its owner chooses for a key: all of it is recorded in the activity. */
export const KEY_SETTINGS = storedFields(
  z.strictObject({ ...first, expiresAt: z.nullable(Moment), paused: flag(), region, allowedAddresses }),
  {
    limit: { column: "rate_limit" },
    windowSeconds: { column: "rate_window_seconds" },
    expiresAt: { isTime: true },
    paused: {
      column: "paused_at",
      set: "iif(:paused, coalesce(paused_at, :now), NULL)",
      compared: "(paused_at IS NOT NULL)",
      read: (pausedAt) => pausedAt !== null,
      recorded: "json(iif(paused_at IS NULL, 'false', 'true'))",
    },
  },
);

export type KeyRow = Readonly<Record<string, unknown>> & {
  id: string;
  last_four: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  previous_secret_hash: string | null;
  previous_expires_at: number | null;
  previous_last_used_at: number | null;
  paused_at: number | null;
  leaked_at: number | null;
  created_by: string | null;
};

/** A gate that was not notified may use a record from before its key's end, but for less than this time. */
export const HEARD_MS = 10 * 60_000;

export const COLUMNS = `id, ${KEY_SETTINGS.columns}, last_four, created_at, revoked_at, last_used_at, previous_secret_hash,
  previous_expires_at, previous_last_used_at, leaked_at, created_by`;
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

export function toApiKey(row: KeyRow, now: number, usage: readonly HourCounts[]): ApiKey {
  const expired = row.expires_at !== null && row.expires_at <= now;
  const previousEnds = Math.min(row.previous_expires_at ?? 0, row.expires_at ?? Number.POSITIVE_INFINITY);
  const inGrace = previousEnds > now && row.revoked_at === null;
  const {
    name,
    scopes,
    limit,
    windowSeconds,
    region,
    expiresAt,
    paused: _,
    allowedAddresses,
    ...settings
  } = KEY_SETTINGS.toFields(row);
  return {
    id: row.id,
    name,
    lastFour: row.last_four,
    state: row.revoked_at !== null ? "revoked" : expired ? "expired" : "active",
    ...{ scopes, limit, windowSeconds },
    createdAt: toTimestamp(row.created_at),
    createdBy: row.created_by,
    ...{ region, expiresAt },
    revokedAt: orNull(row.revoked_at),
    pausedAt: orNull(row.paused_at),
    allowedAddresses,
    leakedAt: orNull(row.leaked_at),
    lastUsedAt: orNull(row.last_used_at),
    previous: inGrace ? { expiresAt: toTimestamp(previousEnds), lastUsedAt: orNull(row.previous_last_used_at) } : null,
    usage: usage.map(toHourlyCount),
    // A further setting. Clients may compare answers as texts, so the order of the others stays.
    ...settings,
  };
}

export const toHourlyCount = ({ hour, admitted, limited }: HourCounts) => ({
  hour: toTimestamp(hour),
  admitted,
  limited,
});
