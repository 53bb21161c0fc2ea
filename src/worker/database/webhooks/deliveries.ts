/**
 * Selects the webhooks that have something to deliver, and claims one. The claim keeps a webhook's deliveries in order. Only the
 * database's clock counts, because the clocks of isolates differ.
 */
import type { WebhookFormat, WebhookState } from "../../model/webhook.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AccountReference, accountOf } from "../idempotency.ts";
import { afterRotation, earlierOf } from "../secrets/secret-rotation.ts";

/** The database's clock, in Unix milliseconds. */
export const DATABASE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** Longer than an attempt and the call that records it can take, which is 15 and 10 seconds. */
const CLAIM_MS = 60_000;
/** The webhooks of a suspended account are put off for this long. */
const SUSPENDED_MS = 10 * 60_000;
/** The number of attempts that are kept. */
export const RECENT = 20;

const SECRETS = {
  newest: "secret",
  previous: "previous_secret",
  previousUntil: "previous_until",
  older: "older_secrets",
};

/** SQL: the earlier secrets that still sign. `toSecrets` reads them. */
export const EARLIER_SECRETS = `${earlierOf(SECRETS, DATABASE_NOW)} AS earlier_secrets`;
export type SecretColumns = { readonly secret: string; readonly earlier_secrets: string };

/** The secrets that sign, newest first, and until when an earlier one does. */
export function toSecrets({ secret, earlier_secrets }: SecretColumns) {
  const earlier = JSON.parse(earlier_secrets) as [secret: string, until: number][];
  const until = Math.max(...earlier.map(([, each]) => each));
  return { secrets: [secret, ...earlier.map(([each]) => each)] as const, earlierUntil: until > 0 ? until : null };
}

/** SQL: a new secret. The previous ones sign until `until`, or stop at once if that is NULL. Both are SQL expressions. */
export function withNewSecret(until: string, secret = ":secret"): string {
  const rotated = afterRotation(SECRETS, { until, now: DATABASE_NOW });
  return `secret = ${secret}, previous_secret = ${rotated.previous}, previous_until = ${rotated.previousUntil}, older_secrets = ${rotated.older}`;
}

/** The account's last change in the log. */
export const newestOf = (account: string): string =>
  `coalesce((SELECT max(number) FROM change_log WHERE account_id = ${account}), 0)`;

/** A webhook under delivery. Times are by the database's clock. */
export type ClaimedWebhook = {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** The URL as people see it. */
  readonly shownUrl: string;
  readonly format: WebhookFormat;
  readonly types: string | null;
  /** Its last attempts, newest first; of a `standard` webhook none. */
  readonly recent: readonly StoredAttempt[];
  /** The secrets that sign. After a rotation, the previous one is among them for a while. */
  readonly secrets: readonly string[];
  readonly number: number;
  readonly attempts: number;
  /** The time since its first failure, in milliseconds. */
  readonly failingMs: number;
  readonly claimedUntil: number;
};

/** An attempt in the form in which it is kept. `at` is in Unix milliseconds. */
export type StoredAttempt = {
  readonly at: number;
  readonly id: string;
  readonly type: string;
  readonly status: number | null;
  readonly durationMs: number;
  /** As people see it. Unknown for an attempt before 1.1.0. */
  readonly url?: string;
  /** Of a message: how many changes it tells of, and the number of the last one. */
  readonly changes?: number;
  readonly until?: number;
};

/** An account by its id, its idea bank or its owner, or the accounts of API keys (`apiKeyIds`: a JSON array). */
export type AccountOfWebhooks = AccountReference | { readonly apiKeyIds: string };

const accountsOf = (account: AccountOfWebhooks): string =>
  "apiKeyIds" in account
    ? "SELECT account_id FROM api_keys WHERE id IN (SELECT value FROM json_each(:apiKeyIds))"
    : accountOf(account);

/**
 * Selects the account's webhooks that are not claimed and have not failed: in the batch of a write, those to deliver after the
 * answer.
 */
export const selectWaiting = (account: AccountOfWebhooks) =>
  prepare<{ id: string }>(
    `SELECT id FROM webhooks WHERE account_id IN (${accountsOf(account)}) AND +due_at IS NOT NULL AND attempts = 0
       AND claimed_until <= ${DATABASE_NOW}`,
    account,
  );

