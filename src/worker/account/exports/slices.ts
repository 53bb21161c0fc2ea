/** Reads a list on and on, a slice at a time. */
import { SLICE } from "../../model/export.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";

export async function* slicesOf<Item>(
  read: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let after: PageRequest["after"];
  do {
    const { items, next }: Page<Item> = await read({ limit: SLICE, after });
    yield items;
    after = next;
  } while (after !== undefined);
}
