/** Pagination of lists. */
import * as z from "zod/mini";
import type { Position } from "../credentials/cursor.ts";
import { describe } from "./describe.ts";

const LIMIT = { default: 20, min: 1, max: 100 } as const;
const LIMIT_MESSAGE = `must be an integer from ${LIMIT.min} to ${LIMIT.max}`;

/** The parameters of every list; one with a filter adds its own. */
export const PAGE_PARAMETERS = {
  limit: z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,3}$/, { error: LIMIT_MESSAGE })),
      z.pipe(
        z.transform(Number),
        z.int().check(z.gte(LIMIT.min, { error: LIMIT_MESSAGE }), z.lte(LIMIT.max, { error: LIMIT_MESSAGE })),
      ),
    ),
    LIMIT.default,
  ),
  cursor: z.optional(z.string()),
};

export const PAGE_PARAMETER_TEXTS = {
  limit: "Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB.",
  cursor: "The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page.",
};

export const PageQuery = describe(z.strictObject(PAGE_PARAMETERS), { name: "PageQuery", fields: PAGE_PARAMETER_TEXTS });

/** The requested part of a list. */
export type PageRequest = { readonly limit: number; readonly after: Position | undefined };

/** `next` is the position where the next page starts, undefined on the last page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next: Position | undefined };
