/** Rows of `api_keys`, as a key's gate reads them. */
import { FIRST_USE } from "../model/allowed-addresses.ts";
import type { ApiKeyRecord } from "../model/api-key.ts";
import { CHANGED } from "./audit-events.ts";

type Row = {
  account_id: string;
  account_status: string;
  secret_hash: string;
  previous_secret_hash: string | null;
  previous_expires_at: number | null;
  scopes: string;
  rate_limit: number;
  rate_window_seconds: number;
  expires_at: number | null;
  revoked_at: number | null;
  paused_at: number | null;
  allowed_addresses: string | null;
};

/** The key's record, read from the primary, so that it shows every committed revocation. Null when there is no such key. */
export async function loadApiKeyRecord(database: D1Database, apiKeyId: string): Promise<ApiKeyRecord | null> {
  const row = await database
    .prepare(
      `SELECT k.account_id, a.status AS account_status, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
         k.scopes, k.rate_limit, k.rate_window_seconds, k.expires_at, k.revoked_at, k.paused_at,
         k.allowed_addresses
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.id = ?1`,
    )
    .bind(apiKeyId)
    .first<Row>();
  if (row === null) return null;
  return {
    accountId: row.account_id,
    accountSuspended: row.account_status === "suspended",
    secretHash: row.secret_hash,
    previous:
      row.previous_secret_hash === null
        ? null
        : { secretHash: row.previous_secret_hash, expiresAt: row.previous_expires_at ?? 0 },
    scopes: JSON.parse(row.scopes),
    rateLimit: { limit: row.rate_limit, windowMs: row.rate_window_seconds * 1000 },
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    pausedAt: row.paused_at,
    allowedAddresses: row.allowed_addresses === null ? null : JSON.parse(row.allowed_addresses),
  };
}

/**
 * Limits a key that waits for its first address to this one, and records it: of several at the same time, the first. `now` is in
 * Unix milliseconds.
 */
export async function takeFirstAddress(
  database: D1Database,
  apiKeyId: string,
  address: string,
  eventId: string,
  now: number,
): Promise<void> {
  const before = JSON.stringify([FIRST_USE]);
  const after = JSON.stringify([address]);
  const changes = `{"before":{"allowedAddresses":${before}},"after":{"allowedAddresses":${after}}}`;
  await database.batch([
    database
      .prepare("UPDATE api_keys SET allowed_addresses = ?3 WHERE id = ?1 AND allowed_addresses = ?2")
      .bind(apiKeyId, before, after),
    database
      .prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
         SELECT ?2, account_id, '${CHANGED}', id, name, NULL, ?3, ?4, ?5 FROM api_keys WHERE id = ?1 AND changes() > 0`,
      )
      .bind(apiKeyId, eventId, address, now, changes),
  ]);
}