/** A webhook that is due. `hasFailed` (0 or 1): its last delivery has failed. */
export type DueWebhook = {
  readonly id: string;
  readonly accountId: string;
  readonly dueAt: number;
  readonly hasFailed: number;
};

/** A run looks at this many webhooks that have failed, and at as many others: those that have been due longest. */
const LOOKED_AT = 500;
const dueLongest = (
  hasFailed: 0 | 1,
) => `(SELECT id AS webhookId, account_id AS accountId, due_at AS dueAt, claimed_until
  FROM webhooks WHERE (attempts > 0) = ${hasFailed} AND due_at <= ${DATABASE_NOW} ORDER BY due_at LIMIT ${LOOKED_AT})
  JOIN accounts a ON a.id = accountId`;
const selectSuspended = (hasFailed: 0 | 1): string =>
  `SELECT webhookId FROM ${dueLongest(hasFailed)} WHERE a.status <> 'active'`;

/**
 * The due webhooks, longest first: at most `limit` that have failed, and at most `limit` others. Those of suspended accounts are
 * put off. One round trip.
 */
export async function selectDue(session: Session, limit: number): Promise<readonly DueWebhook[]> {
  const select = (hasFailed: 0 | 1) =>
    prepare<DueWebhook>(
      `SELECT webhookId AS id, accountId, dueAt, ${hasFailed} AS hasFailed FROM ${dueLongest(hasFailed)}
       WHERE a.status = 'active' AND claimed_until <= ${DATABASE_NOW} ORDER BY dueAt LIMIT :limit`,
      { limit },
    );
  const { sound, failing } = await session.batch({
    suspended: prepare(
      `UPDATE webhooks SET due_at = ${DATABASE_NOW} + ${SUSPENDED_MS}
       WHERE id IN (${selectSuspended(0)} UNION ALL ${selectSuspended(1)})`,
    ),
    sound: select(0),
    failing: select(1),
  });
  return [...sound, ...failing];
}

type Row = SecretColumns & {
  id: string;
  account_id: string;
  url: string;
  shown_url: string;
  format: WebhookFormat;
  types: string | null;
  recent: string;
  number: number;
  attempts: number;
  failing_ms: number;
  claimed_until: number;
};

/**
 * Claims the deliveries of a webhook for a minute. Undefined when it is claimed already, when nothing is due, and for a suspended
 * account.
 */
export async function claimWebhook(session: Session, id: string): Promise<ClaimedWebhook | undefined> {
  const row = await session.first(
    prepare<Row>(
      `UPDATE webhooks SET claimed_until = ${DATABASE_NOW} + ${CLAIM_MS}
       WHERE id = :id AND state = 'active' AND claimed_until <= ${DATABASE_NOW} AND +due_at IS NOT NULL
         AND (attempts = 0 OR +due_at <= ${DATABASE_NOW})
         AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = webhooks.account_id AND a.status = 'active')
       RETURNING id, account_id, url, shown_url, format, types, iif(format = 'standard', '[]', recent) AS recent, secret, ${EARLIER_SECRETS},
         number, attempts, coalesce(${DATABASE_NOW} - failing_since, 0) AS failing_ms, claimed_until`,
      { id },
    ),
  );
  if (row === null) return undefined;
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    shownUrl: row.shown_url,
    format: row.format,
    types: row.types,
    recent: JSON.parse(row.recent) as StoredAttempt[],
    secrets: toSecrets(row).secrets,
    number: row.number,
    attempts: row.attempts,
    failingMs: row.failing_ms,
    claimedUntil: row.claimed_until,
  };
}

/** Puts an attempt before the kept ones. */
export const RECENT_WITH = `recent = (SELECT json_group_array(json(value)) FROM (
  SELECT value FROM (SELECT -1 AS key, :attempt AS value UNION ALL SELECT key, value FROM json_each(recent))
  WHERE value IS NOT NULL ORDER BY key LIMIT ${RECENT}))`;

