/**
 * The questions of another service of the platform about a credential, and their answers: for `/operator/verify-…` and the
 * entrypoint `Access`.
 */
import * as z from "zod/mini";
import { REFUSAL_REASONS } from "./api-key.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { type Capabilities, CapabilitySet, EXAMPLE_CAPABILITIES, EXAMPLE_NAME } from "./idea-bank.ts";
import { SCOPES, type Scope } from "./scope.ts";
import { flag, integer, Name, oneOf, Timestamp } from "./text.ts";

const OK = "Whether the credential is good. Otherwise `problem` says what to answer.";
const HEADERS = "Headers of your own answer, such as `RateLimit` and `Retry-After`.";
const PROBLEM = "What this API would answer: its `status`, and the whole document. `null` when `ok` is `true`.";

const Refusal = describe(
  z.object({
    type: z.string(),
    title: z.string(),
    status: integer(400, 599),
    detail: z.string(),
    error: z.string(),
    reason: z.optional(oneOf(REFUSAL_REASONS)),
    "violated-policies": z.optional(z.array(z.string())),
  }),
  {
    name: "Refusal",
    fields: {
      type: "The problem's type.",
      title: "The status in words.",
      status: "The HTTP status.",
      detail: "What was wrong, for people to read.",
      error: "The machine-readable code.",
      reason: "Why the key is refused, for who holds its right secret.",
      "violated-policies": "The rate-limit policies that were exceeded.",
    },
  },
);

const Headers = z.catchall(z.object({}), z.string());

export const KeyQuestion = describe(
  z.strictObject({
    key: z.nullable(z.string()),
    scope: z.optional(z.nullable(oneOf(SCOPES))),
    address: z.optional(z.nullable(z.string())),
  }),
  {
    name: "KeyQuestion",
    example: {
      key: "ibk_XtwvMRbXxcwn0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q",
      scope: "surveys:read",
      address: "203.0.113.7",
    },
    fields: {
      key: "The text in `X-API-Key`, as your client sent it. `null` when it sent none.",
      scope: "The scope that your operation needs. `null`: any key will do.",
      address: "Your client's address, for keys that are limited to addresses: they are refused without it.",
    },
  },
);

export const KeyAccess = describe(
  z.object({
    ok: flag(),
    problem: z.nullable(Refusal),
    headers: Headers,
    apiKeyId: z.optional(Id),
    accountId: z.optional(Id),
    scopes: z.optional(z.array(oneOf(SCOPES))),
  }),
  {
    name: "KeyAccess",
    example: {
      ok: true,
      problem: null,
      headers: { "RateLimit-Policy": '"api-key";q=600;w=60', RateLimit: '"api-key";r=599;t=60' },
      apiKeyId: "XtwvMRbXxcwn",
      accountId: "AcC0unt00001",
      scopes: ["surveys:read"],
    },
    fields: {
      ok: OK,
      problem: PROBLEM,
      headers: HEADERS,
      apiKeyId: "The key's identifier.",
      accountId: "The tenant.",
      scopes: "The rights of the key.",
    },
  },
);

export const TokenQuestion = describe(z.strictObject({ token: z.nullable(z.string()) }), {
  name: "TokenQuestion",
  example: { token: "ibt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEX" },
  fields: { token: "A compound token of any kind, as your client sent it. `null` when it sent none." },
});

export const TokenAccess = describe(
  z.object({
    ok: flag(),
    problem: z.nullable(Refusal),
    headers: Headers,
    ideaBankId: z.optional(Id),
    accountId: z.optional(z.nullable(Id)),
    panelistId: z.optional(z.nullable(Id)),
    issuedAt: z.optional(Timestamp),
    expiresAt: z.optional(Timestamp),
    name: z.optional(z.nullable(Name)),
    capabilities: z.optional(CapabilitySet),
  }),
  {
    name: "TokenAccess",
    example: {
      ok: true,
      problem: null,
      headers: {},
      ideaBankId: "b4nKb4nKb4nK",
      accountId: "AcC0unt00001",
      panelistId: "Pa7Ne1isT001",
      issuedAt: "2026-11-20T09:00:00.000Z",
      expiresAt: "2026-11-21T09:00:00.000Z",
      name: EXAMPLE_NAME,
      capabilities: EXAMPLE_CAPABILITIES,
    },
    fields: {
      ok: OK,
      problem: PROBLEM,
      headers: HEADERS,
      ideaBankId: "The token's idea bank.",
      accountId: "The idea bank's tenant. `null` when it is gone.",
      panelistId: "The panelist. `null` for a visitor, who only reads.",
      issuedAt: "When the token was issued: ISO 8601, UTC.",
      expiresAt: "When it expires: ISO 8601, UTC.",
      name: "The idea bank's name. `null` when every capability is `false` because it is closed or does not exist.",
      capabilities: "What the token's holder may do with the idea bank now.",
    },
  },
);

type Answer<Content> = { readonly headers: Readonly<Record<string, string>> } & (
  | ({ readonly ok: true; readonly problem: null } & Content)
  | { readonly ok: false; readonly problem: z.output<typeof Refusal> }
);

export type KeyAnswer = Answer<{
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
}>;

export type TokenAnswer = Answer<{
  readonly ideaBankId: string;
  readonly accountId: string | null;
  readonly panelistId: string | null;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly name: string | null;
  readonly capabilities: Capabilities;
}>;
