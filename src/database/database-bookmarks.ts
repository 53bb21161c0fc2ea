/** The isolate's bookmarks, by database: those of two databases cannot be compared, and none is used for another. */
import { databaseDigit } from "../credentials/id.ts";
import { Bookmarks } from "./bookmarks.ts";

export class DatabaseBookmarks {
  readonly #byDigit = new Map<string, Bookmarks>();

  /** Those of the database that holds what `id` names: there is one for each binding. */
  of(id: string): Bookmarks {
    const digit = databaseDigit(id);
    const known = this.#byDigit.get(digit);
    if (known !== undefined) return known;
    const bookmarks = new Bookmarks();
    this.#byDigit.set(digit, bookmarks);
    return bookmarks;
  }
}
