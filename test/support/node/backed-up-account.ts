/** An account of the stand-in for wrangler with one database and one key in it, anew for each test of backup and restore. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect } from "vitest";
import { planSchema, readSchemaSteps } from "../../../src/commands/deployment/databases/schema-steps.ts";
import { openAccount, type StandInAccount } from "./stand-in/account.ts";

export const schema = planSchema({ ledger: [], objects: [] }, await readSchemaSteps())
  .files.map(({ sql }) => sql)
  .join("\n");
export const THEN = `INSERT INTO accounts (id, owner_email, created_at) VALUES ('a1', 'o@example.com', 1);
  INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at) VALUES ('k1', 'a1', 'K', 'h', '[]', 1)`;
export const REVOKED = "UPDATE api_keys SET revoked_at = 500 WHERE id = 'k1'";
/** D1 goes back for 30 days. */
export const MOMENT = new Date(Date.now() - 86_400_000).toISOString();
export let account: StandInAccount;

/** To be called by a test file, once. */
export function useAccount(): void {
  beforeEach(async () => {
    account = await openAccount();
    edit((toml) => toml.replace('binding = "DB"', 'binding = "DB"\ndatabase_id = "d1-id-0"'));
    account.change({ databases: [{ uuid: "d1-id-0", name: "edge-access-api", location: "" }] });
    sql("DB", schema, THEN);
  });
  afterEach(() => account.close());
}

/** A second database with the same rows, and for both the state that Time Travel knows. */
export function addDatabase(): void {
  edit((toml) =>
    toml.replace(
      "\n# One rendered changelog",
      '\n[[d1_databases]]\nbinding = "DB_1"\ndatabase_id = "d1-id-1"\ndatabase_name = "second"\n\n# One rendered changelog',
    ),
  );
  account.change({ databases: ["d1-id-0", "d1-id-1"].map((uuid) => ({ uuid, name: uuid, location: "" })) });
  sql("DB_1", schema, THEN);
  for (const binding of ["DB", "DB_1"]) keepMoment(binding);
}

/** Time Travel takes the database back to how it is now. */
export const keepMoment = (binding: string) => copyFileSync(fileOf(binding), `${fileOf(binding)}.then`);

export function edit(change: (toml: string) => string): void {
  const file = inCheckout("wrangler.toml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}
export const inCheckout = (path: string) => join(account.checkout, path);
export const fileOf = (binding: string) => join(account.folder, binding === "DB" ? "d1-id-0.sqlite" : "d1-id-1.sqlite");

export function sql(binding: string, ...scripts: string[]): void {
  const database = new DatabaseSync(fileOf(binding));
  database.exec(["PRAGMA synchronous = off", ...scripts].join(";\n"));
  database.close();
}

export function rows(binding: string, statement: string): unknown[] {
  const database = new DatabaseSync(fileOf(binding));
  const found = database.prepare(statement).all();
  database.close();
  return found.map((row) => Object.values(row));
}

/** Everything that is in the database. */
export const contentOf = (binding: string) => [
  rows(binding, "SELECT name, sql FROM sqlite_master ORDER BY name"),
  rows(binding, "SELECT id, revoked_at FROM api_keys"),
];

export const withoutRows = (whole: string) => whole.replaceAll(/^INSERT INTO "(?!d1_migrations).*$/gm, "");
export const keys = () => rows("DB", "SELECT id, revoked_at FROM api_keys");
export const calls = () =>
  account
    .calls()
    .filter((call) => call.startsWith("d1 "))
    .map((call) => call.replace(/(?<=--command SELECT) .*/, " …"));
export const lastLines = (text: string) => text.trimEnd().split("\n").slice(-3);

export async function well(...args: Parameters<StandInAccount["run"]>) {
  const ran = await account.run(...args);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

export async function refused(...args: Parameters<StandInAccount["run"]>) {
  const ran = await account.run(...args);
  expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringMatching(/^ +at /m)]);
  return ran;
}
