/**
 * The latest bookmark that an isolate has seen of a database. Reads go to the nearest replica, but never behind it: what was
 * written or read through this isolate shows in every later answer of it. Bookmarks sort as text, and this one only grows.
 */
export class Bookmarks {
  #latest: D1SessionBookmark | undefined;

  /** A session for reads and writes. Pass it to `note` when its work is done. */
  open(database: D1Database): D1DatabaseSession {
    return database.withSession(this.#latest ?? "first-unconstrained");
  }

  note(session: D1DatabaseSession): void {
    const bookmark = session.getBookmark();
    if (bookmark !== null && (this.#latest === undefined || bookmark > this.#latest)) this.#latest = bookmark;
  }
}
