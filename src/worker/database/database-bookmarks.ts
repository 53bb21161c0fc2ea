/** The isolate's bookmarks, by database: those of two databases cannot be compared, and none is used for another. */
import { databaseDigit } from "../credentials/id.ts";
import { Bookmarks } from "./bookmarks.ts";

export class DatabaseBookmarks {
  /** In milliseconds, of each of them (bookmarks.ts). The application sets it from its settings. */
  anchorMs = 10_000;
  readonly #byDigit = new Map<string, Bookmarks>();

  /** Those of the database that holds what `id` names: there is one for each binding. */
  of(id: string): Bookmarks {
    const digit = databaseDigit(id);
    const bookmarks = this.#byDigit.get(digit) ?? new Bookmarks();
    bookmarks.anchorMs = this.anchorMs;
    this.#byDigit.set(digit, bookmarks);
    return bookmarks;
  }
}
