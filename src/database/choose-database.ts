/** The one place that decides which D1 database holds a row, so that tenants can be spread over several one day. */
import { guardDatabase } from "./guarded-database.ts";

/** The database, guarded: its calls have deadlines, and their failures are told apart. */
export const chooseDatabase = (env: Pick<Env, "DB">): D1Database => guardDatabase(env.DB);

/** Every database of the deployment, by its binding: for what concerns all of them, such as the scheduled job. */
export const everyDatabase = (env: Pick<Env, "DB">): ReadonlyMap<string, D1Database> =>
  new Map([["DB", chooseDatabase(env)]]);
