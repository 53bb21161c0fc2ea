/** The one place that decides which D1 database holds a row, so that tenants can be spread over several one day. */
export const chooseDatabase = (env: Pick<Env, "DB">): D1Database => env.DB;
