/** An owner's API keys: each function is one round trip, the change and its audit event in one transaction. */
import type { Identifier } from "../../credentials/id.ts";
import { type ApiKey, MAX_ACTIVE_KEYS, type NewApiKey, type Owner, type Storage } from "../../model/account-key.ts";
import type { AccountSettings } from "../../model/api-key-settings.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { SECRET_LENGTH } from "../../model/seen.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditKey, recordRefusal } from "../activity/audit-events.ts";
import { ACCOUNT_OF_OWNER, notDoneBefore } from "../idempotency.ts";
import { IS_ADMIN } from "../members/membership.ts";
import { accountOf, beginVisit, readAtVisit, type Visit } from "../members/owners.ts";
import { STORED_BYTES } from "../quota.ts";
import { changeOnce, type Repeated, toRepeated } from "../repeated-changes.ts";
import { afterRotation } from "../secrets/secret-rotation.ts";
import {
  ACTIVE,
  COLUMNS,
  firstKey,
  KEY_SETTINGS,
  type KeyRow,
  OWN,
  OWN_KEY,
  orNull,
  selectActive,
  toApiKey,
} from "./api-key-rows.ts";
import { nextExpiryNotice } from "./expiring-keys.ts";
import { type AskGates, type HourCounts, mergeHours, mergeLastUses } from "./unsaved-use.ts";

/** The last rotation. Times are Unix milliseconds; `usedSecret` is the beginning of a hash. */
type RotationOf = {
  readonly graceUntil: number | null;
  readonly seen: string | undefined;
  readonly usedSecret: string | null;
};

type ListedRow = KeyRow & { ended_count: number };
type HourRow = HourCounts & { readonly api_key_id: string };
type AccountRow = { stored_bytes: number; max_bytes: number; marks_leaked_keys: number };

/** A secret's hash (hex SHA-256 of the whole key) and its last four characters. */
type StoredSecret = { readonly hash: string; readonly lastFour: string };

const DAY_MS = 86_400_000;
/** A revoked key is listed for this long. */
const REVOKED_SHOWN_MS = 30 * DAY_MS;
/** The list shows this many keys that have ended. */
const ENDED_SHOWN = 20;
/** An account keeps this many keys that have ended. */
const ENDED_KEPT = 1_000;

/** The overview that an account owner sees first: the keys, the number of ended ones, and the used storage. */
type ApiKeyOverview = {
  readonly accountId: Identifier;
  /** The active ones, newest first; then the last 20 that have ended, except those that were revoked long ago. */
  readonly keys: readonly ApiKey[];
  /** The number of revoked and expired keys, listed or not. */
  readonly ended: number;
  readonly leakedKeys: AccountSettings["leakedKeys"];
  readonly storage: Storage;
};

/**
 * The keys that ended last, by revocation or by expiry; each kind is read in the order of an index. A key that is both counts as
 * revoked.
 */
const selectEnded = (columns: string, limit: number, revokedSince: string) => `
  SELECT * FROM (SELECT ${columns}, revoked_at AS ended_at FROM api_keys
    WHERE ${OWN} AND revoked_at > ${revokedSince} ORDER BY revoked_at DESC LIMIT ${limit})
  UNION ALL
  SELECT * FROM (SELECT ${columns}, expires_at AS ended_at FROM api_keys
    WHERE ${OWN} AND revoked_at IS NULL AND expires_at <= :now ORDER BY expires_at DESC LIMIT ${limit})`;
const IN_SIGHT = `:now - ${REVOKED_SHOWN_MS}`;

/** The active keys, and those that ended last. */
const LISTED = `
  SELECT ${COLUMNS}, (SELECT count(*) FROM (${selectEnded("id", ENDED_KEPT, IN_SIGHT)})) AS ended_count FROM (
    SELECT ${COLUMNS}, NULL AS ended_at FROM (${selectActive(OWN)})
    UNION ALL SELECT * FROM (${selectEnded(COLUMNS, ENDED_SHOWN, IN_SIGHT)}))
  ORDER BY ended_at IS NOT NULL, coalesce(ended_at, created_at) DESC, created_at DESC, id DESC
  LIMIT ${MAX_ACTIVE_KEYS + ENDED_SHOWN}`;

/**
 * Deletes a few of the keys that ended before the last 1,000. A few are enough, because an account's keys end one at a time. The
 * account notes it, so that a restore from a backup brings none of them back to life.
 */
const deleteLongEnded = (email: string, now: number) => [
  prepare(
    `DELETE FROM api_keys WHERE id IN (
       SELECT id FROM (${selectEnded("id", ENDED_KEPT + 10, "0")}) ORDER BY ended_at DESC LIMIT 10 OFFSET ${ENDED_KEPT})`,
    { email, now },
  ),
  prepare("UPDATE accounts SET keys_deleted_at = :now WHERE owner_email = :email AND changes() > 0", { email, now }),
];

