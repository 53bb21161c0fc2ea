/** When D1 does not answer, as opposed to refusing a statement that is wrong. */
import { answerWithin, DEADLINE_MS, DeadlineExceeded } from "./deadline.ts";

/** A D1 call that failed although nothing is wrong with its statement. `cause` is what the call rejected with. */
export class DatabaseOutage extends Error {
  constructor(cause: unknown) {
    super("D1 does not answer", { cause });
    this.name = "DatabaseOutage";
  }
}

/** A call that missed its deadline counts too. */
export const isDatabaseOutage = (error: unknown): boolean =>
  error instanceof DatabaseOutage || error instanceof DeadlineExceeded;

/**
 * The messages of D1 that say that the statement is at fault: a code of SQLite's that says so, a sentence of workerd's, which has no
 * code, or a prefix of the D1 client's for what it was given. Everything else means that the database did not answer:
 * documented errors of D1, errors of the connection (without any prefix), and whatever the client makes of a garbled answer.
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

/** Then the database has answered. */
export const isStatementDefect = (error: unknown): boolean =>
  error instanceof Error && STATEMENT_DEFECT.test(error.message);

/** The answer of a D1 call. Rejects with a `DatabaseOutage` unless the statement is at fault, and within the deadline. */
export async function databaseAnswer<Answer>(
  call: () => Promise<Answer>,
  deadlineMs: number = DEADLINE_MS.without,
): Promise<Answer> {
  try {
    return await answerWithin(deadlineMs, call());
  } catch (error) {
    throw isStatementDefect(error) ? error : new DatabaseOutage(error);
  }
}
