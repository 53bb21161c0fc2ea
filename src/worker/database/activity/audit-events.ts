/** Rows of `audit_events`. */
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId, type Identifier } from "../../credentials/id.ts";
import type { Owner } from "../../model/account-key.ts";
import type { AuditEvent, AuditedSubject } from "../../model/audit-event.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Proposal } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { ACCOUNT_OF_OWNER, notDoneBefore } from "../idempotency.ts";
import { IS_ADMIN } from "../members/membership.ts";
import { accountOf, readAtVisit, type Visit } from "../members/owners.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { authorStays } from "../proposals/deletions.ts";

export type EventRow = {
  id: string;
  event: AuditEvent["event"];
  api_key_id: string | null;
  api_key_name: string;
  actor: string | null;
  address: string | null;
  created_at: number;
  changes: string | null;
  webhook_id: string | null;
  subject_id: string | null;
  idea_bank_id: string | null;
  /** Of `proposals-changed`: the titles by identifier, a JSON object. */
  titles?: string | null;
};

export const EVENT_COLUMNS =
  "id, event, api_key_id, api_key_name, actor, address, created_at, changes, webhook_id, subject_id, idea_bank_id";

/** The titles that the first proposals of `proposals-changed` have now. They are not stored in it, because each has its own author. */
export const FIRST_TITLES = `iif(event = 'proposals-changed', (SELECT json_group_object(p.id, p.title) FROM proposals p
    WHERE p.id IN (${[0, 1, 2].map((index) => `changes ->> '$.each[${index}][0]'`)}) AND +p.account_id = ${ACCOUNT_OF_OWNER}
      AND p.idea_bank_id <> p.id AND ${authorStays("p.author_id")}), NULL) AS titles`;

/** The settings as they are stored: times are Unix milliseconds. */
type StoredSettings = Readonly<Record<string, unknown>>;
type StoredChanges = { readonly before: StoredSettings | null; readonly after: StoredSettings | null };

const REFUSAL_INTERVAL_MS = 60_000;

/** Of acts that nothing else bounds, this many events are recorded for an account in a day. */
export const UNCOUNTED_A_DAY = 100;
const DAY_MS = 86_400_000;
const LOOKED_AT = 1_000;

/** The account and the time (Unix milliseconds) of an event, as SQL. */
type Whose = { readonly accountId: string; readonly now: string };

/** SQL: such events among the account's last 1,000 of the day, newest first. `events` is SQL about a row of `audit_events`. */
const recentOnes = (events: string, { accountId, now }: Whose): string =>
  `(SELECT event, actor, api_key_id, created_at FROM audit_events WHERE account_id = ${accountId}
     AND created_at > ${now} - ${DAY_MS} ORDER BY created_at DESC LIMIT ${LOOKED_AT}) WHERE ${events}`;

/** SQL: how many they are. */
export const countRecent = (events: string, whose: Whose): string =>
  `(SELECT count(*) FROM ${recentOnes(events, whose)})`;

/**
 * SQL: the condition of an event of an act that may be repeated without being counted as an owner's change: so nobody pushes other events
 * out by it. The act is done in any case.
 */
export const isRecordable = (events: string, whose: Whose): string =>
  `${UNCOUNTED_A_DAY} > ${countRecent(events, whose)}`;

/** SQL: in how many milliseconds one more of them is recordable. No row when it is now. */
export const selectWait = (events: string, whose: Whose): string =>
  `SELECT created_at + ${DAY_MS} - ${whose.now} AS wait_ms FROM ${recentOnes(events, whose)}
   ORDER BY created_at DESC LIMIT 1 OFFSET ${UNCOUNTED_A_DAY - 1}`;

/** The time (Unix milliseconds) and the id of an audit event. */
export type AuditStamp = { readonly now: number; readonly eventId: string };

/** The stamp of an event that happens now. `id` is any identifier in the event's database. */
export const stamp = (id: string): AuditStamp => ({ now: Date.now(), eventId: createId(id, secureRandomBytes) });

/** An audit event to record. `id` is the event's own. */
type NewAuditEvent = {
  readonly id: string;
  readonly event: AuditEvent["event"];
  readonly apiKeyId: string | null;
  readonly apiKeyName: string;
  readonly now: number;
  /** The settings, when something new was created. */
  readonly settings?: object;
};

/** The statement after a change of a key. It records the event if the change has changed a row. */
export const auditKey = (
  { email, actor, address }: Owner,
  { id, event, apiKeyId, apiKeyName, now, settings }: NewAuditEvent,
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
     SELECT :id, a.id, :event, :apiKeyId, coalesce((SELECT name FROM api_keys WHERE id = :apiKeyId), :apiKeyName), :actor, :address, :now,
       :changes
     FROM accounts a WHERE a.owner_email = :email AND changes() > 0`,
    {
      ...{ email, id, event, apiKeyId, apiKeyName, actor, address, now },
      changes: settings && JSON.stringify({ before: null, after: settings }),
    },
  );

/** The statement after a change of the account itself. It records the event if the change has changed a row. */
export const auditChange = (
  { eventId, accountId, actor, address, now }: AuditStamp & Pick<Owner, "actor" | "address"> & { accountId: string },
  changes: object,
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
     SELECT :eventId, :accountId, 'changed', NULL, '', :actor, :address, :now, :changes WHERE changes() > 0`,
    { eventId, accountId, actor, address, now, changes: JSON.stringify(changes) },
  );

