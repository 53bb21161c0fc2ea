import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// Wrangler looks for the secret in the environment, and the binding below keeps a developer's own .dev.vars out of the tests.
const CREDENTIAL_SECRETS = "the-newest-secret-that-only-tests-sign-with,an-older-secret-that-only-tests-verify";
process.env.CREDENTIAL_SECRETS = CREDENTIAL_SECRETS;

export default defineConfig({
  test: {
    silent: "passed-only",
    // Most of the time is waiting: for servers, browsers, timers.
    maxWorkers: 4,
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // Every request of the suite is observed: test/support/setup.ts checks what is.
              bindings: { CREDENTIAL_SECRETS, REQUEST_LOG_SHARE: "1" },
              analyticsEngineDatasets: { REQUESTS: { dataset: "requests" } },
              d1Databases: { DB_1: "second", REPLICA: "replica" },
            },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/{worker,project,support}/**/*.test.ts"],
          exclude: ["**/*.node.test.ts"],
          setupFiles: ["test/support/setup.ts"],
          // One workerd for all files, as one isolate serves many requests: every test starts with empty stores all the same.
          isolate: false,
          // A hang is what this is for; no test depends on how fast the machine is.
          testTimeout: 180_000,
          // The pool gives workerd a cached module without its source map, so that failures name the wrong line
          // (@cloudflare/vitest-plugin 1.5.0 with Vitest 5.1).
          fsModuleCache: false,
        },
      },
      {
        test: {
          name: "node",
          include: ["test/{elements,commands,bench,simulation}/**/*.test.ts", "**/*.node.test.ts"],
          // At least five times what a quiet machine takes: compilers, servers and browsers share a busy one.
          testTimeout: 180_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
