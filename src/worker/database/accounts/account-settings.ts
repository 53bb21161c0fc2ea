/** The account's settings by its owner. The change and its audit event are in one transaction. */
import type { Owner } from "../../model/account-key.ts";
import { AccountSettings, type NewAccountSettings } from "../../model/api-key-settings.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import type { AuditStamp } from "../activity/audit-events.ts";
import { storedFields } from "../columns.ts";
import { IS_ADMIN } from "../members/membership.ts";

const SETTINGS = storedFields(AccountSettings, {
  leakedKeys: {
    column: "marks_leaked_keys",
    write: (value) => (value === "mark" ? 1 : 0),
    read: (value) => (value === 1 ? "mark" : "end"),
    recorded: "iif(marks_leaked_keys, 'mark', 'end')",
  },
});

type SettingsRow = Readonly<Record<string, unknown>>;

const selectSettings = (accountId: string) =>
  prepare<SettingsRow>(`SELECT ${SETTINGS.selected} FROM accounts WHERE id = :accountId`, { accountId });

/** Null when the account is not there. */
export async function loadAccountSettings(session: Session, accountId: string): Promise<AccountSettings | null> {
  const row = await session.first(selectSettings(accountId));
  return row && SETTINGS.toFields(row);
}

/**
 * Changes the given settings and no others. Setting the present values again is not a change. Returns all settings; null when the person
 * is no longer a member.
 */
export async function setAccountSettings(
  session: Session,
  {
    owner: { email, person, actor, address },
    accountId,
    changes,
    stamp: { now, eventId },
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly changes: NewAccountSettings;
    readonly stamp: AuditStamp;
  },
): Promise<AccountSettings | null> {
  const set = SETTINGS.set(changes);
  if (set.length === 0) return loadAccountSettings(session, accountId);
  const recorded = SETTINGS.recorded(changes);
  const after = JSON.stringify(SETTINGS.toRecorded(changes));
  const values = { ...SETTINGS.values(changes), after, email, person, actor, address, accountId, now, eventId };
  // The event comes first, because it records the values before the change.
  const { settled } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT :eventId, id, 'changed', NULL, '', :actor, :address, :now, json_object('before', json(${recorded}), 'after', json(:after))
       FROM accounts WHERE id = :accountId AND NOT (${SETTINGS.has(changes)}) AND ${IS_ADMIN}`,
      values,
    ),
    updated: prepare(
      `UPDATE accounts SET ${set.join(", ")} WHERE id = :accountId AND EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)`,
      values,
    ),
    settled: selectSettings(accountId),
  });
  const [row] = settled;
  if (row === undefined) return null;
  const settings = SETTINGS.toFields(row);
  const isSet = (Object.keys(changes) as (keyof AccountSettings)[]).every(
    (name) => changes[name] === undefined || JSON.stringify(settings[name]) === JSON.stringify(changes[name]),
  );
  return isSet ? settings : null;
}
