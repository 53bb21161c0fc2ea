/** `?limit=&cursor=` and `nextCursor`. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import { openCursor, type Position, sealCursor } from "../credentials/cursor.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import type { PageRequest } from "../model/page.ts";
import { invalid, parseOrThrow } from "./invalid-request.ts";

type PageSchema = z.ZodMiniType<{ limit: number; cursor?: string | undefined }>;

/** The query by its schema, and the page that it asks for. Throws `invalid-request`, for a cursor that is not ours too. */
export async function readPage<Schema extends PageSchema>(
  c: Context,
  schema: Schema,
  keys: SigningKeys,
): Promise<{ query: z.output<Schema>; page: PageRequest }> {
  const query = parseOrThrow(schema, singleParameters(c));
  const { limit, cursor } = query;
  if (cursor === undefined) return { query, page: { limit, after: undefined } };
  const after = await openCursor(cursor, c.req.path, keys);
  if (after === undefined) throw invalid([{ path: "cursor", message: "must be a nextCursor of this list" }]);
  return { query, page: { limit, after } };
}

/** Undefined, and so absent from the JSON, on the last page. */
export const nextCursor = async (
  c: Context,
  next: Position | undefined,
  keys: SigningKeys,
): Promise<string | undefined> => next && (await sealCursor(next, c.req.path, keys));

function singleParameters(c: Context): Record<string, string | undefined> {
  const parameters = Object.entries(c.req.queries());
  const repeated = parameters.filter(([, values]) => values.length > 1);
  if (repeated.length > 0) throw invalid(repeated.map(([path]) => ({ path, message: "must be given once" })));
  return Object.fromEntries(parameters.map(([name, [value]]) => [name, value]));
}
