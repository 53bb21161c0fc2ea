/**
 * The isolate's latest bookmark of each D1 database. Reads go to the nearest replica that has reached it, so that every later answer
 * includes what this isolate has written or read there. Bookmarks sort as text, and the latest is kept; those of two databases
 * cannot be compared, so each is named by an identifier of what is read or written.
 */
import { databaseDigit } from "../credentials/id.ts";

export class Bookmarks {
  /** By the database's digit. */
  readonly #latest = new Map<string, D1SessionBookmark>();

  /** A session for reads and writes of what `id` names. Pass both to `note` when its work is done. */
  open(database: D1Database, id: string): D1DatabaseSession {
    return database.withSession(this.#latest.get(databaseDigit(id)) ?? "first-unconstrained");
  }

  note(session: D1DatabaseSession, id: string): void {
    const digit = databaseDigit(id);
    const bookmark = session.getBookmark();
    if (bookmark !== null && bookmark > (this.#latest.get(digit) ?? "")) this.#latest.set(digit, bookmark);
  }
}
