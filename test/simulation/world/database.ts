/**
 * D1: a primary, and replicas that get each of its transactions in order, some time later. Bookmarks sort as text. A session with a
 * bookmark waits at a replica until it has come so far; writes, and what is in no session, go to the primary.
 */
import { bindingOf, isWrite, type Question, versionIn, type Written } from "../../support/d1.ts";
import type { HistoryEvent, RowChange } from "../history.ts";
import { type Context, currentContext, HOME } from "./context.ts";
import type { Faults } from "./faults.ts";
import { EPOCH } from "./globals.ts";
import { between, type Random, type Source, skewed } from "./random.ts";
import { Tables } from "./tables.ts";
import type { Timeline } from "./timeline.ts";

/** How far replicas are behind, in milliseconds: most of the time near `least`. */
export type Lag = { readonly least: number; readonly most: number };

type Version = { readonly changes: readonly RowChange[]; readonly arrivals: readonly number[] };
type Replica = { readonly tables: Tables; readonly random: Random; has: number };
type Answer = { readonly rows: Record<string, unknown>[][]; readonly version: number; readonly changed: number };

/** How often a session is served by another instance than the nearest. */
const ELSEWHERE = 0.1;

/** https://developers.cloudflare.com/d1/observability/debug-d1/ */
const FULL = "D1_ERROR: Exceeded maximum DB size.: SQLITE_FULL";
const LOST = [
  "D1_ERROR: Network connection lost.",
  "Network connection lost.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
];

/** Used again by the next history. */
const idle: { primary: Tables[]; replica: Tables[] } = { primary: [], replica: [] };
const lend = (kind: "primary" | "replica"): Tables => {
  const tables = idle[kind].pop() ?? new Tables(kind === "replica");
  tables.clear();
  if (kind === "primary") tables.start();
  return tables;
};

export type DatabaseOptions = {
  readonly digit: string;
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly source: Source;
  readonly lag: Lag;
  readonly replicas: number;
  readonly record: (event: HistoryEvent) => void;
};

export class Database {
  readonly #options: DatabaseOptions;
  readonly #primary = lend("primary");
  readonly #replicas: readonly Replica[];
  readonly #versions: Version[] = [{ changes: [], arrivals: [] }];
  readonly #bytes: (length: number) => Uint8Array;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    const clock = () => EPOCH + options.timeline.now;
    this.#primary.clock = clock;
    this.#bytes = options.source.of("the operator's").bytes();
    this.#replicas = Array.from({ length: options.replicas }, (_, index) => {
      const tables = lend("replica");
      tables.clock = clock;
      return { tables, random: options.source.of(`replica ${index}`).numbers(), has: 0 };
    });
  }

  /** The history is over. */
  close(): void {
    idle.primary.push(this.#primary);
    idle.replica.push(...this.#replicas.map(({ tables }) => tables));
  }

  dump() {
    return this.#primary.dump();
  }

  /** A write of the operator's, beside the Worker. */
  execute(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    this.#primary.bytes = this.#bytes;
    const { rows, changes } = this.#primary.write([{ sql, values }]);
    this.#commit(changes, undefined);
    return rows[0] ?? [];
  }

  /** Each call is one round trip, for whoever runs now. */
  readonly binding = bindingOf(async (question) => {
    const context = currentContext();
    const { rows, version, changed } = await context.io(() => this.#ask(context, question));
    const meta = { changes: changed, rows_read: 0, rows_written: changed, duration: 1, last_row_id: 0 };
    return { results: rows.map((results) => ({ success: true, results, meta })), version };
  });

  #ask(context: Context, { statements, constraint, inSession }: Question): Promise<Answer> {
    const { timeline, faults, digit, record } = this.#options;
    const writes = statements.some(isWrite);
    // Mostly the nearest. Which instance serves a session is D1's to choose: now and then it is another one.
    const place =
      context.place !== HOME && context.random.next() < ELSEWHERE
        ? 1 + context.random.below(this.#replicas.length)
        : context.place;
    const replica = writes || constraint === "first-primary" ? undefined : this.#replicas[place - 1];
    const part = replica === undefined ? "primary" : "replica";
    record({
      kind: "store-called",
      at: timeline.now,
      store: "d1",
      name: digit,
      to: part,
      ...(inSession && { inSession }),
      ...(context.call !== undefined && { call: context.call }),
      ...(context.isolate !== undefined && { isolate: context.isolate }),
    });
    const { random, isolate } = context;
    const since = timeline.now;
    const answered = () =>
      isolate && record({ kind: "store-answered", at: timeline.now, store: "d1", since, isolate, name: digit });
    const isNear = replica !== undefined || context.place === HOME;
    const way = () => (isNear ? skewed(random, 1, 12) : skewed(random, 20, 90));
    const lost = () => new Error(LOST[random.below(LOST.length)]);
    const answer = faults.call({ store: "d1", name: digit, part, inSession }, random, way, lost, async () => {
      if (replica !== undefined) return this.#readReplica(replica, statements, constraint);
      await timeline.sleep(between(random, 0.2, 2));
      if (!writes) return { rows: this.#primary.read(statements), version: this.#newest, changed: 0 };
      if (faults.of({ store: "d1", name: digit, part })?.how === "full") throw new Error(FULL);
      this.#primary.bytes = context.bytes;
      const { rows, changes } = this.#primary.write(statements);
      this.#commit(changes, context.call);
      return { rows, version: this.#newest, changed: changes.length };
    });
    answer.then(answered, answered);
    return answer;
  }

  get #newest(): number {
    return this.#versions.length - 1;
  }

  async #readReplica(replica: Replica, statements: readonly Written[], constraint: string): Promise<Answer> {
    const { timeline } = this.#options;
    const index = this.#replicas.indexOf(replica);
    const wanted = versionIn(constraint);
    for (;;) {
      this.#catchUp(replica, index);
      if (replica.has >= wanted) break;
      // A bookmark of a version that is still to come waits for it.
      const arrival = this.#versions[wanted]?.arrivals[index] ?? timeline.now + 100;
      await timeline.sleep(Math.max(1, arrival - timeline.now));
    }
    await timeline.sleep(between(replica.random, 0.2, 2));
    this.#catchUp(replica, index);
    return { rows: replica.tables.read(statements), version: replica.has, changed: 0 };
  }

  #catchUp(replica: Replica, index: number): void {
    for (;;) {
      const next = this.#versions[replica.has + 1];
      if (next === undefined || (next.arrivals[index] ?? 0) > this.#options.timeline.now) return;
      replica.tables.apply(next.changes);
      replica.has += 1;
    }
  }

  #commit(changes: readonly RowChange[], call: number | undefined): void {
    const { timeline, faults, digit, lag, record } = this.#options;
    const stopped = faults.of({ store: "d1", name: digit, part: "replica" });
    const from = stopped?.how === "stopped" ? stopped.until : timeline.now;
    const last = this.#versions.at(-1);
    const arrivals = this.#replicas.map(({ random }, index) =>
      Math.max(last?.arrivals[index] ?? 0, from + skewed(random, lag.least, lag.most)),
    );
    this.#versions.push({ changes, arrivals });
    if (changes.length === 0) return;
    record({
      kind: "committed",
      at: timeline.now,
      database: digit,
      ...(call !== undefined && { call }),
      changes,
    });
  }
}
