/** D1 with the batches that are sent at the same time made one: a check of a hundred answers costs one round trip. */

type Waiting = {
  readonly statements: readonly D1PreparedStatement[];
  readonly done: (results: D1Result[], bookmark: D1SessionBookmark | null) => void;
  readonly failed: (reason: unknown) => void;
};

/** For reads: what each request reads is what it reads alone, and all of them see the same state. */
export function joinBatches(database: D1Database): D1Database {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const sent = waiting;
    waiting = [];
    const session = database.withSession("first-primary");
    try {
      const results = await session.batch(sent.flatMap(({ statements }) => statements));
      let at = 0;
      for (const { statements, done } of sent) {
        done(results.slice(at, at + statements.length), session.getBookmark());
        at += statements.length;
      }
    } catch (error) {
      for (const { failed } of sent) failed(error);
    }
  }

  const batch = (statements: readonly D1PreparedStatement[], seen: (bookmark: D1SessionBookmark | null) => void) =>
    new Promise<D1Result[]>((resolve, failed) => {
      if (waiting.length === 0) setTimeout(flush);
      const done: Waiting["done"] = (results, bookmark) => {
        seen(bookmark);
        resolve(results);
      };
      waiting.push({ statements, done, failed });
    });

  return new Proxy(database, {
    get(target, property) {
      if (property !== "withSession") return Reflect.get(target, property);
      return (constraint: string) => {
        const session = target.withSession(constraint);
        let seen: D1SessionBookmark | null = null;
        const own: Record<string | symbol, unknown> = {
          batch: (statements: readonly D1PreparedStatement[]) =>
            batch(statements, (bookmark) => {
              seen = bookmark;
            }),
          getBookmark: () => seen ?? session.getBookmark(),
        };
        const bind = (name: string | symbol) => {
          const value = Reflect.get(session, name);
          return typeof value === "function" ? value.bind(session) : value;
        };
        return new Proxy(session, { get: (_, name) => own[name] ?? bind(name) });
      };
    },
  });
}
