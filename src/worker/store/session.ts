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

/** `rows`: those of the statement. `changes`: the number of rows that it has changed, triggers included. */
type Answer = { readonly rows: readonly unknown[]; readonly changes: number };

/** Makes one round trip. */
type Send = (statements: readonly Statement[]) => Promise<Answer[]>;
type Asked = { readonly statements: readonly Statement[]; readonly answer: PromiseWithResolvers<Answer[]> };

/** A session at the target that `connect` gives for each round trip. */
export function openSession(connect: () => Target, call: Call): Session {
  let bookmark: D1SessionBookmark | undefined;
  const send: Send = (statements) =>
    call(async () => {
      const target = connect();
      const bound = statements.map(({ sql, values }) => target.prepare(sql).bind(...values));
      const [only] = bound;
      const results = only !== undefined && bound.length === 1 ? [await only.all()] : await target.batch(bound);
      bookmark = target.getBookmark?.() ?? bookmark;
      return results.map(({ results: rows, meta }) => ({ rows, changes: meta.changes }));
    });
  return new Session(send, () => bookmark);
}

export class Session {
  readonly #send: Send;
  readonly #bookmark: () => D1SessionBookmark | undefined;

  constructor(send: Send, bookmark: () => D1SessionBookmark | undefined) {
    this.#send = send;
    this.#bookmark = bookmark;
  }

  /** The bookmark after the last answer; undefined before the first one, and without a D1 session. */
  get bookmark(): D1SessionBookmark | undefined {
    return this.#bookmark();
  }

  /**
   * This session, but each round trip also sends `before` and `after`, in the same transaction. `answered` gets the rows of
   * `after`.
   */
  with<Row>({
    before = [],
    after,
    answered,
  }: {
    readonly before?: readonly Statement[];
    readonly after: readonly Statement<Row>[];
    readonly answered?: (rows: readonly Row[]) => void;
  }): Session {
    const send: Send = async (statements) => {
      const answers = await this.#send([...before, ...statements, ...after]);
      const end = before.length + statements.length;
      answered?.(answers.slice(end).flatMap(({ rows }) => rows as readonly Row[]));
      return answers.slice(before.length, end);
    };
    return new Session(send, this.#bookmark);
  }

  /**
   * This session, but what is asked in one turn of the event loop is one round trip and one transaction: for what is read without one
   * another's answers. If one statement fails, all of the round trip does.
   */
  gathered(): Session {
    let asked: Asked[] = [];
    const sendAll = async () => {
      const together = asked;
      asked = [];
      try {
        const answers = await this.#send(together.flatMap(({ statements }) => statements));
        let first = 0;
        for (const { statements, answer } of together) {
          answer.resolve(answers.slice(first, first + statements.length));
          first += statements.length;
        }
      } catch (error) {
        for (const { answer } of together) answer.reject(error);
      }
    };
    const send: Send = (statements) => {
      const answer = Promise.withResolvers<Answer[]>();
      asked.push({ statements, answer });
      if (asked.length === 1) setTimeout(sendAll);
      return answer.promise;
    };
    return new Session(send, this.#bookmark);
  }

  /** This session, but it gives no answer before `confirmed`, whose failure is the answer. */
  confirmedBy(confirmed: Promise<unknown>): Session {
    const send: Send = async (statements) => {
      const [answers] = await Promise.all([this.#send(statements), confirmed]);
      return answers;
    };
    return new Session(send, this.#bookmark);
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
}
