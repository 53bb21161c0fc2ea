/**
 * Idempotent requests: the outcome under a client's Idempotency-Key is kept for 24 hours.
 *
 * The key is stored in the transaction that does the work. So a retry, even one at the same time, either does the work or
 * finds its outcome.
 */
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Results } from "../store/session.ts";
import { prepare, type Statement } from "../store/statement.ts";
import { STORED_BYTES } from "./quota.ts";

/** An outcome is kept this long, in milliseconds. The scheduled job deletes older ones (expired-rows.ts). */
export const OUTCOME_KEPT_MS = 24 * 3_600_000;

/** The account that the keys belong to: by its own id, as the account of an idea bank, or by its owner. */
export type AccountReference =
  | { readonly accountId: string }
  | { readonly ideaBankId: string }
  | { readonly email: string };

/** The owner's account, if it is in this database. */
export const ACCOUNT_OF_OWNER = "(SELECT id FROM accounts WHERE owner_email = :email)";

/** The account's id as an SQL expression. */
export function accountOf(account: AccountReference): string {
  if ("accountId" in account) return ":accountId";
  return "email" in account ? ACCOUNT_OF_OWNER : "(SELECT account_id FROM idea_banks WHERE id = :ideaBankId)";
}

/** The condition of an insert: nothing is stored under `:idempotencyKey`, or the key is NULL. `account` is an SQL expression. */
export const notDoneBefore = (account = ":accountId"): string =>
  `NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.account_id = ${account} AND k.key = :idempotencyKey)`;

/** Data of the new row that the answer needs in addition to `outcome`: a SELECT of one JSON object, or of none. */
type Details = { readonly select: string; readonly values: Parameters<typeof prepare>[1] };

type OutcomeRow = { readonly outcome: string };
type RecalledRow = OutcomeRow & { readonly request_hash: string };

/** The statements of an insert that an Idempotency-Key allows once, for a batch. `toInserted` reads their results. */
export type InsertOnce = {
  readonly cleared: Statement | undefined;
  readonly inserted: Statement;
  readonly remembered: Statement | undefined;
  /** The outcome that is stored under the key. */
  readonly recalled: Statement<RecalledRow> | undefined;
  /** The outcome of a request without a key, if it has details. */
  readonly completed: Statement<OutcomeRow> | undefined;
};

/**
 * An insert of all its rows or none. Its SQL includes the condition `notDoneBefore` and returns the new rows. `outcome` is the part of
 * the answer that the request does not have; it contains no credential. `details` completes it.
 */
export function insertOnce(
  account: AccountReference,
  idempotencyKey: IdempotencyKey | undefined,
  { insert, outcome, details }: { readonly insert: Statement; readonly outcome: unknown; readonly details?: Details },
): InsertOnce {
  const hasKey = idempotencyKey !== undefined;
  return {
    cleared: hasKey ? clearExpired(account, idempotencyKey) : undefined,
    inserted: insert,
    remembered: hasKey ? remember(account, { idempotencyKey, outcome, details }) : undefined,
    recalled: hasKey ? recall(account, idempotencyKey) : undefined,
    completed: hasKey || details === undefined ? undefined : complete(outcome, details),
  };
}

/** `outcome` is the same as for `insertOnce`, without its details. */
export function toInserted<Outcome>(
  { inserted, recalled, completed }: Results<InsertOnce>,
  idempotencyKey: IdempotencyKey | undefined,
  outcome: Outcome,
): IdempotentResult<Outcome> {
  if (inserted.length > 0) {
    const [stored] = completed ?? recalled ?? [];
    return { kind: "done", outcome: stored === undefined ? outcome : JSON.parse(stored.outcome) };
  }
  return idempotencyKey === undefined ? { kind: "refused" } : toResult(recalled ?? [], idempotencyKey);
}

/** The statements of a deletion that an Idempotency-Key allows once, for a batch. `toDeleted` reads their results. */
type DeleteOnce = {
  readonly cleared: Statement | undefined;
  readonly deleted: Statement;
  readonly remembered: Statement | undefined;
  readonly recalled: Statement<RecalledRow> | undefined;
};