/**
 * Lists the keys with the last 24 hours of their use: one round trip, and the gates of the active keys are asked for what D1 does not
 * have yet. Without `askGates`, the use is as D1 has it.
 */
export async function listApiKeys(
  session: Session,
  visit: Visit,
  askGates: AskGates = async () => new Map(),
): Promise<ApiKeyOverview> {
  const { email, now } = visit;
  const since = now - DAY_MS;
  const rows = await readAtVisit(session, visit, {
    listed: prepare<ListedRow>(LISTED, { email, now }),
    hours: prepare<HourRow>(
      `SELECT u.api_key_id, u.hour, u.admitted, u.limited FROM (${LISTED}) k JOIN api_key_usage u ON u.api_key_id = k.id
       WHERE u.hour > :since AND u.admitted + u.limited > 0 ORDER BY u.hour`,
      { email, now, since },
    ),
    account: prepare<AccountRow>(
      `SELECT ${STORED_BYTES} AS stored_bytes, max_bytes, marks_leaked_keys FROM accounts
       WHERE owner_email = :email`,
      { email },
    ),
  });
  const [account] = rows.account;
  const inUse = rows.listed.filter((row) => row.last_used_at !== null && toApiKey(row, now, []).state === "active");
  const gates = await askGates(inUse.map(({ id }) => id));
  const keys = rows.listed.map((row) => {
    const saved: readonly HourCounts[] = rows.hours.filter(({ api_key_id }) => api_key_id === row.id);
    const unsaved = gates.get(row.id);
    return toApiKey(mergeLastUses(row, unsaved), now, mergeHours(saved, unsaved?.hours, since));
  });
  const active = keys.filter(({ state }) => state === "active");
  return {
    accountId: accountOf(rows),
    keys: [...active, ...keys.slice(active.length, active.length + ENDED_SHOWN)],
    ended: rows.listed[0]?.ended_count ?? 0,
    leakedKeys: account?.marks_leaked_keys ? "mark" : "end",
    storage: { usedBytes: account?.stored_bytes ?? 0, maxBytes: account?.max_bytes ?? 0 },
  };
}

/** Selects whether the key exists. */
const selectKey = (key: string, values: Parameters<typeof prepare>[1]) =>
  prepare(`SELECT 1 FROM api_keys WHERE ${key}`, values);

/**
 * Creates a key. `"limit"`: the account has the maximum of active keys. `"exists"`: a key has this id, for example because a form
 * was sent twice. Also deletes keys that ended long ago.
 */
