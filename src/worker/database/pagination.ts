/** Pagination by an index on (…, sort key, id). A page reads only its own rows, whatever the list's size. */
import type { Page, PageRequest } from "../model/pagination.ts";

/** The position before the first row of a list, in its order. */
const START = { descending: Number.MAX_SAFE_INTEGER, ascending: -1 } as const;

/** A page with long texts ends at this size, as stored. */
const PAGE_BYTES = 2 ** 20;
/** The size of an item without its texts: names of fields, identifiers, times, a display name. */
export const ITEM_BYTES = 1_000;

/**
 * The values of a page's query: `WHERE (key, id) < (:afterKey, :afterId) ORDER BY key DESC, id DESC LIMIT :rows`, or the reverse.
 * It reads one row more than the page shows, to know whether another page follows.
 */
export const pageValues = ({ after, limit }: PageRequest, order: keyof typeof START = "descending") => ({
  afterKey: after?.key ?? START[order],
  afterId: after?.id ?? "",
  rows: limit + 1,
});

/**
 * For lists of long texts: a common table expression that computes how many `items` of a page fit into it, at least one. `sizes`
 * selects the `bytes` of the page's rows, with the LIMIT, so no text is read for it. If a page's items are too large together,
 * the number is computed as if all were as large as the largest. (A running sum would be exact, but SQLite's window functions
 * read each row five times.)
 */
export const fitOf = (sizes: string): string =>
  `fit AS MATERIALIZED (
     SELECT iif(coalesce(sum(bytes), 0) <= ${PAGE_BYTES}, :rows, max(1, ${PAGE_BYTES} / max(bytes))) AS items FROM (${sizes}))`;
/** The column from which `toPage` reads the number. */
export const FIT = "(SELECT items FROM fit) AS fit";
/** The LIMIT of the query that reads the texts. */
export const FITTING_ROWS = "min(:rows, (SELECT items + 1 FROM fit))";

/** `fit` is the number of items that fit into the page. `stays` is 0 for a row that is no item: it is deleted, and its slice comes later. */
export function toPage<Row extends { readonly id: string; readonly fit?: number; readonly stays?: number }, Item>(
  rows: readonly Row[],
  {
    request: { limit },
    toItem,
    keyOf,
  }: { readonly request: PageRequest; readonly toItem: (row: Row) => Item; readonly keyOf: (row: Row) => number },
): Page<Item> {
  const page = rows.slice(0, Math.min(limit, rows[0]?.fit ?? limit));
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return {
    items: page.filter(({ stays }) => stays !== 0).map(toItem),
    next: last && { key: keyOf(last), id: last.id },
  };
}

/** The sort key of lists that are ordered by creation. */
export const byCreation = ({ created_at }: { readonly created_at: number }): number => created_at;
