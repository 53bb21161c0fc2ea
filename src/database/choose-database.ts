/** The one place that decides which D1 database holds a row, so that tenants can be spread over several one day. */
import { guardDatabase } from "./guarded-database.ts";

/** The database, guarded: its calls have deadlines, and their failures are told apart. */
export const chooseDatabase = (env: Pick<Env, "DB">): D1Database => guardDatabase(env.DB);
