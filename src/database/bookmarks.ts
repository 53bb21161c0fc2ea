/**
 * The isolate's latest D1 bookmark. Reads go to the nearest replica that has reached it, so that every later answer includes
 * what this isolate has written or read. Bookmarks sort as text, and the latest is kept.
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
