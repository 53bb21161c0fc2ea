/**
 * D1 with its primary in one place and replicas that lag in others. The databases are real: each replica is one of its own, to which
 * the world's writes are applied when they arrive.
 *
 * As D1 does it: "first-unconstrained" reads the nearest replica; so does a bookmark, and waits until the replica has come so far
 * (https://blog.cloudflare.com/d1-read-replication-beta/); "first-primary", writes, and what is not in a session go to the primary.
 * Bookmarks are counts of writes.
 */
import { bindingOf, isWrite, type Question, run, versionIn, type Written, withCalls } from "../../support/d1.ts";
import type { Random } from "../../support/random.ts";
import { clock, where } from "./clock.ts";
import { D1_SERVICE, PLACES, PRIMARY, REPLICA_LAG, roundTrip } from "./latencies.ts";

type Replica = { readonly database: D1Database; arrivesAt: number; has: number; waiting: (() => void)[] };

/** Told of each round trip, and whether the primary answered it. */
export type Meter = (results: readonly D1Result[], atPrimary: boolean) => void;

export class ReplicatedDatabase {
  readonly #primary: D1Database;
  readonly #replicas: ReadonlyMap<number, Replica>;
  readonly #random: Random;
  readonly #meter: Meter;
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
    await clock.real(() => run(this.#primary, [{ sql, values }]));
    this.#replicate([{ sql, values }, await this.#readVersions()]);
  }

  /** The replicas are seeded by the same statements as the primary, at another time. */
  async copyVersions(): Promise<void> {
    const versions = await this.#readVersions();
    for (const { database } of this.#replicas.values()) await clock.real(() => run(database, [versions]));
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
    withCalls(
      this.#primary,
      bindingOf((question) => this.#ask(question)),
    );

  async #ask({ statements, constraint }: Question) {
    const { place } = where.getStore() ?? { place: PRIMARY };
    const nearest = PLACES[place]?.replica ?? PRIMARY;
    const writes = statements.some(isWrite);
    const replica = writes || constraint === "first-primary" ? undefined : this.#replicas.get(nearest);
    const random = this.#random;
    const way = () => clock.sleep(random.latency(roundTrip(place, replica === undefined ? PRIMARY : nearest)) / 2);
    await way();
    while (replica !== undefined && replica.has < versionIn(constraint)) {
      await new Promise<void>((resolve) => replica.waiting.push(resolve));
    }
    await clock.sleep(random.latency(D1_SERVICE));
    const seen = replica?.has;
    const results = await clock.real(() => run(replica?.database ?? this.#primary, statements));
    this.#meter(results, replica === undefined);
    if (writes) this.#replicate([]);
    const version = seen ?? this.#written;
    await way();
    return { results, version };
  }

  /** A new version: it arrives at each replica in its turn. `statements` are what is in it that is read there. */
  #replicate(statements: readonly Written[]): void {
    this.#written += 1;
    const version = this.#written;
    for (const replica of this.#replicas.values()) {
      replica.arrivesAt = Math.max(replica.arrivesAt, clock.now + this.#random.latency(REPLICA_LAG));
      clock.at(replica.arrivesAt, async () => {
        for (const each of statements) await clock.real(() => run(replica.database, [each]));
        replica.has = version;
        for (const resolve of replica.waiting.splice(0)) resolve();
      });
    }
  }
}
