/** Lists are read in pages, newest first, by an index on (…, created_at, id): a page costs its own rows, whatever the list's size. */
import type { Page, PageRequest } from "../model/pagination.ts";

type PageRow = { readonly id: string; readonly created_at: number };

/**
 * What a page's query binds: `WHERE (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`. One row more than
 * the page tells whether another follows.
 */
export const pageBindings = ({ after, limit }: PageRequest): [createdAt: number, id: string, rows: number] => [
  after?.createdAt ?? Number.MAX_SAFE_INTEGER,
  after?.id ?? "",
  limit + 1,
];

export function toPage<Row extends PageRow, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: page.map(toItem), next: last && { createdAt: last.created_at, id: last.id } };
}
