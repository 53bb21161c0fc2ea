/**
 * A database with a replica that lags by a script: two real databases, the second a copy of the first as of `catchUp`.
 *
 * As D1 does it: "first-unconstrained" reads the replica; a bookmark reads it too when the replica has come so far, else the
 * primary; "first-primary", every write, what follows it in its session, and what is not in a session go to the primary.
 * Bookmarks are counts of writes.
 */
import { env } from "cloudflare:workers";
import schema from "../../schema.sql?raw";
import { databaseOf } from "./databases.ts";

/** A statement and its values, to be prepared again for whichever database answers. */
type Written = { readonly sql: string; readonly values: readonly unknown[] };

const isWrite = ({ sql }: Written) => /\b(INSERT|UPDATE|DELETE|REPLACE)\b/.test(sql);
const prepareAt = (database: D1Database, { sql, values }: Written) => database.prepare(sql).bind(...values);

/** `id` is of what the database holds. */
export async function createReplica(id: string) {
  const primary = databaseOf(id);
  let [written, copied] = [1, 1];
  const asked: string[] = [];
  const toBookmark = (version: number) => String(version).padStart(8, "0");

  async function catchUp(): Promise<void> {
    const { results: tables } = await primary
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
      )
      .all<{ name: string }>();
    await dropAll();
    for (const { name } of tables) await copy(primary, name);
    await env.REPLICA.prepare(schema).run();
    copied = written;
  }

  function session(constraint: string): D1DatabaseSession {
    asked.push(constraint);
    const originals = new WeakMap<object, Written>();
    let seen = constraint.startsWith("first-") ? null : constraint;

    /** Where these statements go; what the session has seen then is at least as new as its answer. */
    async function at<Answer>(statements: readonly Written[], call: (database: D1Database) => Promise<Answer>) {
      const writes = statements.some(isWrite);
      const atReplica = !writes && constraint !== "first-primary" && (seen === null || seen <= toBookmark(copied));
      const answer = await call(atReplica ? env.REPLICA : primary);
      if (writes) written += 1;
      const version = toBookmark(atReplica ? copied : written);
      if (seen === null || version > seen) seen = version;
      return answer;
    }

    const statement = (original: Written): D1PreparedStatement => {
      const proxy = new Proxy(primary.prepare(original.sql), {
        get(target, name) {
          if (name === "bind") return (...values: unknown[]) => statement({ ...original, values });
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return (...args: unknown[]) =>
            at([original], async (database) => {
              const real = prepareAt(database, original);
              return Reflect.apply(Reflect.get(real, name), real, args);
            });
        },
      });
      originals.set(proxy, original);
      return proxy;
    };

    return new Proxy(primary.withSession(), {
      get(target, name) {
        if (name === "getBookmark") return () => seen;
        if (name === "prepare") return (sql: string) => statement({ sql, values: [] });
        if (name !== "batch") return Reflect.get(target, name);
        return (statements: D1PreparedStatement[]) => {
          const list = statements.flatMap((each) => originals.get(each) ?? []);
          return at(list, (database) => database.batch(list.map((each) => prepareAt(database, each))));
        };
      },
    });
  }

  await catchUp();
  return {
    /** The constraints of the sessions, in order. */
    asked,
    database: new Proxy(primary, {
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
      await primary
        .prepare(sql)
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