/** `sql` deletes at most one row, includes the condition `notDoneBefore`, and returns the row. */
export const deleteOnce = (
  accountId: string,
  {
    idempotencyKey,
    sql,
    values,
  }: {
    readonly idempotencyKey: IdempotencyKey | undefined;
    readonly sql: string;
    readonly values: Parameters<typeof prepare>[1];
  },
): DeleteOnce => ({
  cleared: idempotencyKey && clearExpired({ accountId }, idempotencyKey),
  deleted: prepare(sql, { ...values, accountId, idempotencyKey: idempotencyKey?.key }),
  remembered: idempotencyKey && rememberDeletion(accountId, idempotencyKey),
  recalled: idempotencyKey && recall({ accountId }, idempotencyKey),
});

export function toDeleted(
  { deleted, recalled }: Results<DeleteOnce>,
  idempotencyKey: IdempotencyKey | undefined,
): IdempotentResult<null> {
  if (deleted.length === 1) return { kind: "done", outcome: null };
  return idempotencyKey === undefined ? { kind: "refused" } : toResult(recalled ?? [], idempotencyKey);
}

/** A stored key needs less than this. */
const KEY_BYTES = 1_000;

/** When the account's storage is full, the key is not stored, because a deletion must always work. */
const rememberDeletion = (accountId: string, { key, requestHash, now }: IdempotencyKey): Statement =>
  prepare(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
     SELECT id, :key, :requestHash, 'null', :now FROM accounts
     WHERE id = :accountId AND changes() > 0 AND ${STORED_BYTES} + ${KEY_BYTES} <= max_bytes`,
    { accountId, key, requestHash, now },
  );

/** An SQL expression: `:outcome` with its details. */
const withDetails = (details: Details | undefined): string =>
  details === undefined ? ":outcome" : `json_patch(:outcome, coalesce((${details.select}), '{}'))`;

const complete = (outcome: unknown, details: Details) =>
  prepare<OutcomeRow>(`SELECT ${withDetails(details)} AS outcome`, {
    ...details.values,
    outcome: JSON.stringify(outcome),
  });

/** Maps the outcome of a result, and keeps its kind. */
export const mapResult = <From, To>(
  result: IdempotentResult<From>,
  toOutcome: (outcome: From) => To,
): IdempotentResult<To> => ("outcome" in result ? { kind: result.kind, outcome: toOutcome(result.outcome) } : result);

/** Deletes this key if it has expired and is still stored. It runs before every statement that looks for the key. */
export const clearExpired = (account: AccountReference, { key, now }: IdempotencyKey) =>
  prepare(
    // The + makes SQLite use the primary key, so that a long backlog is not scanned.
    `DELETE FROM idempotency_keys WHERE account_id = ${accountOf(account)} AND key = :key AND +created_at <= :expired`,
    { ...account, key, expired: now - OUTCOME_KEPT_MS },
  );

/** The statement that stores the outcome if the statement before it has changed a row. */
export const remember = (
  account: AccountReference,
  {
    idempotencyKey: { key, requestHash, now },
    outcome,
    details,
  }: { readonly idempotencyKey: IdempotencyKey; readonly outcome: unknown; readonly details?: Details | undefined },
): Statement =>
  prepare(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
     SELECT ${accountOf(account)}, :key, :requestHash, ${withDetails(details)}, :now WHERE changes() > 0`,
    { ...account, ...details?.values, key, requestHash, outcome: JSON.stringify(outcome), now },
  );

/** Selects what is stored under the key, for `toResult`. */
export const recall = (account: AccountReference, { key }: IdempotencyKey) =>
  prepare<RecalledRow>(
    `SELECT request_hash, outcome FROM idempotency_keys WHERE account_id = ${accountOf(account)} AND key = :key`,
    { ...account, key },
  );

export function toResult<Outcome>(
  [row]: readonly RecalledRow[],
  { requestHash, formerHash }: IdempotencyKey,
): IdempotentResult<Outcome> {
  if (row === undefined) return { kind: "refused" };
  if (row.request_hash !== requestHash && row.request_hash !== formerHash) return { kind: "reused" };
  return { kind: "replayed", outcome: JSON.parse(row.outcome) };
}
