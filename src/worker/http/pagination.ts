/** `?limit=&cursor=` and `nextCursor`. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import { type Position, signCursor, verifyCursor } from "../credentials/cursor.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { AppEnv } from "./app-env.ts";
import { invalid, parseOrThrow } from "./invalid-request.ts";
import type { ListQuery } from "./operation.ts";
import { canonicalQuery, type Parameters, readParameters } from "./query.ts";

/** The parsed query, and the page that it requests. Throws `invalid-request`, also for a cursor of another list. */
export async function readPage<E extends AppEnv, Schema extends ListQuery>(
  c: Context<E>,
  schema: Schema,
  parameters = readParameters(c, schema, false),
): Promise<{ query: z.output<Schema>; page: PageRequest }> {
  const query = parseOrThrow(schema, parameters);
  const { limit, cursor } = query;
  c.set("list", listOf(c, parameters));
  if (cursor === undefined) return { query, page: { limit, after: undefined } };
  const after = await verifyCursor(cursor, c.get("list"), c.get("settings").signingKeys);
  if (after === undefined)
    throw invalid([{ path: "cursor", message: "must be a nextCursor of this list, with the same filters" }]);
  return { query, page: { limit, after } };
}

/** Undefined on the last page, so the JSON does not have it. `sign` seals it where the list does not name its rows. */
export const nextCursor = async <E extends AppEnv>(
  c: Context<E>,
  next: Position | undefined,
  sign = signCursor,
): Promise<string | undefined> => next && (await sign(next, c.get("list"), c.get("settings").signingKeys));

/** 200 with the page's items; `nextCursor` is absent on the last page. */
export const respondPage = async <E extends AppEnv, Item>(
  c: Context<E>,
  { items, next }: Page<Item>,
  sign = signCursor,
): Promise<Response> => c.json({ items, nextCursor: await nextCursor(c, next, sign) });

/** Identifies a cursor's list: its owner, the path, and every parameter except `cursor` and `limit`. */
export const listName = (holder: string, path: string, { cursor: _, limit: __, ...filters }: Parameters): string =>
  `${holder} ${path}?${canonicalQuery(filters)}`;

function listOf<E extends AppEnv>(c: Context<E>, parameters: Parameters): string {
  const holder = c.get("listsOf");
  if (holder === undefined) throw new Error("nobody is known whose list this is");
  return listName(holder, c.req.path, parameters);
}
