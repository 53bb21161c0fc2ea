/** A session sends statements to D1. A batch is one round trip and one transaction. */
import type { Statement } from "./statement.ts";

/**
 * The statements of a batch by name, in the order in which they run. A list of statements has one name, and its rows are not
 * returned. An undefined entry is left out.
 */
export type Batch = Readonly<Record<string, Statement | readonly Statement[] | undefined>>;

/** `[undefined]` comes first, because it extends every other type here. */
type RowsOf<One> = [One] extends [undefined]
  ? undefined
  : One extends Statement<infer Row>
    ? readonly Row[]
    : undefined;

/** The rows of each statement, by the statement's name. */
export type Results<Statements extends Batch> = {
  readonly [Name in keyof Statements]: RowsOf<Statements[Name]>;
};

/** Makes the call of one round trip, with its deadline, and counts it. */
export type Call = <Answer>(run: () => Promise<Answer>) => Promise<Answer>;

/** The receiver of a round trip: a D1 session, or a database without one, which has no bookmark. */
export type Target = Pick<D1DatabaseSession, "prepare" | "batch"> & Partial<Pick<D1DatabaseSession, "getBookmark">>;

/** Statements that are sent before and after those of each round trip. */
type Attached = {
  readonly before: readonly Statement[];
  readonly after: readonly { readonly statement: Statement; readonly answered?: (rows: readonly unknown[]) => void }[];
};
const NOTHING: Attached = { before: [], after: [] };

/** `rows`: those of the statement. `changes`: the number of rows that it has changed, triggers included. */
type Answer = { readonly rows: readonly unknown[]; readonly changes: number };

export class Session {
  readonly #connect: () => Target;
  readonly #call: Call;
  readonly #attached: Attached;
  #bookmark: D1SessionBookmark | undefined;

  /** `connect` gives the target of the next round trip. */
  constructor(connect: () => Target, call: Call, attached = NOTHING) {
    this.#connect = connect;
    this.#call = call;
    this.#attached = attached;
  }

  /** The bookmark after the last answer; undefined before the first one, and without a D1 session. */
  get bookmark(): D1SessionBookmark | undefined {
    return this.#bookmark;
  }

  /**
   * A session that also sends `statement` at the end of each round trip, in the same transaction, and gives its rows to
   * `answered`.
   */
  with<Row>(statement: Statement<Row>, answered: (rows: readonly Row[]) => void): Session {
    const last = { statement, answered: (rows: readonly unknown[]) => answered(rows as readonly Row[]) };
    return this.#attach({ before: [], after: [last] });
  }

  /** A session that also sends `before` and `after` with each round trip, in the same transaction. */
  withStatements(before: readonly Statement[], after: readonly Statement[]): Session {
    return this.#attach({ before, after: after.map((statement) => ({ statement })) });
  }

  #attach({ before, after }: Attached): Session {
    const { before: outer, after: inner } = this.#attached;
    return new Session(this.#connect, this.#call, { before: [...before, ...outer], after: [...inner, ...after] });
  }

  async batch<const Statements extends Batch>(statements: Statements): Promise<Results<Statements>> {
    const named = Object.entries(statements).flatMap(([name, one]) =>
      (one === undefined ? [] : [one].flat()).map((statement) => ({ name, statement, isRead: one === statement })),
    );
    const answers = await this.#send(named.map(({ statement }) => statement));
    const results = named.map(({ name, isRead }, index) => [name, isRead ? answers[index]?.rows : undefined]);
    return Object.fromEntries(results);
  }

  async all<Row>(statement: Statement<Row>): Promise<readonly Row[]> {
    const [answer] = await this.#send([statement]);
    return (answer?.rows ?? []) as readonly Row[];
  }

  /** The first row; null when there is none. */
  async first<Row>(statement: Statement<Row>): Promise<Row | null> {
    const [row] = await this.all(statement);
    return row ?? null;
  }

  /** The number of rows that the statement has changed, triggers included. */
  async run(statement: Statement): Promise<number> {
    const [answer] = await this.#send([statement]);
    return answer?.changes ?? 0;
  }

  async #send(statements: readonly Statement[]): Promise<Answer[]> {
    const { before, after } = this.#attached;
    const sent = [...before, ...statements, ...after.map(({ statement }) => statement)];
    const results = await this.#call(async () => {
      const target = this.#connect();
      const bound = sent.map(({ sql, values }) => target.prepare(sql).bind(...values));
      const [only] = bound;
      const answered = only !== undefined && bound.length === 1 ? [await only.all()] : await target.batch(bound);
      this.#bookmark = target.getBookmark?.() ?? this.#bookmark;
      return answered;
    });
    const answers = results.map(({ results: rows, meta }) => ({ rows, changes: meta.changes }));
    const behind = answers.splice(before.length + statements.length);
    for (const [index, { answered }] of after.entries()) answered?.(behind[index]?.rows ?? []);
    return answers.slice(before.length);
  }
}
