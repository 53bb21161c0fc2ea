/** Pagination by an index on (…, sort key, id): a page reads only its own rows, whatever the list's size. */
import type { Page, PageRequest } from "../model/pagination.ts";

/** The position before the first row of a list, in its order. */
const START = { descending: Number.MAX_SAFE_INTEGER, ascending: -1 } as const;

/**
 * The values of a page's query: `WHERE (key, id) < (:afterKey, :afterId) ORDER BY key DESC, id DESC LIMIT :rows`, or the reverse. One
 * row more than the page shows whether another page follows.
 */
export const pageValues = ({ after, limit }: PageRequest, order: keyof typeof START = "descending") => ({
  afterKey: after?.key ?? START[order],
  afterId: after?.id ?? "",
  rows: limit + 1,
});

export function toPage<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => number,
): Page<Item> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: page.map(toItem), next: last && { key: keyOf(last), id: last.id } };
}

/** The sort key of lists that are ordered by creation. */
export const byCreation = ({ created_at }: { readonly created_at: number }): number => created_at;
