/** A backup says of which deployment it is, and a restore looks at that before it begins. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import {
  account,
  calls,
  contentOf,
  inCheckout,
  keys,
  lastLines,
  MOMENT,
  REVOKED,
  refused,
  sql,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";

useAccount();
beforeEach(() => well("backup", "--output", "backups/b"));

const manifest = () => JSON.parse(readFileSync(inCheckout("backups/b/backup.json"), "utf8"));
const rewrite = (changes: object) =>
  writeFileSync(inCheckout("backups/b/backup.json"), JSON.stringify({ ...manifest(), ...changes }));
const another = "INSERT INTO accounts (id, owner_email, created_at) VALUES ('a2', 'new@example.com', 2)";

it("a backup has its environment, account, databases, version and time beside it", () => {
  expect(manifest()).toEqual({
    environment: "",
    account: { id: "account-1", name: "Example Ltd" },
    databases: [{ binding: "DB", name: "edge-access-api", id: "d1-id-0" }],
    version: JSON.parse(readFileSync("package.json", "utf8")).version,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

it.each([
  [
    "of another environment",
    () => rewrite({ environment: "staging" }),
    "is a backup of the environment staging in the Cloudflare account Example Ltd (account-1), made at ",
  ],
  [
    "of another Cloudflare account",
    () => rewrite({ account: { id: "x", name: "Other" } }),
    "in the Cloudflare account Other (x), made at ",
  ],
  [
    "of this machine",
    () => rewrite({ account: null }),
    "is a backup of the databases of this machine (the top level of wrangler.toml), made at ",
  ],
  ["without backup.json", () => rmSync(inCheckout("backups/b/backup.json")), "has no backup.json"],
  [
    "with a damaged backup.json",
    () => writeFileSync(inCheckout("backups/b/backup.json"), "{"),
    "backup.json is damaged",
  ],
  [
    "in which an account is missing that is there now",
    () => sql("DB", another),
    "backups/b lacks accounts that are there now: new@example.com (a2).",
  ],
])("a backup %s is refused, and restored with --as-it-is", async (_, change, message) => {
  change();
  const before = contentOf("DB");
  const { stderr, stdout } = await refused("restore", "--from", "backups/b");
  expect(stderr).toContain(message);
  expect(stderr).toContain("To restore it anyway: add --as-it-is.");
  expect(stdout).toBe(
    "About to restore the top level of wrangler.toml in the Cloudflare account Example Ltd (account-1).\n",
  );
  expect(contentOf("DB")).toEqual(before);
  expect(calls().filter((call) => !call.includes("--command"))).toEqual([
    "d1 export DB --remote --output backups…/DB.part.sql --skip-confirmation",
  ]);
  await well("restore", "--from", "backups/b", "--as-it-is");
  expect(keys()).toEqual([["k1", null]]);
});

it("the state before a restore is a backup, too: it goes back without another option", async () => {
  sql("DB", REVOKED);
  const stdout = await well("restore", "--from", "backups/b");
  const [, before = ""] = /- to go back: npm run restore -- --from (\S+)\n/.exec(stdout) ?? [];
  expect(await well("restore", "--from", before)).toContain(`Restored: ${before}`);
});

it.each([
  [
    "--from",
    "backups/b",
    "DB: 1 accounts, 1 API keys, 1 panelists, 0 idea banks, 0 proposals now; then 1 accounts, 1 API keys, 0 panelists, ",
  ],
  ["--timestamp", MOMENT, `0 proposals now; then what was there at ${MOMENT}.`],
])("--dry-run with %s names the place, says what would change, and changes nothing", async (option, value, line) => {
  sql("DB", "INSERT INTO panelists (id, account_id, created_at) VALUES ('p1', 'a1', 1)", REVOKED);
  const before = contentOf("DB");
  calls();
  const stdout = await well("restore", option, value, "--dry-run");
  expect(stdout.split("\n")[0]).toBe(
    "Would restore the top level of wrangler.toml in the Cloudflare account Example Ltd (account-1).",
  );
  expect(stdout).toContain(line);
  expect(lastLines(stdout).at(-1)).toBe(
    "A dry run: nothing was changed. A restore also ends again what was ended since.",
  );
  expect(calls().filter((call) => !call.includes("--command SELECT"))).toEqual([]);
  expect(contentOf("DB")).toEqual(before);
});

it("npm run backup and restore name the account and the environment before their first step", async () => {
  account.change({ failures: ["d1 export"] });
  const { stdout } = await refused("backup", "--output", "backups/c");
  expect(stdout).toContain(
    "Backs up the top level of wrangler.toml in the Cloudflare account Example Ltd (account-1).",
  );
});

it("npm run backup and restore show which file they read, which takes long for a large one", async () => {
  account.shown();
  await well("backup", "--output", "backups/d");
  expect(account.shown()).toContain("Reading backups/d/DB.sql");
  await well("restore", "--from", "backups/d", "--dry-run");
  expect(account.shown()).toContain("Reading backups/d/DB.sql");
});
