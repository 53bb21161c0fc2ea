/** An owner's webhooks: each function is one round trip, the change and its audit event in one transaction. */
import * as z from "zod/mini";
import { decodeBase62 } from "../../credentials/base62.ts";
import type { Identifier } from "../../credentials/id.ts";
import type { Owner } from "../../model/account-key.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { flag, toTimestamp } from "../../model/text.ts";
import {
  CHANGE_ID,
  MAX_WEBHOOKS,
  NewWebhook,
  SECRET_OVERLAP_MS,
  type Webhook,
  type WebhookChanges,
  type WebhookMove,
  type WebhookState,
} from "../../model/webhook.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditWebhook, type WebhookEvent } from "../activity/audit-events.ts";
import { storedFields } from "../columns.ts";
import { ACCOUNT_OF_OWNER, notDoneBefore } from "../idempotency.ts";
import { orNull } from "../keys/api-key-rows.ts";
import { IS_ADMIN } from "../members/membership.ts";
import { accountOf, beginVisit, readAtVisit, type Visit } from "../members/owners.ts";
import { changeOnce, type Repeated, toRepeated } from "../repeated-changes.ts";
import {
  DATABASE_NOW,
  EARLIER_SECRETS,
  newestOf,
  RECENT_WITH,
  type SecretColumns,
  type StoredAttempt,
  toSecrets,
  withNewSecret,
} from "./deliveries.ts";

/** What its owner chooses for a webhook: all of it is recorded in the activity. */
const SETTINGS = storedFields(z.strictObject({ ...NewWebhook.shape, paused: flag() }), {
  url: { selected: "shown_url", recorded: "shown_url" },
  paused: {
    column: "state",
    set: "iif(:paused, 'paused', 'active')",
    compared: "(state <> 'active')",
    read: (state) => state !== "active",
    recorded: "json(iif(state <> 'active', 'true', 'false'))",
  },
});

type Row = SecretColumns & {
  id: string;
  called_url: string;
  state: WebhookState;
  created_at: number;
  created_by: string | null;
  reached_at: number | null;
  waiting: number;
  missed: number;
  failing_since: number | null;
  due_at: number | null;
  recent: string;
};

const OWN = `account_id = ${ACCOUNT_OF_OWNER}`;
const OWN_WEBHOOK = `id = :id AND ${OWN}`;
const NEWEST = newestOf("webhooks.account_id");
const COLUMNS = `id, ${SETTINGS.selected}, url AS called_url, created_at, created_by, missed, failing_since, due_at, recent, ${NEWEST} - number AS waiting,
  secret, ${EARLIER_SECRETS},
  (SELECT changed_at FROM change_log c WHERE c.account_id = webhooks.account_id AND c.number = webhooks.number) AS reached_at`;

/** A webhook, where it is called, and the secrets that sign its deliveries. */
type OwnWebhook = { readonly webhook: Webhook; readonly url: string; readonly secrets: readonly string[] };

function toWebhook(row: Row): Webhook {
  const { paused: _, ...settings } = SETTINGS.toFields(row);
  return {
    ...{ id: row.id, ...settings, state: row.state },
    createdAt: toTimestamp(row.created_at),
    createdBy: row.created_by,
    reachedAt: orNull(row.reached_at),
    waiting: row.waiting,
    missed: row.missed,
    failingSince: orNull(row.failing_since),
    nextAttemptAt: orNull(row.due_at),
    previousSecretUntil: orNull(toSecrets(row).earlierUntil),
    attempts: (JSON.parse(row.recent) as StoredAttempt[]).map(({ at, url = null, until: _, ...rest }) => ({
      at: toTimestamp(at),
      ...rest,
      url,
    })),
  };
}

/** Oldest first. */
export async function listWebhooks(
  session: Session,
  visit: Visit,
): Promise<{ readonly accountId: Identifier; readonly webhooks: readonly Webhook[] }> {
  const rows = await readAtVisit(session, visit, {
    webhooks: prepare<Row>(`SELECT ${COLUMNS} FROM webhooks WHERE ${OWN} ORDER BY created_at, id`, {
      email: visit.email,
    }),
  });
  return { accountId: accountOf(rows), webhooks: rows.webhooks.map(toWebhook) };
}

export async function loadWebhook(session: Session, email: string, id: string): Promise<Webhook | null> {
  const sql = `SELECT ${COLUMNS} FROM webhooks WHERE ${OWN_WEBHOOK}`;
  const row = await session.first(prepare<Row>(sql, { email, id }));
  return row && toWebhook(row);
}

/** Adds a test to the recent attempts. */
export const recordTest = (
  session: Session,
  { email, id, attempt }: { readonly email: string; readonly id: string; readonly attempt: StoredAttempt },
) =>
  session.run(
    prepare(`UPDATE webhooks SET ${RECENT_WITH} WHERE ${OWN_WEBHOOK}`, {
      email,
      id,
      attempt: JSON.stringify(attempt),
    }),
  );

