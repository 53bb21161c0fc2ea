/** The cursors of a page's lists: the API's own, so that an element goes on where the page ends. */
import type { Context } from "hono";
import { type Position, signCursor, verifyCursor } from "../credentials/cursor.ts";
import type { AppEnv } from "../http/app-env.ts";
import { listName } from "../http/pagination.ts";
import type { Page } from "../model/pagination.ts";

/** Of the panelist API, whose lists belong to the idea bank. */
type List = { readonly path: string; readonly filters?: Readonly<Record<string, string>> };
type Listed<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };

const nameOf = (ideaBankId: string, { path, filters = {} }: List) => listName(ideaBankId, path, filters);

/** A page as the API answers it. `sign` is the API's, too. */
export async function withCursor<Item>(
  c: Context<AppEnv>,
  ideaBankId: string,
  list: List & { readonly page: Page<Item> },
  sign = signCursor,
): Promise<Listed<Item>> {
  const { items, next } = list.page;
  if (next === undefined) return { items };
  return { items, nextCursor: await sign(next, nameOf(ideaBankId, list), c.get("settings").signingKeys) };
}

/** Where `?after=` continues the list; undefined is its beginning, also for a cursor that is not this list's. */
export async function readAfter(c: Context<AppEnv>, ideaBankId: string, list: List): Promise<Position | undefined> {
  const after = c.req.query("after");
  return after === undefined ? undefined : verifyCursor(after, nameOf(ideaBankId, list), c.get("settings").signingKeys);
}
