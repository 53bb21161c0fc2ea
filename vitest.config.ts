import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// Wrangler looks for the secret in the environment, and the binding below keeps a developer's own .dev.vars out of the tests.
const CREDENTIAL_SECRETS = "the-newest-secret-that-only-tests-sign-with,an-older-secret-that-only-tests-verify";
process.env.CREDENTIAL_SECRETS = CREDENTIAL_SECRETS;

/** Commands start Node many times: wrangler, npm and the project's own files are compiled once. */
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/compiled");

/** workerd's stores are in memory where there is room for them: no write waits for a disk. Nothing else is: programs may not run there. */
const TMPDIR = tmpdir();
const MEMORY = "/dev/shm";
const freeBytes = ({ bavail, bsize }: { bavail: number; bsize: number }) => bavail * bsize;
if (existsSync(MEMORY) && freeBytes(statfsSync(MEMORY)) > 1_000_000_000) process.env.TMPDIR = MEMORY;

/** What needs a browser and a server: they are started once for all of these, and for no others. */
const IN_BROWSER = [
  "test/elements/*/*.test.ts",
  "test/elements/{examples,firefox}.test.ts",
  "test/worker/account/*browser.node.test.ts",
  "test/project/pages.node.test.ts",
];
/** At least five times what a quiet machine takes: compilers, servers and browsers share a busy one. */
const PATIENT = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 30_000 } } };

export default defineConfig({
  test: {
    silent: "passed-only",
    // A dot for each test, failures whole. --reporter=default names the files, --reporter=verbose the tests.
    reporters: process.env.GITHUB_ACTIONS ? ["dot", "github-actions"] : ["dot"],
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
          include: ["test/{worker,project,support}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.node.test.ts"],
          setupFiles: ["test/support/setup.ts"],
          // One workerd for all files, as one isolate serves many requests: every test starts with empty stores all the same.
          isolate: false,
          // A hang is what this is for; no test depends on how fast the machine is.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // The pool gives workerd a cached module without its source map, so that failures name the wrong line
          // (@cloudflare/vitest-plugin 1.5.0 with Vitest 5.1).
          fsModuleCache: false,
        },
      },
      {
        test: {
          name: "node",
          include: ["test/{elements,commands,bench,simulation}/**/*.test.ts", "**/*.node.test.ts"],
          exclude: [...IN_BROWSER, "**/node_modules/**"],
          env: { TMPDIR },
          ...PATIENT,
        },
      },
      {
        test: {
          name: "browser",
          include: IN_BROWSER,
          // When the others are done: they share one server and one browser.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          globalSetup: "test/support/node/shared-stage.ts",
          ...PATIENT,
          // As long as Playwright waits.
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