/**
 * A change of a webhook: its audit event, and its statement's parameters. `when` is a condition in addition to the ownership.
 * `before` and `after` are the settings in the event: SQL expressions over a row of `webhooks`, before the change and after it.
 */
export type WebhookChange = {
  /** It only ends or pauses, so no number of changes stands in its way. Before it can be done again, something counted has to be done. */
  readonly isNeverRefused?: boolean;
  readonly when?: string;
  readonly before?: string;
  readonly after?: string;
  readonly event: WebhookEvent;
  readonly sql: string;
  readonly values?: Parameters<typeof prepare>[1];
};

/** Records the event first, with the conditions. The change is made only if the event was recorded. */
const IS_RECORDED = "EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)";

const update = (event: WebhookEvent, set: string, values?: WebhookChange["values"]): WebhookChange => ({
  event,
  sql: `UPDATE webhooks SET ${set}, changed_at = :now WHERE ${OWN_WEBHOOK} AND ${IS_RECORDED} RETURNING ${COLUMNS}`,
  ...(values && { values }),
});

/** A new webhook begins after the newest change. */
export const createWebhook = (secret: string, input: NewWebhook): WebhookChange => ({
  event: "webhook-created",
  after: SETTINGS.recorded(),
  sql: `INSERT INTO webhooks (id, account_id, ${SETTINGS.inserted(input).columns}, secret, created_at, created_by, number)
     SELECT :id, a.id, ${SETTINGS.inserted(input).parameters}, :secret, :now, :actor, ${newestOf("a.id")} FROM accounts a
     WHERE a.owner_email = :email AND ${MAX_WEBHOOKS} > (SELECT count(*) FROM webhooks WHERE account_id = a.id)
       AND ${IS_ADMIN} AND ${notDoneBefore("a.id")}
     RETURNING ${COLUMNS}`,
  values: { ...SETTINGS.values(input), secret },
});

/** Gives the webhook a new secret. The one before signs too for 24 hours, and an earlier one as long as it was promised. */
export const rotateWebhook = (secret: string): WebhookChange =>
  update("webhook-rotated", withNewSecret(`${DATABASE_NOW} + ${SECRET_OVERLAP_MS}`), { secret });

/** Records only the event. A suspended account sends nothing, not even a test. */
export const testWebhook: WebhookChange = {
  ...update("webhook-tested", "id = id"),
  when: "EXISTS (SELECT 1 FROM accounts a WHERE a.id = webhooks.account_id AND a.status = 'active')",
};

export const deleteWebhook: WebhookChange = {
  isNeverRefused: true,
  event: "webhook-deleted",
  before: SETTINGS.recorded(),
  sql: `DELETE FROM webhooks WHERE ${OWN_WEBHOOK} AND ${IS_RECORDED} RETURNING ${COLUMNS}`,
};

/** If the condition holds, the webhook delivers from its place on, at once, and its failures are forgotten. */
const goesOn = (condition = "TRUE") =>
  `attempts = iif(${condition}, 0, attempts), failing_since = iif(${condition}, NULL, failing_since), missed = iif(${condition}, 0, missed)`;
const dueFrom = (number: string) => `iif(${number} < ${NEWEST}, ${DATABASE_NOW}, NULL)`;

const ANOTHER_URL = "url <> :url";

/**
 * Changes the URL or the types, or pauses or resumes the webhook. After resuming, or with another URL, it delivers from its place
 * on. `shownUrl` is the new URL as people see it. `opened`: what a form was opened with of what it changes.
 */
export function changeWebhook(
  changes: WebhookChanges,
  {
    shownUrl = changes.url,
    opened,
  }: { readonly shownUrl?: string | undefined; readonly opened?: WebhookChanges | undefined } = {},
): WebhookChange {
  const { url, paused } = changes;
  const still = opened && SETTINGS.still(opened);
  const after = SETTINGS.toRecorded({ ...changes, url: shownUrl });
  const dueAt =
    paused === undefined
      ? `iif(${ANOTHER_URL} AND state = 'active', ${dueFrom("number")}, due_at)`
      : paused
        ? "NULL"
        : dueFrom("number");
  return {
    isNeverRefused: paused === true && Object.keys(after).length === 1,
    before: SETTINGS.recorded(changes),
    after: "json(:after)",
    ...update(
      paused === undefined ? "webhook-changed" : paused ? "webhook-paused" : "webhook-resumed",
      [...SETTINGS.set(changes), goesOn(paused === false ? "TRUE" : ANOTHER_URL), `due_at = ${dueAt}`].join(),
      { ...SETTINGS.values(changes), url, after: JSON.stringify(after), ...still?.values },
    ),
    ...(still && { when: still.condition }),
  };
}

