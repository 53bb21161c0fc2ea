/**
 * D1 with a replica that lags by a script: two real databases, the second a copy of the first as of `catchUp`.
 *
 * As D1 does it: "first-unconstrained" reads the replica; a bookmark reads it too when the replica has come so far, else the
 * primary; "first-primary", every write, and what is not in a session goes to the primary. Bookmarks are counts of writes.
 */
import { env } from "cloudflare:workers";
import schema from "../../schema.sql?raw";

export async function createReplica() {
  let [written, copied] = [1, 1];
  const asked: string[] = [];
  const toBookmark = (version: number) => String(version).padStart(8, "0");

  async function catchUp(): Promise<void> {
    const { results: tables } = await env.DB.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
    ).all<{ name: string }>();
    await dropAll();
    for (const { name } of tables) await copy(name);
    await env.REPLICA.prepare(schema).run();
    copied = written;
  }

  const session = (constraint: string): D1DatabaseSession => {
    asked.push(constraint);
    const atReplica = constraint === "first-unconstrained" || constraint <= toBookmark(copied);
    const real = (atReplica ? env.REPLICA : env.DB).withSession("first-primary");
    const version = atReplica ? copied : written;
    return new Proxy(real, {
      get(target, name) {
        if (name === "getBookmark") return () => toBookmark(version);
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (...args: unknown[]) => Reflect.apply(member, target, args) : member;
      },
    });
  };

  await catchUp();
  return {
    /** The constraints of the sessions, in order. */
    asked,
    database: new Proxy(env.DB, {
      get(target, name) {
        if (name === "withSession") return session;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (...args: unknown[]) => Reflect.apply(member, target, args) : member;
      },
    }),
    /** The replica has everything that was written until now. */
    catchUp,
    /** A write at the primary, through another isolate. */
    write: async (sql: string, ...values: unknown[]) => {
      await env.DB.prepare(sql)
        .bind(...values)
        .run();
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
async function copy(table: string): Promise<void> {
  const { results: columns } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const definition = await env.DB.prepare("SELECT sql FROM sqlite_master WHERE name = ?1")
    .bind(table)
    .first<string>("sql");
  const names = columns.map(({ name }) => name);
  const { results: rows } = await env.DB.prepare(`SELECT ${names.join(", ")} FROM ${table}`).all<
    Record<string, unknown>
  >();
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
