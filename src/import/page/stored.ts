/** An import that is under way, in this browser: so it goes on after the page was closed. It is one member's, in one account. */
import type { Terms } from "../ideas.ts";
import type { Outcome } from "./send.ts";

/** `done`: how many parts. `outcomes`: by the ideas' ids. */
export type Progress = { readonly done: number; readonly outcomes: ReadonlyMap<string, Outcome> };
/** `now` is when the file was read, in Unix milliseconds. */
export type Begun = {
  readonly file: File;
  readonly board: string;
  readonly terms: Terms;
  readonly now: number;
};

const DATABASE = "imports";
const STORES = ["files", "progress"] as const;
const [FILES, PROGRESS] = STORES;

/** Settles when the request does. */
const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });

/** `whose`: the member and the account. Where a browser stores nothing, an import has to be begun again, which writes nothing twice. */
export class StoredImport {
  readonly #whose: string;

  constructor(whose: string) {
    this.#whose = whose;
  }

  async load(): Promise<{ readonly begun: Begun; readonly progress: Progress } | undefined> {
    const begun = await this.#in<Begun | undefined>(FILES, "readonly", (store) => store.get(this.#whose));
    const progress = await this.#in<Progress | undefined>(PROGRESS, "readonly", (store) => store.get(this.#whose));
    return begun && { begun, progress: progress ?? { done: 0, outcomes: new Map() } };
  }

  begin = (begun: Begun) => this.#in(FILES, "readwrite", (store) => store.put(begun, this.#whose));
  keep = (progress: Progress) => this.#in(PROGRESS, "readwrite", (store) => store.put(progress, this.#whose));

  async end(): Promise<void> {
    await this.#in(FILES, "readwrite", (store) => store.delete(this.#whose));
    await this.#in(PROGRESS, "readwrite", (store) => store.delete(this.#whose));
  }

  async #in<Result>(
    name: (typeof STORES)[number],
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result | undefined> {
    try {
      const opening = indexedDB.open(DATABASE, 1);
      opening.addEventListener("upgradeneeded", () => {
        for (const store of STORES) opening.result.createObjectStore(store);
      });
      const database = await settled(opening);
      try {
        return await settled(act(database.transaction(name, mode).objectStore(name)));
      } finally {
        database.close();
      }
    } catch {
      return undefined;
    }
  }
}
