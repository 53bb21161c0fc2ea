/** Bindings that only the tests have (vitest.config.ts). */
declare namespace Cloudflare {
  interface Env {
    /** A second database for accounts. */
    DB_1: D1Database;
    /** For a replica that lags. */
    REPLICA: D1Database;
    /** Where a deployment may have data points written. */
    REQUESTS: AnalyticsEngineDataset;
    /** Miniflare's stand-in for sending e-mail: a deployment's NOTICES. */
    EMAIL: SendEmail;
  }
}
