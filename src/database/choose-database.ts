/** The only place that chooses the D1 database: here tenants can be spread over several databases later. */
export const chooseDatabase = (env: Pick<Env, "DB">): D1Database => env.DB;
