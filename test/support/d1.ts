/**
 * D1 as a Worker meets it, whatever answers: the simulation's databases, the benchmark's distant ones, a replica that lags by a script.
 * A session's next question asks for what the session has seen. A bookmark is the number of a version, and sorts as text.
 */
export type Written = { readonly sql: string; readonly values: readonly unknown[] };
/** One round trip. `constraint` is that of `withSession()`, or a bookmark. `inSession`: of an object that `withSession()` gave. */
export type Question = {
  readonly statements: readonly Written[];
  readonly constraint: string;
  readonly inSession: boolean;
};
type Result = { readonly results: readonly unknown[] };
/** `version` is what the answer has seen. */
export type Ask = (question: Question) => Promise<{ readonly results: readonly Result[]; readonly version: number }>;

const WRITES = /\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;
export const isWrite = ({ sql }: Written): boolean => WRITES.test(sql);

const toBookmark = (version: number): string => version.toString(16).padStart(8, "0");
/** The version that an answer needs at least. */
export const versionIn = (constraint: string): number =>
  constraint.startsWith("first-") ? 0 : Number.parseInt(constraint, 16) || 0;

/** Asks a real database. */
export const run = (database: D1Database, statements: readonly Written[]): Promise<D1Result[]> =>
  database.batch(statements.map(({ sql, values }) => database.prepare(sql).bind(...values)));

/** What a call of the binding itself begins is a session for itself alone. */
export const bindingOf = (ask: Ask) => ({
  prepare: (sql: string) => new Session(ask, "first-primary", false).prepare(sql),
  batch: (statements: readonly Statement[]) => new Session(ask, "first-primary", false).batch(statements),
  withSession: (constraint = "first-unconstrained") => new Session(ask, constraint, true),
});

/** A real database's binding, of which these calls are asked in another way. */
export function withCalls(database: D1Database, calls: object): D1Database {
  return new Proxy(database, {
    get: (target, name) => {
      if (name in calls) return Reflect.get(calls, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

class Session {
  readonly #ask: Ask;
  readonly #inSession: boolean;
  #constraint: string;
  #seen: string | null;

  constructor(ask: Ask, constraint: string, inSession: boolean) {
    this.#ask = ask;
    this.#inSession = inSession;
    this.#constraint = constraint;
    this.#seen = constraint.startsWith("first-") ? null : constraint;
  }

  prepare(sql: string): Statement {
    return new Statement(this, sql, []);
  }

  async batch(statements: readonly Statement[]) {
    if (statements.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
    const asked = { statements, constraint: this.#constraint, inSession: this.#inSession };
    const { results, version } = await this.#ask(asked);
    const bookmark = toBookmark(version);
    if (this.#seen === null || bookmark > this.#seen) this.#seen = bookmark;
    this.#constraint = this.#seen;
    return results;
  }

  getBookmark(): string | null {
    return this.#seen;
  }
}

class Statement implements Written {
  readonly #session: Session;
  readonly sql: string;
  readonly values: readonly unknown[];

  constructor(session: Session, sql: string, values: readonly unknown[]) {
    this.#session = session;
    this.sql = sql;
    this.values = values;
  }

  bind(...values: readonly unknown[]): Statement {
    return new Statement(this.#session, this.sql, values);
  }

  async all(): Promise<Result> {
    const [result] = await this.#session.batch([this]);
    if (result === undefined) throw new Error("a statement has one result");
    return result;
  }

  run(): Promise<Result> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results as Record<string, unknown>[];
    return (column === undefined ? row : row?.[column]) ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return ((await this.all()).results as object[]).map((row) => Object.values(row));
  }
}
