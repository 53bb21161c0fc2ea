/**
 * Every test starts with empty stores: what a test has called is emptied after it. The databases keep their schema from test to test:
 * making it costs more than most tests do. What cannot be emptied, such as a database whose schema a test has changed, is deleted and made again, with everything else.
 */
import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import schema from "../../schema.sql?raw";
import { DATABASES } from "./databases.ts";
import { makeSchema } from "./schema-parts.ts";

/** With more, it is cheaper to delete everything. */
const MAX_GATES = 10;

/** Anything that is made, dropped or altered changes it. */
const DEFINITIONS =
  "coalesce((SELECT group_concat(name || length(sql) ORDER BY rowid) FROM sqlite_schema WHERE name NOT GLOB '_cf_*'), '')";
const isEmpty = async (database: D1Database): Promise<boolean> =>
  (await database.prepare(`SELECT ${DEFINITIONS} AS definitions`).first("definitions")) === "";

type Contents = { readonly definitions: string } & Readonly<Record<string, string | number>>;
type Made = { readonly select: string; readonly tables: readonly string[]; readonly contents: Contents };

/** What each database holds without rows; undefined when the stores have to be made. */
let made: Made | undefined;
/** By name or id: the gates that the test has asked for. */
const gates = new Map<string, () => DurableObjectStub>();
/** The other stores that the test has called. */
const called = new Set<D1Database | KVNamespace>();
let tests = 0;

/** Call it before each test. */
export async function makeStores(): Promise<void> {
  separateCounters();
  noteGates();
  for (const database of [...DATABASES, env.REPLICA]) noteCalls(database, ["prepare", "batch", "exec", "withSession"]);
  noteCalls(env.CHANGELOGS, ["put"]);
  if (made !== undefined) return;
  await deleteEverything();
  await Promise.all(DATABASES.map((database) => makeSchema(database, schema)));
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name <> 'sqlite_sequence' ORDER BY rowid",
  ).all<{ name: string }>();
  const tables = [...results.map(({ name }) => name), "sqlite_sequence"];
  const select = `SELECT ${DEFINITIONS} AS definitions, ${tables.map((name) => `EXISTS (SELECT 1 FROM ${name}) AS ${name}`)}`;
  const contents = await env.DB.prepare(select).first<Contents>();
  if (contents !== null) made = { select, tables, contents };
  called.clear();
}

/** On a busy machine the pool has once left a test's own schema where it was. */
async function deleteEverything(): Promise<void> {
  await reset();
  if (!(await Promise.all(DATABASES.map(isEmpty))).every(Boolean)) await reset();
}

/** Call it after each test. Whatever goes wrong, the stores are made again. */
export async function emptyStores(): Promise<void> {
  const areEmpty = made !== undefined && (await empty(made).catch(() => false));
  if (!areEmpty) made = undefined;
}

/** Whether it could. Gates first: they write to the databases, through bindings of their own. */
async function empty(stores: Made): Promise<boolean> {
  const all = gates.size > 0 ? new Set([...called, ...DATABASES]) : new Set(called);
  if (!(await emptyGates())) return false;
  const results = await Promise.all([
    !all.has(env.REPLICA) || isEmpty(env.REPLICA),
    !all.has(env.CHANGELOGS) || emptyNamespace(),
    ...DATABASES.map((database) => !all.has(database) || emptyDatabase(database, stores)),
  ]);
  called.clear();
  return results.every(Boolean);
}

async function emptyDatabase(database: D1Database, { select, tables, contents }: Made): Promise<boolean> {
  const held = await database.prepare(select).first<Contents>();
  if (held?.definitions !== contents.definitions) return false;
  const filled = tables.filter((name) => held[name] !== 0);
  if (filled.length === 0) return true;
  // In the order of the schema: with an account goes what belongs to it, and no trigger finds it. Triggers may begin the sequence.
  const results = await database.batch<Contents>([
    ...filled.map((name) => database.prepare(`DELETE FROM ${name}`)),
    database.prepare("DELETE FROM sqlite_sequence"),
    database.prepare(select),
  ]);
  const left = results.at(-1)?.results[0];
  return left !== undefined && tables.every((name) => left[name] === 0);
}

async function emptyNamespace(): Promise<boolean> {
  const { keys, list_complete: isComplete } = await env.CHANGELOGS.list();
  await Promise.all(keys.map(({ name }) => env.CHANGELOGS.delete(name)));
  return isComplete;
}

async function emptyGates(): Promise<boolean> {
  const filled = [...gates.values()];
  gates.clear();
  if (filled.length > MAX_GATES) return false;
  await Promise.all(filled.map((gateOf) => emptyGate(gateOf())));
  return true;
}

async function emptyGate(gate: DurableObjectStub): Promise<void> {
  await runInDurableObject(gate, async (_, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  });
  // What it has in memory.
  await evictDurableObject(gate);
}

/** There is no other way to it, but for gates. Until mocks are restored. */
function noteCalls(store: D1Database | KVNamespace, methods: readonly string[]): void {
  const target: Record<string, (...args: unknown[]) => unknown> = Object(store);
  for (const name of methods) {
    const method = target[name]?.bind(store);
    vi.spyOn(target, name).mockImplementation((...args) => {
      called.add(store);
      return method?.(...args);
    });
  }
}

/** There is no other way to a gate. Until mocks are restored. */
function noteGates(): void {
  const { API_KEY_GATE } = env;
  const [get, getByName] = [API_KEY_GATE.get.bind(API_KEY_GATE), API_KEY_GATE.getByName.bind(API_KEY_GATE)];
  vi.spyOn(API_KEY_GATE, "get").mockImplementation((id, options) => {
    gates.set(id.toString(), () => get(id));
    return get(id, options);
  });
  vi.spyOn(API_KEY_GATE, "getByName").mockImplementation((name, options) => {
    gates.set(name, () => getByName(name));
    return getByName(name, options);
  });
}

/** The counts of a rate limit cannot be emptied: each test has its own, until mocks are restored. */
function separateCounters(): void {
  tests += 1;
  const test = tests;
  for (const limiter of [env.PANELIST_READS, env.PANELIST_WRITES, env.OWNER_WRITES, env.OWNER_READS]) {
    const limit = limiter.limit.bind(limiter);
    vi.spyOn(limiter, "limit").mockImplementation(({ key }) => limit({ key: `${test} ${key}` }));
  }
}