/** The progress of a delivery. */
type Progress = {
  /** The webhook's new place: the change that was delivered or passed over, or its old place. */
  readonly reached: number;
  /** The attempt and its answer. Undefined when changes were only passed over. */
  readonly attempt?: StoredAttempt | undefined;
  /** Set when the attempt failed: the new state of an active webhook, and its delay. */
  readonly failure?: { readonly state: WebhookState; readonly delayMs: number } | undefined;
  /** True ends the claim. Otherwise the claim is renewed, unless the webhook or its account has changed. */
  readonly isLast: boolean;
  /** True when the next attempt is not made before a minute has passed: the claim that has ended lasts so long. */
  readonly rests?: boolean;
  /** The number of changes after its place that were deleted from the log. */
  readonly missed: number;
};

/** True when the owner has neither paused nor changed the webhook since it was claimed, and its account is not suspended. */
const IS_AS_CLAIMED = `state = 'active' AND url = :url AND types IS :types AND secret = :secret
  AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = webhooks.account_id AND a.status = 'active')`;

/** Selects a webhook if it is still as it was claimed. */
export const selectAsClaimed = ({ id, number, claimedUntil, ...claimed }: ClaimedWebhook) =>
  prepare(
    `SELECT 1 FROM webhooks WHERE id = :id AND number = :number AND claimed_until = :claimedUntil AND ${IS_AS_CLAIMED}`,
    { id, number, claimedUntil, url: claimed.url, types: claimed.types, secret: claimed.secrets[0] },
  );

/** A webhook that has changed does not stay claimed. */
const STAYS_CLAIMED = `(NOT :isLast AND ${IS_AS_CLAIMED})`;

/** Changes that were skipped for their type are checked again if the owner has changed the types in the meantime. */
const PASSED_NONE = "(:attempt IS NOT NULL AND NOT :failed AND :reached = number + 1)";
const PLACE = `iif(types IS :types OR ${PASSED_NONE}, :reached, number)`;

const HAS_FAILED = "(:failed AND url = :url)";
const STATE_AFTER = `iif(state = 'active' AND ${HAS_FAILED}, :state, state)`;

/**
 * Records the progress while the claim holds and the owner has not moved the webhook. Otherwise the answer does not count, the
 * claim ends, and deliveries continue from the webhook's place. A failure of another URL than the present one says nothing about
 * the present one, so the webhook is due at once. Returns the new claim (0: it has ended), and whether something is left to
 * deliver; undefined when nothing was recorded.
 */
export async function record(
  session: Session,
  { id, claimedUntil, number, url, types, secrets: [secret] }: ClaimedWebhook,
  { reached, attempt, failure, isLast, rests = false, missed }: Progress,
): Promise<(Pick<ClaimedWebhook, "claimedUntil" | "number"> & { readonly isDue: boolean }) | undefined> {
  const row = await session.first(
    prepare<{ number: number; claimed_until: number; due_at: number | null }>(
      `UPDATE webhooks SET number = ${PLACE}, missed = missed + :missed, ${RECENT_WITH},
         attempts = iif(${HAS_FAILED}, attempts + 1, 0),
         failing_since = iif(${HAS_FAILED}, coalesce(failing_since, ${DATABASE_NOW}), NULL),
         claimed_until = iif(${STAYS_CLAIMED} OR :rests, ${DATABASE_NOW} + ${CLAIM_MS}, 0), state = ${STATE_AFTER},
         due_at = iif(${STAYS_CLAIMED}, due_at, iif(${STATE_AFTER} = 'active' AND ${PLACE} < ${newestOf("webhooks.account_id")},
           ${DATABASE_NOW} + iif(${HAS_FAILED}, :delayMs, 0), NULL))
       WHERE id = :id AND claimed_until = :claimedUntil AND number = :number RETURNING number, claimed_until, due_at`,
      {
        ...{ id, claimedUntil, number, url, types, secret },
        reached,
        missed,
        isLast,
        rests,
        attempt: attempt && JSON.stringify(attempt),
        failed: failure !== undefined,
        state: "active",
        delayMs: 0,
        ...failure,
      },
    ),
  );
  if (row !== null) return { claimedUntil: row.claimed_until, number: row.number, isDue: row.due_at !== null };
  await release(session, { id, claimedUntil });
  return undefined;
}

/** Ends the claim. The next claim delivers the rest. */
export const release = (session: Session, { id, claimedUntil }: Pick<ClaimedWebhook, "id" | "claimedUntil">) =>
  session.run(
    prepare("UPDATE webhooks SET claimed_until = 0 WHERE id = :id AND claimed_until = :claimedUntil", {
      id,
      claimedUntil,
    }),
  );