/** The last change before the time `:at`, found by binary search: the log's numbers have no gaps, and its times ascend with them. */
const LAST_BEFORE = `(WITH RECURSIVE halves (low, high) AS (
  SELECT (SELECT min(number) FROM change_log WHERE account_id = webhooks.account_id), ${NEWEST} + 1
  UNION ALL
  SELECT iif(c.changed_at < :at, c.number + 1, low), iif(c.changed_at < :at, high, c.number)
  FROM halves JOIN change_log c ON c.account_id = webhooks.account_id AND c.number = (low + high) / 2 WHERE low < high)
  SELECT coalesce(max(low) - 1, webhooks.number) FROM halves WHERE low >= high)`;

/**
 * True when the change `from` is the next one. Its time is compared too, because after a restore from a backup another change can
 * have its number.
 */
const IS_AT = `account_id = :fromAccount AND number + 1 = :fromNumber AND EXISTS (SELECT 1 FROM change_log c
  WHERE c.account_id = :fromAccount AND c.number = :fromNumber AND c.changed_at = :fromTime)`;

/** Moves the webhook to another place in the log; with `from`, only from that place. */
export function moveWebhook({ to, from }: WebhookMove): WebhookChange {
  const place = to === "now" ? NEWEST : to === "next" ? `min(number + 1, ${NEWEST})` : LAST_BEFORE;
  const set = `number = ${place}, ${goesOn()}, due_at = iif(state = 'active', ${dueFrom(place)}, NULL)`;
  const [, fromAccount, fromNumber, fromTime] = CHANGE_ID.exec(from ?? "") ?? [];
  return {
    ...update("webhook-moved", set, {
      ...{ at: Date.parse(to), fromAccount, fromNumber: Number(fromNumber) },
      fromTime: decodeBase62(fromTime ?? ""),
    }),
    before: "json_object('place', number)",
    after: `json_object('place', ${place})`,
    ...(from !== undefined && { when: IS_AT }),
  };
}

/**
 * Makes the change. `made` is undefined when the owner has no such webhook, or its state does not allow the change. For a
 * creation, which comes with a `visit`, it is undefined when the account has the maximum. `visited` is for `accountOf`.
 */
export async function changeOwnWebhook(
  session: Session,
  {
    owner,
    id,
    change: { event, sql, values: more, when = "TRUE", before: settingsBefore, after: settingsAfter },
    stamp,
    idempotencyKey,
    visit,
  }: {
    readonly owner: Owner;
    readonly id: string;
    readonly change: WebhookChange;
    readonly stamp: AuditStamp;
    readonly idempotencyKey?: IdempotencyKey | undefined;
    readonly visit?: Visit | undefined;
  },
): Promise<Parameters<typeof accountOf>[0] & { readonly made: OwnWebhook | Repeated | undefined }> {
  const { email, person, actor, address } = owner;
  const values = { ...more, ...stamp, id, event, email, person, actor, address, idempotencyKey: idempotencyKey?.key };
  const changed = prepare<Row>(sql, values);
  const may = `${IS_ADMIN} AND ${notDoneBefore(ACCOUNT_OF_OWNER)}`;
  const changes =
    (settingsBefore ?? settingsAfter)
      ? `json_object('before', ${settingsBefore ?? "NULL"}, 'after', ${settingsAfter ?? "NULL"})`
      : "NULL";
  const condition = `${OWN_WEBHOOK} AND ${when} AND ${visit ? "changes() > 0" : may}`;
  const audited = auditWebhook({ condition, changes }, values);
  const begun = visit && beginVisit(visit);
  const { before, after } = changeOnce(email, idempotencyKey, id);
  const rows = await session.batch({
    ...before,
    entered: begun?.entered,
    opened: begun?.opened,
    visited: begun?.visited,
    ...(visit ? { changed, audited } : { audited, changed }),
    // Pausing a paused webhook is no event: it is never refused, so it could push out others.
    unchanged:
      settingsBefore && settingsAfter
        ? prepare(
            "DELETE FROM audit_events WHERE id = :eventId AND changes -> '$.before' IS changes -> '$.after'",
            values,
          )
        : undefined,
    // So a restore from a backup knows that a missing webhook was deleted.
    marked:
      event === "webhook-deleted"
        ? prepare(`UPDATE accounts SET webhook_deleted_at = :now WHERE owner_email = :email AND ${IS_RECORDED}`, values)
        : undefined,
    ...after,
  });
  const { visited = [], recalled } = rows;
  const [row] = rows.changed;
  if (row === undefined) return { visited, made: toRepeated(recalled, idempotencyKey) };
  return { visited, made: { webhook: toWebhook(row), url: row.called_url, secrets: toSecrets(row).secrets } };
}
