/**
 * A session whose round trips answer one more question: a statement that is attached to each of them, behind its own, in the same
 * transaction. So whoever writes in the session learns what follows from it, without a call more.
 */

/** By what is given out, the session's own statement: D1 takes only its own into a batch. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/** `answered` is told the answer to `question` after each round trip. */
export function attach(
  session: D1DatabaseSession,
  question: D1PreparedStatement,
  answered: (result: D1Result | undefined) => void,
): D1DatabaseSession {
  const batch = async <Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> => {
    const results = await session.batch<Row>([...statements.map((each) => originals.get(each) ?? each), question]);
    answered(results.pop());
    return results;
  };
  return {
    batch,
    prepare: (sql) => toStatement(session.prepare(sql), batch),
    getBookmark: () => session.getBookmark(),
  };
}

type Batch = <Row>(statements: D1PreparedStatement[]) => Promise<D1Result<Row>[]>;

function toStatement(statement: D1PreparedStatement, batch: Batch): D1PreparedStatement {
  const run = async <Row>(): Promise<D1Result<Row>> => {
    const [result] = await batch<Row>([statement]);
    if (result === undefined) throw new Error("a batch has no result");
    return result;
  };
  const first = async (column?: string) => {
    const [row] = (await run<Record<string, unknown>>()).results;
    return (column === undefined ? row : row?.[column]) ?? null;
  };
  const attached: D1PreparedStatement = new Proxy(statement, {
    get(_, name) {
      switch (name) {
        case "bind":
          return (...values: unknown[]) => toStatement(statement.bind(...values), batch);
        case "run":
        case "all":
          return run;
        case "first":
          return first;
        default:
          throw new Error(`a statement of this session has no ${String(name)}`);
      }
    },
  });
  originals.set(attached, statement);
  return attached;
}
