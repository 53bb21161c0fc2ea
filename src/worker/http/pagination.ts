/** `?limit=&cursor=` and `nextCursor`. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { type Position, signCursor, verifyCursor } from "../credentials/cursor.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { SEVERAL } from "../model/text.ts";
import type { AppEnv } from "./app-env.ts";
import { invalid, parseOrThrow } from "./invalid-request.ts";
import type { ListQuery } from "./operation.ts";

/** The parsed query, and the page that it requests. Throws `invalid-request`, also for a cursor of another list. */
export async function readPage<E extends AppEnv, Schema extends ListQuery>(
  c: Context<E>,
  schema: Schema,
): Promise<{ query: z.output<Schema>; page: PageRequest }> {
  const query = parseOrThrow(schema, parametersOf(c, schema));
  const { limit, cursor } = query;
  if (cursor === undefined) return { query, page: { limit, after: undefined } };
  const after = await verifyCursor(cursor, listOf(c), c.get("settings").signingKeys);
  if (after === undefined)
    throw invalid([{ path: "cursor", message: "must be a nextCursor of this list, with the same filters" }]);
  return { query, page: { limit, after } };
}

/** Undefined on the last page, so the JSON does not have it. */
export const nextCursor = async <E extends AppEnv>(
  c: Context<E>,
  next: Position | undefined,
): Promise<string | undefined> => next && (await signCursor(next, listOf(c), c.get("settings").signingKeys));

/** 200 with the page's items; `nextCursor` is absent on the last page. */
export const respondPage = async <E extends AppEnv, Item>(
  c: Context<E>,
  { items, next }: Page<Item>,
): Promise<Response> => c.json({ items, nextCursor: await nextCursor(c, next) });

/** Identifies a cursor's list: its owner, the path, and every parameter except `cursor` and `limit`. */
function listOf<E extends AppEnv>(c: Context<E>): string {
  const holder = c.get("listsOf");
  if (holder === undefined) throw new Error("nobody is known whose list this is");
  const filters = Object.entries(c.req.queries())
    .filter(([name]) => name !== "cursor" && name !== "limit")
    .map(([name, values]) => [name, values.join()] as [string, string])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${holder} ${c.req.path}?${new URLSearchParams(filters)}`;
}

function parametersOf(c: Context, schema: ListQuery): Record<string, string | string[] | undefined> {
  const parameters = Object.entries(c.req.queries());
  const repeated = parameters.filter(([name, values]) => values.length > 1 && !takesSeveral(schema, name));
  if (repeated.length > 0) throw invalid(repeated.map(([path]) => ({ path, message: "must be given once" })));
  return Object.fromEntries(parameters.map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

function takesSeveral(schema: ListQuery, name: string): boolean {
  const field = schema instanceof z.ZodMiniObject ? schema.shape[name] : undefined;
  return field instanceof z.ZodMiniOptional && SEVERAL.has(field.def.innerType);
}
