/** A read of one row at the primary: it answers only if the database does, and has its tables. */
export const pingDatabase = (database: D1Database): Promise<unknown> =>
  database.prepare("SELECT id FROM accounts LIMIT 1").first();