/** The statement that records that a member has another address, by the operator, if `condition` holds. */
export const auditMove = (
  {
    eventId,
    accountId,
    now,
    move,
  }: AuditStamp & { readonly accountId: string; readonly move: { readonly from: string; readonly to: string } },
  condition: string,
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
     SELECT :eventId, :accountId, 'changed', NULL, '', 'the operator', NULL, :now,
       json_object('before', json_object('member', :from), 'after', json_object('member', :to)) WHERE ${condition}`,
    { eventId, accountId, now, ...move },
  );

export type WebhookEvent = Extract<AuditEvent["event"], `webhook-${string}`>;

/** The statement that records an event of a webhook if `condition` holds. `changes` is an SQL expression: a JSON object, or NULL. */
export const auditWebhook = (
  { condition, changes }: { readonly condition: string; readonly changes: string },
  values: Owner & { readonly eventId: string; readonly event: WebhookEvent; readonly id: string; readonly now: number },
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes)
     SELECT :eventId, account_id, :event, NULL, shown_url, :actor, :address, :now, id, ${changes} FROM webhooks WHERE ${condition}`,
    values,
  );

/**
 * The statement that records a creation that the maximum of keys refused, which is known because the key does not exist after it.
 * It records at most one a minute, and no replay.
 */
export const recordRefusal = (
  { email, person, actor, address }: Owner,
  { id, apiKeyId, apiKeyName, now }: NewAuditEvent,
  idempotencyKey: string | undefined,
): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at)
     SELECT :id, a.id, 'refused', NULL, :apiKeyName, :actor, :address, :now
     FROM accounts a WHERE a.owner_email = :email AND NOT EXISTS (SELECT 1 FROM api_keys WHERE id = :apiKeyId)
       AND ${IS_ADMIN} AND ${notDoneBefore("a.id")} AND NOT EXISTS (
         SELECT 1 FROM audit_events e
         WHERE e.account_id = a.id AND e.created_at > :now - ${REFUSAL_INTERVAL_MS} AND e.event = 'refused')`,
    { email, person, id, apiKeyId, apiKeyName, actor, address, now, idempotencyKey },
  );

/**
 * Records the use of a revoked key: once an hour for each key, and at most 100 a day for an account. `now` is in Unix
 * milliseconds.
 */
export async function recordUseAfterRevocation(
  session: Session,
  use: { readonly apiKeyId: string; readonly eventId: string; readonly address: string | null; readonly now: number },
): Promise<void> {
  await session.run(
    prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at)
       SELECT :eventId, k.account_id, 'used-after-revocation', k.id, k.name, NULL, :address, :now
       FROM api_keys k WHERE k.id = :apiKeyId AND NOT EXISTS (
         SELECT 1 FROM audit_events e WHERE e.account_id = k.account_id AND e.created_at >= :hour
           AND e.event = 'used-after-revocation' AND e.api_key_id = k.id)
         AND ${isRecordable("event = 'used-after-revocation'", { accountId: "k.account_id", now: ":now" })}`,
      { ...use, hour: use.now - (use.now % 3_600_000) },
    ),
  );
}

/** Newest first; the events of one key, or all. */
export async function listAuditEvents(
  session: Session,
  {
    visit,
    request,
    apiKeyId,
  }: { readonly visit: Visit; readonly request: PageRequest; readonly apiKeyId?: string | undefined },
): Promise<{ readonly accountId: Identifier; readonly page: Page<AuditEvent> }> {
  const results = await readAtVisit(session, visit, {
    events: prepare<EventRow>(
      `SELECT ${EVENT_COLUMNS}, ${FIRST_TITLES} FROM audit_events
       WHERE account_id = ${ACCOUNT_OF_OWNER} ${apiKeyId === undefined ? "" : "AND api_key_id = :apiKeyId"}
         AND (created_at, id) < (:afterKey, :afterId)
       ORDER BY created_at DESC, id DESC LIMIT :rows`,
      { email: visit.email, apiKeyId, ...pageValues(request) },
    ),
  });
  const page = toPage(results.events, { request, toItem: toEvent, keyOf: byCreation });
  return { accountId: accountOf(results), page };
}

/** A decision about content, and what it has changed of each proposal. */
export type LoadedDecision = {
  readonly event: AuditEvent;
  readonly each: readonly ChangedProposal[];
  /** The whole texts before and after, while they are kept. Null: it was not there, or is gone. */
  readonly texts: { readonly before: Texts | null; readonly after: Texts | null } | null;
  /** Of one proposal, as it is now. */
  readonly present: Pick<Proposal, "status" | "visibility"> | null;
};

/** The texts of a proposal or a comment, as in `undo_texts`. */
export type Texts = Readonly<Record<string, string | number | null>>;

