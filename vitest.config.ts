import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { makePageStyles } from "./src/commands/development/page-styles.ts";
import { makeClientSource } from "./src/commands/openapi/client-source.ts";

// They are not committed, and tests import them.
await makeClientSource();
await makePageStyles();

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

/** The three tiers, by the name of a file (CONTRIBUTING.md, "Tests"). Everything else that ends in `.test.ts` is `npm test`. */
const SLOW = "**/*.slow.test.ts";
const BROWSER = "**/*.browser.test.ts";
/** In Node and not in workerd: these folders, and what says so in its name. */
const IN_NODE = ["test/{elements,commands,bench,simulation}/**/*.test.ts", "**/*.node.*test.ts"];

/** A hang is what these are for: no test depends on how fast the machine is. */
const POLL = { expect: { poll: { timeout: 30_000 } } };
const PATIENT = { testTimeout: 180_000, hookTimeout: 180_000, ...POLL };
/** At least five times what a quiet machine takes: compilers, servers and browsers share a busy one. */
const MORE_PATIENT = { testTimeout: 600_000, hookTimeout: 600_000, ...POLL };

const inWorkerd = () => ({
  plugins: [
    cloudflareTest({
      // The sources: wrangler.toml names what is built of them.
      main: "src/worker/index.ts",
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        // Every request of the suite is observed: test/support/setup.ts checks what is.
        bindings: { CREDENTIAL_SECRETS, REQUEST_LOG_SHARE: "1" },
        email: { send_email: [{ name: "EMAIL" }] },
        analyticsEngineDatasets: { REQUESTS: { dataset: "requests" } },
        d1Databases: { DB_1: "second", REPLICA: "replica" },
      },
    }),
  ],
});
const WORKERD = {
  setupFiles: ["test/support/setup.ts"],
  // One workerd for all files, as one isolate serves many requests: every test starts with empty stores all the same.
  isolate: false,
  // The pool gives workerd a cached module without its source map, so that failures name the wrong line
  // (@cloudflare/vitest-plugin 1.5.0 with Vitest 5.1).
  fsModuleCache: false,
  ...PATIENT,
};

export default defineConfig({
  test: {
    silent: "passed-only",
    reporters: ["./test/support/node/reporter.ts", ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : [])],
    maxWorkers: 3,
    // Whole files say it in their names.
    tags: [
      { name: "slow", description: "More than a fifth of a second: not in `npm test`, but in `npm run test:slow`" },
    ],
    projects: [
      {
        ...inWorkerd(),
        test: {
          ...WORKERD,
          name: "workerd",
          include: ["test/{worker,client,project,support}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.node.*test.ts", SLOW, BROWSER],
        },
      },
      {
        test: {
          ...PATIENT,
          name: "node",
          // Their modules are loaded once for all files: that takes longer than most of the tests.
          isolate: false,
          include: IN_NODE,
          exclude: [SLOW, BROWSER, "**/node_modules/**"],
          env: { TMPDIR },
        },
      },
      {
        ...inWorkerd(),
        test: {
          ...WORKERD,
          name: "workerd-slow",
          include: ["test/{worker,project,support,oracle-surveys}/**/*.slow.test.ts"],
          exclude: ["**/*.node.*test.ts"],
        },
      },
      {
        test: {
          ...MORE_PATIENT,
          name: "node-slow",
          include: IN_NODE.map((pattern) =>
            pattern.replace(/[^/]*$/, (name) => name.replace("test.ts", "slow.test.ts")),
          ),
          exclude: ["**/node_modules/**"],
          env: { TMPDIR },
        },
      },
      {
        test: {
          ...MORE_PATIENT,
          name: "browser",
          include: [BROWSER],
          exclude: ["**/node_modules/**"],
          // When the others are done: its files share one server and one browser.
          sequence: { groupOrder: 1 },
          globalSetup: "test/support/node/shared-stage.ts",
          // As long as Playwright waits.
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
