/** Lists are pages, newest first. */
import * as z from "zod/mini";
import type { Position } from "../credentials/cursor.ts";
import { ExternalId } from "./panelist.ts";
import { ProposalStatus } from "./proposal.ts";

const LIMIT = { default: 20, min: 1, max: 100 } as const;
const LIMIT_MESSAGE = `must be an integer from ${LIMIT.min} to ${LIMIT.max}`;

const query = {
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

export const PageQuery = z.strictObject(query);
export const ProposalPageQuery = z.strictObject({ ...query, status: z.optional(ProposalStatus) });
export const PanelistPageQuery = z.strictObject({ ...query, externalId: z.optional(ExternalId) });

/** How much of a list is asked for. */
export type PageRequest = { readonly limit: number; readonly after: Position | undefined };

/** `next` is where the following page starts, absent on the last. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next: Position | undefined };
