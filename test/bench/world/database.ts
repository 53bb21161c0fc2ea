/**
 * D1 with its primary in one place and replicas that lag in others. The databases are real: each replica is one of its own, to which
 * the world's writes are applied when they arrive.
 *
 * As D1 does it: "first-unconstrained" reads the nearest replica; so does a bookmark, and waits until the replica has come so far
 * (https://blog.cloudflare.com/d1-read-replication-beta/); "first-primary", writes, and what is not in a session go to the primary.
 * Bookmarks are counts of writes.
 */
import { clock, where } from "./clock.ts";
import { D1_SERVICE, PLACES, PRIMARY, REPLICA_LAG, roundTrip } from "./latencies.ts";
import type { Random } from "./random.ts";

/** A statement and its values, to be prepared again for whichever database answers. */
type Written = { readonly sql: string; readonly values: readonly unknown[] };

type Replica = { readonly database: D1Database; arrivesAt: number; has: number; waiting: (() => void)[] };

/** Told of each round trip, and whether the primary answered it. */
export type Meter = (results: readonly D1Result[], atPrimary: boolean) => void;

const isWrite = ({ sql }: Written) => /^\s*(?:WITH\b.*\b)?(?:INSERT|UPDATE|DELETE|REPLACE|CREATE)\b/is.test(sql);
const prepareAt = (database: D1Database, { sql, values }: Written) => database.prepare(sql).bind(...values);
const toBookmark = (version: number) => String(version).padStart(8, "0");

export class ReplicatedDatabase {
  readonly #primary: D1Database;
  readonly #replicas: ReadonlyMap<number, Replica>;
  readonly #random: Random;
  readonly #meter: Meter;
  /** Of every statement that was made here: a batch may take those of another session. */
  readonly #originals = new WeakMap<object, Written>();
  #written = 1;

  constructor(primary: D1Database, replicas: ReadonlyMap<number, D1Database>, random: Random, meter: Meter) {
    this.#primary = primary;
    this.#replicas = new Map(
      [...replicas].map(([place, database]) => [
        place,
        { database, arrivesAt: 0, has: 1, waiting: [] } satisfies Replica,
      ]),
    );
    this.#random = random;
    this.#meter = meter;
  }

  /** A write at the primary by somebody next to it, who is told of it at the same time. */
  async write(sql: string, ...values: readonly unknown[]): Promise<void> {
    await clock.real(() => prepareAt(this.#primary, { sql, values }).run());
    this.#replicate([{ sql, values }, await this.#readVersions()]);
  }

  /** The replicas are seeded by the same statements as the primary, at another time. */
  async copyVersions(): Promise<void> {
    const versions = await this.#readVersions();
    for (const { database } of this.#replicas.values()) await clock.real(() => prepareAt(database, versions).run());
  }

  /** D1 copies rows. A replica here runs statements, whose triggers make versions out of the clock: those are copied after them. */
  async #readVersions(): Promise<Written> {
    const read = this.#primary.prepare("SELECT json_group_object(id, changelog_version) AS versions FROM idea_banks");
    const versions = await clock.real(() => read.first<string>("versions"));
    const sql = `UPDATE idea_banks SET changelog_version = json_extract(?1, '$."' || id || '"')`;
    return { sql, values: [versions] };
  }

  /** The binding of a Worker, wherever it is called. */
  readonly binding = (): D1Database =>
    new Proxy(this.#primary, {
      get: (target, name) => {
        const outside = this.#session("first-primary");
        if (name === "withSession") return (constraint = "first-primary") => this.#session(constraint);
        if (name === "prepare" || name === "batch") return Reflect.get(outside, name);
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (...args: unknown[]) => Reflect.apply(member, target, args) : member;
      },
    });

  #session(constraint: string): D1DatabaseSession {
    let seen = constraint.startsWith("first-") ? null : constraint;
    let mayReplica = constraint !== "first-primary";

    const at = async (written: readonly Written[], call: (database: D1Database) => Promise<readonly D1Result[]>) => {
      const { place } = where.getStore() ?? { place: PRIMARY };
      const nearest = PLACES[place]?.replica ?? PRIMARY;
      const replica = mayReplica && !written.some(isWrite) ? this.#replicas.get(nearest) : undefined;
      const random = this.#random;
      await clock.sleep(random.latency(roundTrip(place, replica === undefined ? PRIMARY : nearest)) / 2);
      while (replica !== undefined && seen !== null && toBookmark(replica.has) < seen) {
        await new Promise<void>((resolve) => replica.waiting.push(resolve));
      }
      await clock.sleep(random.latency(D1_SERVICE));
      const version = replica?.has;
      const results = await clock.real(() => call(replica?.database ?? this.#primary));
      this.#meter(results, replica === undefined);
      if (written.some(isWrite)) this.#replicate([]);
      const bookmark = toBookmark(version ?? this.#written);
      if (seen === null || bookmark > seen) seen = bookmark;
      mayReplica = true;
      await clock.sleep(random.latency(roundTrip(place, replica === undefined ? PRIMARY : nearest)) / 2);
      return results;
    };

    const statement = (original: Written): D1PreparedStatement => {
      const all = async () => {
        const [result] = await at([original], async (database) => [await prepareAt(database, original).all()]);
        return result;
      };
      const first = async (column?: string) => {
        const row = (await all())?.results[0] as Record<string, unknown> | undefined;
        return (column === undefined ? row : row?.[column]) ?? null;
      };
      const own: Record<string, unknown> = {
        bind: (...values: unknown[]) => statement({ ...original, values }),
        all,
        run: all,
        first,
      };
      const proxy = new Proxy(this.#primary.prepare(original.sql), {
        get: (target, name) => (typeof name === "string" && own[name]) || Reflect.get(target, name),
      });
      this.#originals.set(proxy, original);
      return proxy;
    };

    return new Proxy(this.#primary.withSession(), {
      get: (target, name) => {
        if (name === "getBookmark") return () => seen;
        if (name === "prepare") return (sql: string) => statement({ sql, values: [] });
        if (name !== "batch") return Reflect.get(target, name);
        return (statements: D1PreparedStatement[]) => {
          const list = statements.flatMap((each) => this.#originals.get(each) ?? []);
          return at(list, (database) => database.batch(list.map((each) => prepareAt(database, each))));
        };
      },
    });
  }

  /** A new version: it arrives at each replica in its turn. `statements` are what is in it that is read there. */
  #replicate(statements: readonly Written[]): void {
    this.#written += 1;
    const version = this.#written;
    for (const replica of this.#replicas.values()) {
      replica.arrivesAt = Math.max(replica.arrivesAt, clock.now + this.#random.latency(REPLICA_LAG));
      clock.at(replica.arrivesAt, async () => {
        for (const each of statements) await clock.real(() => prepareAt(replica.database, each).run());
        replica.has = version;
        for (const resolve of replica.waiting.splice(0)) resolve();
      });
    }
  }
}
