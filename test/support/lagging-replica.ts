/**
 * A database with a replica that lags by a script: two real databases, the second a copy of the first as of `catchUp`.
 *
 * As D1 does it: "first-unconstrained" reads the replica; so does a bookmark when the replica has come so far, else it reads the
 * primary; "first-primary", every write, and what is not in a session go to the primary. A version is a count of writes.
 */
import { env } from "cloudflare:workers";
import schema from "../../schema.sql?raw";
import { bindingOf, isWrite, type Question, run, versionIn, withCalls } from "./d1.ts";
import { databaseOf } from "./databases.ts";
import { makeSchema } from "./schema-parts.ts";

/** `id` is of what the database holds. */
export async function createReplica(id: string) {
  const primary = databaseOf(id);
  let [written, copied] = [1, 1];
  const asked: string[] = [];

  async function catchUp(): Promise<void> {
    const { results: tables } = await primary
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
      )
      .all<{ name: string }>();
    await dropAll();
    for (const { name } of tables) await copy(primary, name);
    await makeSchema(env.REPLICA, schema);
    copied = written;
  }

  /** What an answer has seen is at least as new as the answer. */
  async function ask({ statements, constraint }: Question) {
    const writes = statements.some(isWrite);
    const atReplica = !writes && constraint !== "first-primary" && versionIn(constraint) <= copied;
    const results = await run(atReplica ? env.REPLICA : primary, statements);
    if (writes) written += 1;
    return { results, version: atReplica ? copied : written };
  }
  const { withSession } = bindingOf(ask);

  await catchUp();
  return {
    /** The constraints of the sessions, in order. */
    asked,
    database: withCalls(primary, {
      withSession: (constraint?: string) => {
        asked.push(constraint ?? "");
        return withSession(constraint);
      },
    }),
    /** The replica has everything that was written until now. */
    catchUp,
    /** A write at the primary, through another isolate. */
    write: async (sql: string, ...values: unknown[]) => {
      await run(primary, [{ sql, values }]);
      written += 1;
    },
  };
}

async function dropAll(): Promise<void> {
  const { results } = await env.REPLICA.prepare(
    "SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND type IN ('trigger', 'table')",
  ).all<{ type: string; name: string }>();
  await env.REPLICA.batch([
    env.REPLICA.prepare("PRAGMA defer_foreign_keys = on"),
    ...results
      .toSorted((left, right) => (left.type < right.type ? 1 : -1))
      .map(({ type, name }) => env.REPLICA.prepare(`DROP ${type} IF EXISTS ${name}`)),
  ]);
}

/** Rows without their generated columns, which the copy computes again. */
async function copy(primary: D1Database, table: string): Promise<void> {
  const { results: columns } = await primary.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const definition = await primary
    .prepare("SELECT sql FROM sqlite_master WHERE name = ?1")
    .bind(table)
    .first<string>("sql");
  const names = columns.map(({ name }) => name);
  const { results: rows } = await primary
    .prepare(`SELECT ${names.join(", ")} FROM ${table}`)
    .all<Record<string, unknown>>();
  await env.REPLICA.batch([
    env.REPLICA.prepare("PRAGMA defer_foreign_keys = on"),
    env.REPLICA.prepare(definition ?? ""),
    ...rows.map((row) =>
      env.REPLICA.prepare(
        `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((_, index) => `?${index + 1}`).join(", ")})`,
      ).bind(...names.map((name) => row[name])),
    ),
  ]);
}
