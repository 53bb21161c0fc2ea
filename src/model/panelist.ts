/** A tenant's panelist, and the compound tokens issued to one. */
import * as z from "zod/mini";
import { COMPOUND_TOKEN, TOKEN_LIFETIME } from "../credentials/compound-token.ts";
import { Id } from "./id.ts";
import { flag, integer, line, Timestamp } from "./text.ts";

/** The tenant's own name for a panelist, unique within the tenant. */
export const ExternalId = line({ min: 1, max: 200 });

export const Panelist = z.object({
  id: Id,
  externalId: z.nullable(ExternalId),
  active: flag(),
  createdAt: Timestamp,
});
export type Panelist = z.infer<typeof Panelist>;

export const NewPanelist = z.strictObject({
  externalId: z._default(z.nullable(ExternalId), null),
  active: z._default(flag(), true),
});
export type NewPanelist = z.infer<typeof NewPanelist>;

export const PanelistChanges = z.strictObject({
  externalId: z.optional(z.nullable(ExternalId)),
  active: z.optional(flag()),
});
export type PanelistChanges = z.infer<typeof PanelistChanges>;

/** Names the panelist by id, or by `externalId` and creates it if it is new. `lifetimeSeconds` is 24 hours unless given. */
export const TokenRequest = z
  .strictObject({
    panelistId: z.optional(Id),
    externalId: z.optional(ExternalId),
    lifetimeSeconds: z._default(integer(TOKEN_LIFETIME.min, TOKEN_LIFETIME.max), TOKEN_LIFETIME.default),
  })
  .check(
    z.refine(({ panelistId, externalId }) => (panelistId === undefined) !== (externalId === undefined), {
      error: "must name the panelist by either panelistId or externalId",
    }),
  );
export type TokenRequest = z.infer<typeof TokenRequest>;

export const IssuedToken = z.object({
  token: z.string().check(z.regex(COMPOUND_TOKEN.pattern)),
  panelistId: Id,
  expiresAt: Timestamp,
});
