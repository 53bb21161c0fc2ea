/** A read of one row: it answers only if the database (or a session's replica) does, and has its tables. */
export const pingDatabase = (database: Pick<D1Database, "prepare">): Promise<unknown> =>
  database.prepare("SELECT id FROM accounts LIMIT 1").first();
