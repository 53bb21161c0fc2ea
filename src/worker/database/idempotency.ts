/**
 * Idempotent POSTs: the outcome under a client's Idempotency-Key is kept for 24 hours.
 *
 * The key is stored in the transaction that does the work. So a retry, even one at the same time, either does the work or
 * finds its outcome.
 */
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import { prepare, rowsOf } from "./statement.ts";

/** How long an outcome is kept, in milliseconds. The scheduled job deletes older ones (expired-rows.ts). */
export const OUTCOME_KEPT_MS = 24 * 3_600_000;

/** The account that has the keys: by its own id, as the account of an idea bank, or by its owner. */
export type AccountReference =
  | { readonly accountId: string }
  | { readonly ideaBankId: string }
  | { readonly email: string };

/** The account of an owner, if it is in this database. */
export const ACCOUNT_OF_OWNER = "(SELECT id FROM accounts WHERE owner_email = :email)";

/** That `:person` acts for it, still, when the transaction runs: a body may come long after its headers. */
export const IS_MEMBER = `EXISTS (SELECT 1 FROM accounts a WHERE a.owner_email = :email AND (:person = :email OR EXISTS (
  SELECT 1 FROM members WHERE account_id = a.id AND email = :person)))`;

/** An expression of SQL. */
export function accountOf(account: AccountReference): string {
  if ("accountId" in account) return ":accountId";
  return "email" in account ? ACCOUNT_OF_OWNER : "(SELECT account_id FROM idea_banks WHERE id = :ideaBankId)";
}

/** The condition of an insert: nothing is stored under `:idempotencyKey`, or that is NULL. `account` is an expression of SQL. */
export const notDoneBefore = (account = ":accountId"): string =>
  `NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.account_id = ${account} AND k.key = :idempotencyKey)`;

/** What the answer needs of the new row besides `outcome`: a SELECT of one JSON object, or of none. */
export type Details = { readonly select: string; readonly values: Readonly<Record<string, string>> };

/**
 * Runs an insert of at most one row, which has the condition and returns the new row. `outcome` is what
 * the answer needs besides the request, and no credential; `details` completes it. One round trip, with the statements `before` in
 * the same transaction.
 */
export async function insertOnce<Outcome>(
  session: D1DatabaseSession,
  account: AccountReference,
  idempotencyKey: IdempotencyKey | undefined,
  insert: D1PreparedStatement,
  outcome: Outcome,
  before: readonly D1PreparedStatement[] = [],
  details?: Details,
): Promise<{ readonly result: IdempotentResult<Outcome>; readonly before: readonly D1Result[] }> {
  const statements =
    idempotencyKey === undefined
      ? [insert, ...(details ? [complete(session, outcome, details)] : [])]
      : [
          clearExpired(session, account, idempotencyKey),
          insert,
          remember(session, account, idempotencyKey, outcome, details),
          recall(session, account, idempotencyKey),
        ];
  const results = await session.batch([...before, ...statements]);
  const own = results.slice(before.length);
  const inserted = own[idempotencyKey === undefined ? 0 : 1];
  return {
    before: results.slice(0, before.length),
    result:
      inserted?.results.length === 1
        ? { kind: "done", outcome: details ? completed(own.at(-1), outcome) : outcome }
        : idempotencyKey === undefined
          ? { kind: "refused" }
          : toResult(own.at(-1), idempotencyKey),
  };
}

/** An expression of SQL: `:outcome` with its details. */
const withDetails = (details: Details | undefined): string =>
  details === undefined ? ":outcome" : `json_patch(:outcome, coalesce((${details.select}), '{}'))`;

const complete = (session: D1DatabaseSession, outcome: unknown, details: Details) =>
  prepare(session, `SELECT ${withDetails(details)} AS outcome`, {
    ...details.values,
    outcome: JSON.stringify(outcome),
  });

const completed = <Outcome>(result: D1Result | undefined, outcome: Outcome): Outcome => {
  const [row] = rowsOf<{ outcome: string }>(result);
  return row === undefined ? outcome : JSON.parse(row.outcome);
};

/** The same result with a mapped outcome. */
export const mapResult = <From, To>(
  result: IdempotentResult<From>,
  toOutcome: (outcome: From) => To,
): IdempotentResult<To> => ("outcome" in result ? { kind: result.kind, outcome: toOutcome(result.outcome) } : result);

/** Deletes this key if it has expired and is still stored. Runs before every statement that looks for the key. */
export const clearExpired = (session: D1DatabaseSession, account: AccountReference, { key, now }: IdempotencyKey) =>
  prepare(
    session,
    // The + keeps SQLite on the primary key: a long backlog is not scanned.
    `DELETE FROM idempotency_keys WHERE account_id = ${accountOf(account)} AND key = :key AND +created_at <= :expired`,
    { ...account, key, expired: now - OUTCOME_KEPT_MS },
  );

/** The statement that stores the outcome if the statement before it has changed a row. */
export const remember = (
  session: D1DatabaseSession,
  account: AccountReference,
  { key, requestHash, now }: IdempotencyKey,
  outcome: unknown,
  details?: Details,
): D1PreparedStatement =>
  prepare(
    session,
    `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
     SELECT ${accountOf(account)}, :key, :requestHash, ${withDetails(details)}, :now WHERE changes() > 0`,
    { ...account, ...details?.values, key, requestHash, outcome: JSON.stringify(outcome), now },
  );

/** Selects what is stored under the key, for `toResult`. */
export const recall = (session: D1DatabaseSession, account: AccountReference, { key }: IdempotencyKey) =>
  prepare(
    session,
    `SELECT request_hash, outcome FROM idempotency_keys WHERE account_id = ${accountOf(account)} AND key = :key`,
    { ...account, key },
  );

export function toResult<Outcome>(
  recalled: D1Result | undefined,
  { requestHash }: IdempotencyKey,
): IdempotentResult<Outcome> {
  const [row] = rowsOf<{ request_hash: string; outcome: string }>(recalled);
  if (row === undefined) return { kind: "refused" };
  if (row.request_hash !== requestHash) return { kind: "reused" };
  return { kind: "replayed", outcome: JSON.parse(row.outcome) };
}
