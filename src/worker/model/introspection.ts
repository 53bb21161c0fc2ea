/** Tokens as the tenant asks about them: the secret with which its server signs, and the reason why a token is refused. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { ExternalId } from "./panelist.ts";
import { MAX_SIGNED_LENGTH } from "./signed-token.ts";
import { flag, integer, oneOf, Timestamp } from "./text.ts";

const kid = "b4nKb4nKb4nK.AcC0unt00001.1.x7Yk20aQ";

export const SigningSecret = describe(
  z.object({ kid: z.string(), secret: z.string(), previousUntil: z.nullable(Timestamp) }),
  {
    name: "SigningSecret",
    example: { kid, secret: "ibs_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE", previousUntil: null },
    fields: {
      kid: "Goes into the header of each token that is signed with this secret.",
      secret: "The key of HS256: the bytes of this whole text. Nobody but your server may know it.",
      previousUntil: "Until when an earlier secret is good: ISO 8601, UTC. `null` when none is.",
    },
  },
);

export const SecretRotation = describe(z.strictObject({ graceSeconds: z._default(integer(0, 604_800), 172_800) }), {
  name: "SecretRotation",
  example: { graceSeconds: 172_800 },
  fields: {
    graceSeconds:
      "How long the secret before is good, in seconds: up to 604,800 (7 days). The default is 172,800 (2 days), enough for servers " +
      "that read the secret once a day. With 0 every earlier secret is refused at once.",
  },
});

export const IntrospectionRequest = describe(
  z.strictObject({ token: z.string().check(z.maxLength(MAX_SIGNED_LENGTH)) }),
  {
    name: "IntrospectionRequest",
    example: { token: "ibt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEX" },
    fields: { token: "A compound token of any kind." },
  },
);

const ClaimFault = describe(z.object({ path: z.string(), message: z.string() }), {
  name: "ClaimFault",
  fields: {
    path: "The claim's name. Empty for all claims together.",
    message: "What the claim must be, or is.",
  },
});

export const Introspection = describe(
  z.object({
    active: flag(),
    panelistId: z.optional(z.nullable(Id)),
    externalId: z.optional(z.nullable(ExternalId)),
    ideaBankId: z.optional(Id),
    issuedAt: z.optional(Timestamp),
    expiresAt: z.optional(Timestamp),
    reason: z.optional(oneOf(["expired", "revoked", "signature", "claims"])),
    errors: z.optional(z.readonly(z.array(ClaimFault))),
    detail: z.optional(z.string()),
  }),
  {
    name: "Introspection",
    example: {
      active: true,
      panelistId: "Pa7Ne1isT001",
      externalId: "customer-42",
      ideaBankId: "b4nKb4nKb4nK",
      issuedAt: "2026-11-20T09:00:00.000Z",
      expiresAt: "2026-11-21T09:00:00.000Z",
    },
    fields: {
      active: "Whether the token is valid, and one of yours.",
      panelistId: "Its panelist. `null` for a visitor.",
      externalId: "Your own id for the person. `null` for a visitor, and for a panelist without one.",
      ideaBankId: "Its idea bank.",
      issuedAt: "When it was issued: ISO 8601, UTC.",
      expiresAt: "When it expires: ISO 8601, UTC.",
      reason:
        "Why it is refused, if it names an idea bank of yours: `signature` (forged, or by another secret), `claims` (one is missing or " +
        "breaks its rule), `expired`, or `revoked` (the panelist, the token, or the secret).",
      errors: "With the reason `claims`: each claim that is wrong, and why.",
      detail:
        "With the reason `signature`, for a token that your server has signed: what is wrong with its header or its key, for people to read.",
    },
  },
);
export type Introspection = z.infer<typeof Introspection>;