export async function loadDecision(
  session: Session,
  accountId: string,
  eventId: string,
): Promise<LoadedDecision | null> {
  const sql = `SELECT ${EVENT_COLUMNS}, (SELECT json_object('before', json(before), 'after', json(after)) FROM undo_texts WHERE event_id = :eventId) AS texts,
      (SELECT json_object('status', status, 'visibility', visibility) FROM proposals WHERE id = subject_id AND account_id = :accountId) AS present
    FROM audit_events WHERE id = :eventId AND +account_id = :accountId AND subject_id IS NOT NULL`;
  const row = await session.first(
    prepare<EventRow & { texts: string | null; present: string | null }>(sql, { accountId, eventId }),
  );
  if (row === null) return null;
  const texts: LoadedDecision["texts"] = row.texts === null ? null : JSON.parse(row.texts);
  const present: LoadedDecision["present"] = row.present === null ? null : JSON.parse(row.present);
  const event = toEvent(row);
  const { subject, changes } = event;
  if (event.event === "proposals-changed") return { event, each: toTogether(row).each, texts, present: null };
  const isOne = event.event === "proposal-changed" && subject?.ideaBankId != null && changes !== null;
  const each = isOne ? [{ ...subject, ideaBankId: subject.ideaBankId ?? "", ...changes }] : [];
  return { event, each, texts, present };
}

/** `ids` is a SELECT. By the identifiers (`+`): an account has up to 10,000 events. */
export const selectEvents = (ids: string): string =>
  `SELECT ${EVENT_COLUMNS} FROM audit_events WHERE +account_id = :accountId AND id IN (${ids})`;

export function toEvent(row: EventRow): AuditEvent {
  const together = row.event === "proposals-changed" ? toTogether(row) : undefined;
  return {
    id: row.id,
    apiKeyId: row.api_key_id,
    ...toSubject(row),
    ...(together && { subject: null }),
    proposals: together ? { count: together.count, first: together.each.slice(0, NAMED_FIRST).map(toNamed) } : null,
    actor: row.actor,
    address: row.address,
    createdAt: toTimestamp(row.created_at),
    changes: together ? inCommon(together.each) : row.changes === null ? null : toChanges(JSON.parse(row.changes)),
  };
}

/** A proposal that was changed together with others, and the settings that were changed. */
export type ChangedProposal = AuditedSubject & { readonly ideaBankId: string } & NonNullable<AuditEvent["changes"]>;

const NAMED_FIRST = 3;
const toNamed = ({ id, name, ideaBankId }: ChangedProposal): AuditedSubject => ({ id, name, ideaBankId });

type StoredTogether = {
  readonly count: number;
  readonly each: readonly (readonly [string, string, string, StoredSettings, StoredSettings])[];
};

/** Long after the decision, `each` has the first ones only. */
function toTogether({ changes, titles }: EventRow) {
  const { count, each }: StoredTogether = JSON.parse(changes ?? '{"count":0,"each":[]}');
  const names: Readonly<Record<string, string>> = JSON.parse(titles ?? "{}");
  return {
    count,
    each: each.map(
      ([id, ideaBankId, , before, after]): ChangedProposal => ({
        ...{ id, name: names[id] ?? "", ideaBankId, before: {}, after: {} },
        ...toChanges({ before, after }),
      }),
    ),
  };
}

/** The settings that are the same for all of them, before and after. */
function inCommon(each: readonly ChangedProposal[]): AuditEvent["changes"] {
  const [first] = each;
  if (first === undefined) return null;
  const common = (side: "before" | "after") =>
    Object.fromEntries(
      Object.entries(first[side]).filter(
        ([name, value]) =>
          name !== "lastActivityAt" &&
          each.every((one) => JSON.stringify({ ...one[side] }[name]) === JSON.stringify(value)),
      ),
    );
  return { before: common("before"), after: common("after") };
}

type AuditSubject = Pick<AuditEvent, "event" | "apiKeyName" | "webhook" | "subject">;

function toSubject({ event, api_key_name, webhook_id, subject_id, idea_bank_id }: EventRow): AuditSubject {
  const none = { event, apiKeyName: "", webhook: null, subject: null };
  if (webhook_id !== null) return { ...none, webhook: { id: webhook_id, url: api_key_name } };
  return subject_id === null
    ? { ...none, apiKeyName: api_key_name }
    : { ...none, subject: { id: subject_id, name: api_key_name, ideaBankId: idea_bank_id } };
}

/** Of a survey: it tells that something else has changed, such as an option. */
const COUNTER = "revision";

/** Only the settings that have changed. */
function toChanges({ before, after }: StoredChanges): AuditEvent["changes"] {
  const names = Object.keys(after ?? before ?? {}).filter(
    (name) => name !== COUNTER && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  const pick = (settings: StoredSettings | null) =>
    Object.fromEntries(
      (settings === null ? [] : names).map((name) => {
        const value = settings?.[name];
        return [name, isTime(name) && typeof value === "number" ? toTimestamp(value) : value];
      }),
    );
  return { before: pick(before), after: pick(after) };
}

const isTime = (name: string): boolean =>
  ["expiresAt", "tokensRevokedAt", "clearedAt", "lastActivityAt", "closesAt"].includes(name);
