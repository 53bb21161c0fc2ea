/** What an account owner sees and decides: API keys as Account Settings shows them, and what has happened to them. */
import * as z from "zod/mini";
import { API_KEY } from "../credentials/api-key.ts";
import { Id } from "./id.ts";
import { SCOPES } from "./scope.ts";
import { integer, Name, oneOf, Timestamp } from "./text.ts";

/** Active keys at the same time (contract, "Authentication"). */
export const MAX_ACTIVE_KEYS = 4;

/** How long a rotated key's old secret may live on, in seconds, and in words. */
export const GRACE_PERIODS = { 0: "none", 3600: "1 hour", 86400: "24 hours", 604800: "7 days" } as const;
const GRACE_SECONDS = Object.keys(GRACE_PERIODS).map(Number);

const Scopes = z.array(oneOf(SCOPES), { error: "must be a list of scopes" }).check(
  z.minLength(1, { error: "must name at least one scope" }),
  z.refine((scopes) => new Set(scopes).size === scopes.length, { error: "must name each scope once" }),
);

export const NewApiKey = z.strictObject({
  name: Name,
  scopes: z._default(Scopes, [...SCOPES]),
  limit: z._default(integer(1, 10_000), 600),
  windowSeconds: z._default(integer(1, 3_600), 60),
  expiresInDays: z._default(z.nullable(integer(1, 3_650)), null),
});
export type NewApiKey = z.infer<typeof NewApiKey>;

export const ApiKeyChanges = z.strictObject({ name: Name });

export const Rotation = z.strictObject({
  graceSeconds: z._default(
    z
      .int()
      .check(
        z.refine((seconds) => GRACE_SECONDS.includes(seconds), { error: `must be one of ${GRACE_SECONDS.join(", ")}` }),
      ),
    86_400,
  ),
  /** The last four characters of the secret that is to be replaced: the rotation is refused when it is another by now. */
  lastFour: z.optional(z.string()),
});
export type Rotation = z.infer<typeof Rotation>;

const HourlyCount = z.object({
  hour: Timestamp,
  admitted: z.int().check(z.gte(0)),
  limited: z.int().check(z.gte(0)),
});

/** `previous` is the secret before the last rotation, while it still works. `usage` has the hours that saw requests, of the last 24. */
export const ApiKey = z.object({
  id: Id,
  name: Name,
  lastFour: z.string(),
  state: oneOf(["active", "expired", "revoked"]),
  scopes: Scopes,
  limit: z.int(),
  windowSeconds: z.int(),
  createdAt: Timestamp,
  expiresAt: z.nullable(Timestamp),
  revokedAt: z.nullable(Timestamp),
  lastUsedAt: z.nullable(Timestamp),
  previous: z.nullable(z.object({ expiresAt: Timestamp, lastUsedAt: z.nullable(Timestamp) })),
  usage: z.array(HourlyCount),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** The only answer that holds a key. */
export const ShownApiKey = z.object({ apiKey: ApiKey, key: z.string().check(z.regex(API_KEY.pattern)) });

export const ApiKeyList = z.object({ items: z.array(ApiKey), active: z.int(), maxActive: z.int() });

export const AUDIT_EVENTS = ["created", "rotated", "renamed", "revoked", "refused", "used-after-revocation"] as const;

/** `actor` is the owner's e-mail address or a service token's name; null when it was the key itself. */
export const AuditEvent = z.object({
  id: Id,
  event: oneOf(AUDIT_EVENTS),
  apiKeyId: z.nullable(Id),
  apiKeyName: z.string(),
  actor: z.nullable(z.string()),
  address: z.nullable(z.string()),
  createdAt: Timestamp,
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/** Who is acting, from where. `email` is the account's, `actor` the person or script. */
export type Owner = { readonly email: string; readonly actor: string; readonly address: string | null };
