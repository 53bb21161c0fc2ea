import type { Sessions } from "./sessions.ts";

/**
 * A session of which every round trip is at the primary. D1's own goes on at the nearest replica: that has to come as far as the
 * session first, which takes for ever while it stands still.
 */
export function openAtPrimary(database: D1Database, sessions: Sessions): D1DatabaseSession {
  const open = () => sessions.open(database, "first-primary");
  let session = open();
  let reached: D1SessionBookmark | null = null;
  const getBookmark = () => session.getBookmark() ?? reached;
  /** A session that has a bookmark has asked. */
  const next = () => {
    if (session.getBookmark() === null) return session;
    reached = session.getBookmark();
    session = open();
    return session;
  };
  return {
    prepare: (sql) => next().prepare(sql),
    batch: (statements) => next().batch(statements),
    getBookmark,
  };
}
