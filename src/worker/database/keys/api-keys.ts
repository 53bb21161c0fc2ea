/** Rows of `api_keys`, for a key's gate. */
import type { ApiKeyRecord } from "../../model/api-key.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

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

/** Reads the key's record from the primary, so that it shows every committed revocation. Null when there is no such key. */
export async function loadApiKeyRecord(session: Session, apiKeyId: string): Promise<ApiKeyRecord | null> {
  const row = await session.first(
    prepare<Row>(
      `SELECT k.account_id, a.status AS account_status, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
         k.scopes, k.rate_limit, k.rate_window_seconds, k.expires_at, k.revoked_at, k.paused_at,
         k.allowed_addresses
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.id = :apiKeyId`,
      { apiKeyId },
    ),
  );
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
