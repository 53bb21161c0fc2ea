/** Changes an API key's settings for its owner: one round trip, the change and its audit event in one transaction. */
import { type ApiKey, MAX_ACTIVE_KEYS, type Owner } from "../../model/account-key.ts";
import type { ApiKeyChanges } from "../../model/api-key-settings.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import type { AuditStamp } from "../activity/audit-events.ts";
import { IS_ADMIN } from "../members/membership.ts";
import { ACTIVE, COLUMNS, KEY_SETTINGS, type KeyRow, OWN, OWN_KEY, selectActive, toApiKey } from "./api-key-rows.ts";
import { nextExpiryNotice } from "./expiring-keys.ts";

/**
 * If the clock was ahead, a key may have looked expired and another may have taken its place. If the account has the maximum of
 * active keys without this one, it has ended.
 */
const HAS_PLACE = `${MAX_ACTIVE_KEYS} > (SELECT count(*) FROM (${selectActive(`${OWN} AND id <> :id`)}))`;

/**
 * Changes the given settings and no others, so of two changes at the same time, the later one of each setting stays. Setting the
 * present values is no change. `"ended"`: the key is revoked or expired. `"changed-meanwhile"`: it no longer is as a form was `opened`
 * with. Null when the owner has no such key.
 */
export async function changeApiKey(
  session: Session,
  {
    owner: { email, person, actor, address },
    id,
    changes,
    opened = {},
    stamp: { now, eventId },
  }: {
    readonly owner: Owner;
    readonly id: string;
    readonly changes: ApiKeyChanges;
    readonly opened?: ApiKeyChanges | undefined;
    readonly stamp: AuditStamp;
  },
): Promise<ApiKey | "ended" | "changed-meanwhile" | null> {
  const settings = KEY_SETTINGS.recorded(changes);
  const after = JSON.stringify(KEY_SETTINGS.toRecorded(changes));
  const still = KEY_SETTINGS.still(opened);
  const values = {
    ...KEY_SETTINGS.values(changes),
    ...still.values,
    ...{ name: changes.name, after, email, person, actor, address, id, now, eventId },
  };
  const set = ["changed_at = :now", ...KEY_SETTINGS.set(changes)];
  if (changes.expiresAt !== undefined) set.push(`expiry_notice_at = ${nextExpiryNotice(":expiresAt")}`);
  // The event comes first, because it records the values before the change.
  const { changed } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT :eventId, account_id, 'changed', id, coalesce(:name, name), :actor, :address, :now,
         json_object('before', json(${settings}), 'after', json(:after))
       FROM api_keys WHERE ${OWN_KEY} AND ${ACTIVE} AND ${HAS_PLACE} AND ${IS_ADMIN} AND ${still.condition} AND ${settings} <> :after`,
      values,
    ),
    updated: prepare(
      `UPDATE api_keys SET ${set.join(", ")}
       WHERE ${OWN_KEY} AND EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)`,
      values,
    ),
    changed: prepare<KeyRow & { is_so: number }>(
      `SELECT ${COLUMNS}, ${settings} = :after AS is_so FROM api_keys WHERE ${OWN_KEY}`,
      values,
    ),
  });
  const [row] = changed;
  if (row === undefined) return null;
  const apiKey = toApiKey(row, now, []);
  if (apiKey.state !== "active") return "ended";
  if (row.is_so === 1) return apiKey;
  return Object.keys(opened).length > 0 ? "changed-meanwhile" : "ended";
}
