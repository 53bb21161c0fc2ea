/** All entries of the changelog as they are read in pages: with identifiers, and those that are older than the recent ones. */
import type { ListedEntry } from "../../worker/model/changelog.ts";
import type { Connection } from "../shared/request.ts";
import type { Item } from "./entry-view.ts";

const PATH = "/ideabank/changelog/entries";
/** What every identifier begins with. Addresses leave it out. */
export const ENTRY = "urn:uuid:";

type Page = { readonly items: readonly ListedEntry[]; readonly nextCursor?: string };

const isSame = (one: Item, other: Item): boolean =>
  one.title === other.title && one.description === other.description && one.lastModified === other.lastModified;

const endOf = (items: readonly Item[]): number => items.at(-1)?.lastModified ?? 0;

export class Pages {
  readonly #connection: Connection;
  /** By identifier: an entry that has moved up is read again, and stands once. */
  readonly #read = new Map<string, ListedEntry>();
  /** The first page is read, and none of its entries has changed since. */
  hasBegun = false;
  /** Where the pages go on; empty at the end. */
  cursor: string | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Reads the first page. Where later ones go on stays. */
  async begin(limit: number): Promise<void> {
    const { nextCursor = "" } = await this.#page({ limit: String(limit) });
    this.cursor ??= nextCursor;
    this.hasBegun = true;
  }

  async next(limit: number): Promise<void> {
    const { nextCursor = "" } = await this.#page({ limit: String(limit), cursor: this.cursor ?? "" });
    this.cursor = nextCursor;
  }

  /** The recent entries have changed. The pages may still have what is not among them any more. */
  forget(recent: readonly Item[]): void {
    this.hasBegun = false;
    for (const { id, lastModified } of this.#read.values()) if (lastModified >= endOf(recent)) this.#read.delete(id);
  }

  /** The recent entries with their identifiers, and all older ones that were read. */
  around(items: readonly Item[]): { readonly recent: readonly Item[]; readonly older: readonly Item[] } {
    const rest = [...this.#read.values()];
    const recent = items.map((item) => {
      const at = rest.findIndex((entry) => isSame(entry, item));
      return at < 0 ? item : (rest.splice(at, 1)[0] ?? item);
    });
    const older = rest.filter(({ lastModified }) => lastModified <= endOf(items));
    return { recent, older: older.sort((one, other) => other.lastModified - one.lastModified) };
  }

  async #page(parameters: Readonly<Record<string, string>>): Promise<Page> {
    const { body } = await this.#connection.send<Page>(`${PATH}?${new URLSearchParams(parameters)}`);
    if (body === null) throw new Error("an answer without a body");
    for (const entry of body.items) this.#read.set(entry.id, entry);
    return body;
  }
}
