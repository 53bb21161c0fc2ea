/** Tells an outage of D1 from a wrong statement. */
import { answerWithin, DEADLINE_MS, DeadlineExceeded } from "./deadline.ts";

/** A D1 call failed although its statement is right. `cause` is the error that the call rejected with. */
export class DatabaseOutage extends Error {
  constructor(cause: unknown) {
    super("D1 does not answer", { cause });
    this.name = "DatabaseOutage";
  }
}

/** True for a missed deadline, too. */
export const isDatabaseOutage = (error: unknown): boolean =>
  error instanceof DatabaseOutage || error instanceof DeadlineExceeded;

/**
 * D1's messages about a wrong statement: a code of SQLite's, a sentence of workerd's (which has no code), or a prefix of the D1
 * client's for a wrong argument. Every other error means that the database did not answer: documented errors of D1, errors of the
 * connection (without a prefix), and the client's errors about a garbled answer.
 *
 * https://developers.cloudflare.com/d1/observability/debug-d1/, workerd's `d1-api.ts` and `sqlite.c++`
 */
const STATEMENT_DEFECT = new RegExp(
  [
    "^D1_ERROR: (?!Failed to parse body).*: SQLITE_(ERROR|CONSTRAINT|TOOBIG|MISMATCH|RANGE|AUTH|MISUSE|PERM)\\b",
    "^D1_ERROR: (No SQL statements detected|SQL code did not contain a statement|A prepared SQL statement must contain)",
    "^D1_ERROR: (Wrong number of parameter bindings|To execute a transaction, please use)",
    "^D1_(TYPE_ERROR|COLUMN_NOTFOUND|SESSION_ERROR|EXEC_ERROR): ",
  ].join("|"),
  "s",
);

/** D1 takes no writes, because the database is full: https://developers.cloudflare.com/d1/platform/limits/ */
export const refusesWrites = (error: unknown): boolean =>
  error instanceof DatabaseOutage &&
  error.cause instanceof Error &&
  /SQLITE_(?:FULL|READONLY)|maximum (?:DB|database) size/i.test(error.cause.message);

/** True means that the database has answered. */
export const isStatementDefect = (error: unknown): boolean =>
  error instanceof Error && STATEMENT_DEFECT.test(error.message);

/**
 * The answer of a D1 call. Rejects with D1's error when the statement is wrong, otherwise, and after the deadline, with a
 * `DatabaseOutage`.
 */
export async function databaseAnswer<Answer>(
  call: () => Promise<Answer>,
  withinMs: number = DEADLINE_MS.without,
): Promise<Answer> {
  try {
    return await answerWithin(withinMs, call());
  } catch (error) {
    throw isStatementDefect(error) ? error : new DatabaseOutage(error);
  }
}