export async function createApiKeyRow(
  session: Session,
  {
    owner,
    visit,
    key,
    settings: { expiresInDays, ...chosen },
    stamp: { now, eventId },
    idempotencyKey,
  }: {
    readonly owner: Owner;
    readonly visit: Visit;
    readonly key: { readonly id: string } & StoredSecret;
    readonly settings: NewApiKey;
    readonly stamp: AuditStamp;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<{ readonly accountId: Identifier; readonly created: ApiKey | Repeated | "limit" | "exists" }> {
  const { email, person, actor } = owner;
  const input = { ...chosen, expiresAt: orNull(expiresInDays === null ? null : now + expiresInDays * DAY_MS) };
  const event = { event: "created", apiKeyName: chosen.name, settings: KEY_SETTINGS.toRecorded(input) } as const;
  const creation = { ...event, id: eventId, apiKeyId: key.id, now };
  const values = { ...key, email, person, actor, now, idempotencyKey: idempotencyKey?.key };
  const { columns, parameters } = KEY_SETTINGS.inserted(input);
  const insert = prepare<KeyRow>(
    `INSERT INTO api_keys (id, account_id, ${columns}, secret_hash, last_four, created_at, created_by, expiry_notice_at)
     SELECT :id, a.id, ${parameters}, :hash, :lastFour, :now, :actor, ${nextExpiryNotice(":expiresAt")}
     FROM accounts a
     WHERE a.owner_email = :email AND ${MAX_ACTIVE_KEYS} > (
       SELECT count(*) FROM (${selectActive("account_id = a.id")})) AND ${IS_ADMIN} AND ${notDoneBefore("a.id")}
     ON CONFLICT (id) DO NOTHING RETURNING ${COLUMNS}`,
    { ...KEY_SETTINGS.values(input), ...values },
  );
  const { before, after } = changeOnce(email, idempotencyKey, key.id);
  const rows = await session.batch({
    ...before,
    ...beginVisit(visit),
    inserted: insert,
    audited: auditKey(owner, creation),
    ...after,
    refused: recordRefusal(owner, creation, idempotencyKey?.key),
    longEnded: deleteLongEnded(email, now),
    existing: selectKey(OWN_KEY, values),
  });
  const created =
    firstKey(rows.inserted, now) ??
    toRepeated(rows.recalled, idempotencyKey) ??
    (rows.existing.length > 0 ? "exists" : "limit");
  return { accountId: accountOf(rows), created };
}

/** `:usedSecret` comes from the gate and is more recent than the row. */
const IS_UNUSED = `substr(secret_hash, 1, ${SECRET_LENGTH}) NOT IN (coalesce(:usedSecret, ''), coalesce(seen ->> '$.newest.secret', ''))`;
const ROTATED = afterRotation(
  { newest: "secret_hash", previous: "previous_secret_hash", previousUntil: "previous_expires_at" },
  { until: ":graceUntil", now: ":now", isUnused: IS_UNUSED },
);

/**
 * Gives an active key a new secret (secret-rotation.ts). The secret in use works until `graceUntil`, or ends at once if that is
 * null. `seen` is the last four characters of the secret that the owner saw. If the key has another secret by now, because a form
 * was sent twice or from an outdated page, nothing is rotated and the result is `"rotated"`.
 */
export async function rotateApiKey(
  session: Session,
  {
    owner,
    id,
    secret,
    rotation: { graceUntil, seen, usedSecret },
    stamp: { now, eventId },
    idempotencyKey,
  }: {
    readonly owner: Owner;
    readonly id: string;
    readonly secret: StoredSecret;
    readonly rotation: RotationOf;
    readonly stamp: AuditStamp;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<ApiKey | Repeated | "rotated" | null> {
  const { email, person, actor } = owner;
  const active = `${OWN_KEY} AND ${ACTIVE}`;
  const values = {
    ...secret,
    email,
    person,
    actor,
    id,
    now,
    graceUntil,
    seen,
    usedSecret,
    idempotencyKey: idempotencyKey?.key,
  };
  const update = prepare<KeyRow>(
    `UPDATE api_keys SET
       previous_secret_hash = ${ROTATED.previous}, previous_expires_at = ${ROTATED.previousUntil},
       previous_last_used_at = iif(:graceUntil IS NOT NULL AND ${ROTATED.givesWay}, previous_last_used_at, NULL),
       secret_hash = :hash, last_four = :lastFour, rotated_at = :now, leaked_at = NULL
     WHERE ${active} AND last_four = coalesce(:seen, last_four) AND ${IS_ADMIN} AND ${notDoneBefore(ACCOUNT_OF_OWNER)}
     RETURNING ${COLUMNS}`,
    values,
  );
  const { before, after } = changeOnce(email, idempotencyKey, id);
  const rows = await session.batch({
    ...before,
    rotated: update,
    audited: auditKey(owner, { id: eventId, event: "rotated", apiKeyId: id, apiKeyName: "", now }),
    ...after,
    active: selectKey(active, values),
  });
  return (
    firstKey(rows.rotated, now) ??
    toRepeated(rows.recalled, idempotencyKey) ??
    (rows.active.length > 0 ? "rotated" : null)
  );
}

/** Revoking again changes nothing and returns the key as it is. */
export async function revokeApiKey(
  session: Session,
  { owner, id, stamp: { now, eventId } }: { readonly owner: Owner; readonly id: string; readonly stamp: AuditStamp },
): Promise<ApiKey | null> {
  const values = { email: owner.email, person: owner.person, actor: owner.actor, id, now };
  const own = `${OWN_KEY} AND ${IS_ADMIN}`;
  const { apiKeys } = await session.batch({
    revoked: prepare(`UPDATE api_keys SET revoked_at = :now WHERE ${own} AND revoked_at IS NULL`, values),
    audited: auditKey(owner, { id: eventId, event: "revoked", apiKeyId: id, apiKeyName: "", now }),
    apiKeys: prepare<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE ${own}`, values),
  });
  return firstKey(apiKeys, now);
}

export async function loadOwnApiKey(
  session: Session,
  { email, id, now }: { readonly email: string; readonly id: string; readonly now: number },
): Promise<ApiKey | null> {
  return firstKey(
    await session.all(prepare<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE ${OWN_KEY}`, { email, id })),
    now,
  );
}

/** The key's account, and its owner: the e-mail address, or the account's id when its owner was removed. */
export async function findOwnerOfKey(session: Session, id: string) {
  const statement = prepare<{ email: string; accountId: string }>(
    "SELECT owner_email AS email, id AS accountId FROM accounts WHERE id = (SELECT account_id FROM api_keys WHERE id = :id)",
    { id },
  );
  return session.first(statement);
}
