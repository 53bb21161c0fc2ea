/** API keys as Account Settings shows them, and what its requests send. */
import * as z from "zod/mini";
import { API_KEY } from "../credentials/api-key.ts";
import type { Identifier } from "../credentials/id.ts";
import { Blocks } from "./allowed-addresses.ts";
import { REGIONS } from "./api-key.ts";
import {
  ALLOWED_ADDRESSES,
  LEAKED,
  LEAKED_KEYS,
  Limit,
  MAX_LIFE_DAYS,
  Scopes,
  WindowSeconds,
} from "./api-key-settings.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { SCOPES, type Scope } from "./scope.ts";
import { integer, Name, oneOf, Timestamp } from "./text.ts";

/** Active keys at the same time (docs/api.md, "Account Settings API"). */
export const MAX_ACTIVE_KEYS = 4;

/** The choices for how long a rotated key's old secret stays valid, in seconds, with labels. */
export const GRACE_PERIODS = { 0: "none", 3600: "1 hour", 86400: "24 hours", 604800: "7 days" } as const;
const GRACE_SECONDS = Object.keys(GRACE_PERIODS).map(Number);

const EXAMPLE_NAME = "CRM sync";
const EXAMPLE_SCOPES = ["surveys:read", "panelists:write"] satisfies Scope[];
const EXAMPLE_KEY = {
  id: "XtwvMRbXxcwn",
  name: EXAMPLE_NAME,
  lastFour: "q48A",
  state: "active" as const,
  scopes: EXAMPLE_SCOPES,
  limit: 600,
  windowSeconds: 60,
  createdAt: "2026-11-02T09:30:00.000Z",
  createdBy: "owner@example.com",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: "2026-11-20T12:00:00.000Z",
  previous: { expiresAt: "2026-11-21T12:00:00.000Z", lastUsedAt: null },
  usage: [{ hour: "2026-11-20T12:00:00.000Z", admitted: 42, limited: 0 }],
  region: "enam" as const,
  pausedAt: null,
  allowedAddresses: ["203.0.113.0/24", "2001:db8::/32"],
  leakedAt: null,
};
const TEXTS = {
  name: "A name for people: one line of 1 to 100 characters.",
  scopes: "The rights of the key. The default is every scope.",
  limit: "How many requests are admitted in any window: 1 to 10,000. The default is 600.",
  windowSeconds: "The length of the window in seconds: 1 to 3,600. The default is 60.",
  region:
    "Where the key's limit is counted: a location hint of Cloudflare. With `null`, it is counted near the key's first use, or near the owner if the owner changes the key before that. It cannot be changed.",
  allowedAddresses: ALLOWED_ADDRESSES,
};

export const NewApiKey = describe(
  z.strictObject({
    name: Name,
    scopes: z._default(Scopes, [...SCOPES]),
    limit: z._default(Limit, 600),
    windowSeconds: z._default(WindowSeconds, 60),
    expiresInDays: z._default(z.nullable(integer(1, MAX_LIFE_DAYS)), null),
    region: z._default(z.nullable(oneOf(REGIONS)), null),
    allowedAddresses: z._default(z.nullable(Blocks), null),
  }),
  {
    name: "NewApiKey",
    example: { name: EXAMPLE_NAME, scopes: EXAMPLE_SCOPES, expiresInDays: 90 },
    fields: { ...TEXTS, expiresInDays: "Days until the key expires: 1 to 3,650. `null`, the default, for never." },
  },
);
export type NewApiKey = z.infer<typeof NewApiKey>;

const GraceSeconds = z
  .int()
  .check(
    z.refine((seconds) => GRACE_SECONDS.includes(seconds), { error: `must be one of ${GRACE_SECONDS.join(", ")}` }),
  )
  .register(z.globalRegistry, { enum: GRACE_SECONDS });

export const Rotation = describe(
  z.strictObject({
    graceSeconds: z._default(GraceSeconds, 86_400),
    /** The last four characters of the secret to replace. The rotation is refused if the key has another secret by now. */
    lastFour: z.optional(z.string()),
  }),
  {
    name: "Rotation",
    example: { graceSeconds: 86_400 },
    fields: {
      graceSeconds:
        "How long the secret in use keeps working: 0, 3600, 86400 or 604800 seconds. The default is 86400. With 0 no secret from before works.",
      lastFour:
        "The last four characters of the secret to replace. With it, a request that is sent twice rotates once.",
    },
  },
);
export type Rotation = z.infer<typeof Rotation>;

const Count = integer(0, 1_000_000_000_000);

export const HourlyCount = describe(z.object({ hour: Timestamp, admitted: Count, limited: Count }), {
  name: "HourlyCount",
  fields: {
    hour: "The start of the hour: ISO 8601, UTC, with milliseconds.",
    admitted: "Requests that were admitted in this hour.",
    limited: "Requests that were refused in this hour because the key was over its limit.",
  },
});
export type HourlyCount = z.infer<typeof HourlyCount>;

const PreviousSecret = describe(z.object({ expiresAt: Timestamp, lastUsedAt: z.nullable(Timestamp) }), {
  name: "PreviousSecret",
  fields: {
    expiresAt: "When it stops working, at the key's own end at the latest: ISO 8601, UTC, with milliseconds.",
    lastUsedAt: "When it was last used since the rotation. `null` for never.",
  },
});

/** `previous` is the secret from before a rotation, while it still works. `usage` has the hours with requests among the last 24. */
export const ApiKey = describe(
  z.object({
    id: Id,
    name: Name,
    lastFour: z.string().check(z.regex(/^[0-9A-Za-z]{0,4}$/)),
    state: oneOf(["active", "expired", "revoked"]),
    scopes: Scopes,
    limit: Limit,
    windowSeconds: WindowSeconds,
    createdAt: Timestamp,
    createdBy: z.nullable(z.string()),
    expiresAt: z.nullable(Timestamp),
    revokedAt: z.nullable(Timestamp),
    lastUsedAt: z.nullable(Timestamp),
    previous: z.nullable(PreviousSecret),
    usage: z.array(HourlyCount),
    region: z.nullable(oneOf(REGIONS)),
    pausedAt: z.nullable(Timestamp),
    allowedAddresses: z.nullable(Blocks),
    leakedAt: z.nullable(Timestamp),
  }),
  {
    name: "ApiKey",
    example: EXAMPLE_KEY,
    fields: {
      id: "The key's identifier: the `apiKeyId` of `GET /tenant/whoami`.",
      ...TEXTS,
      lastFour: "The last four characters of the key.",
      state: "`active`, `expired` or `revoked`. Only an active key that is not paused is admitted.",
      pausedAt: "When it was paused. `null` while it is not.",
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      createdBy: "The e-mail address or the service token that created it. `null` if no owner did.",
      expiresAt: "When it expires. `null` for never.",
      revokedAt: "When it was revoked. `null` while it is not.",
      lastUsedAt:
        "When it was last used, a few seconds behind; in the answer to a change, up to a day. `null` for never.",
      previous: "The secret from before a rotation, while it still works. Otherwise `null`.",
      usage:
        "The hours with requests among the last 24, oldest first, a few seconds behind. Empty in the answer to a change.",
      leakedAt: "When it was found in public. `null` while it was not, and after a rotation.",
    },
  },
);
export type ApiKey = z.infer<typeof ApiKey>;

/** The only answer that contains the whole key. */
export const ShownApiKey = describe(
  z.object({
    apiKey: ApiKey,
    key: z.string().check(z.regex(API_KEY.pattern)),
    warning: z.nullable(z.string()),
  }),
  {
    name: "ShownApiKey",
    example: { apiKey: EXAMPLE_KEY, key: "ibk_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMP", warning: null },
    fields: {
      apiKey: "The key as the list shows it.",
      key: "The whole key: `ibk_` and 47 base62 digits. It is shown only in this answer.",
      warning: "The key's Durable Object was not reached, and does not know of the rotation yet. Otherwise `null`.",
    },
  },
);

/** The account's used storage, and its maximum. */
const Storage = describe(z.object({ usedBytes: Count, maxBytes: Count }), {
  name: "Storage",
  fields: {
    usedBytes: "What surveys, panelists, idea banks, proposals, comments, votes and idempotency keys take, in bytes.",
    maxBytes: "The most that the account may store. A write beyond it is 409 `quota-exceeded`.",
  },
});
export type Storage = z.infer<typeof Storage>;

export const ApiKeyList = describe(
  z.object({
    items: z.array(ApiKey),
    active: integer(0, MAX_ACTIVE_KEYS),
    maxActive: integer(MAX_ACTIVE_KEYS, MAX_ACTIVE_KEYS),
    ended: Count,
    leakedKeys: oneOf(LEAKED_KEYS),
    storage: Storage,
  }),
  {
    name: "ApiKeyList",
    example: {
      items: [EXAMPLE_KEY],
      active: 1,
      maxActive: MAX_ACTIVE_KEYS,
      ended: 0,
      leakedKeys: "end",
      storage: { usedBytes: 1_310_720, maxBytes: 536_870_912 },
    },
    fields: {
      items:
        "The active keys, newest first; then the 20 that expired or were revoked last. Revoked ones are listed for 30 days.",
      active: "How many are active.",
      maxActive: "How many can be active at the same time.",
      ended: "How many are expired, or were revoked in the last 30 days.",
      leakedKeys: LEAKED,
      storage: "How full the account's storage is.",
    },
  },
);

/**
 * The sender of an owner's request. `email` is the account's address, `person` the member's, `actor` the person or script that
 * acts. `accountId` is set when the request names the account.
 */
export type Owner = {
  readonly email: string;
  readonly person: string;
  readonly actor: string;
  readonly address: string | null;
  readonly accountId?: Identifier;
};

export const EndedTokens = describe(z.object({ endedAt: Timestamp }), {
  name: "EndedTokens",
  example: { endedAt: "2026-11-20T12:00:00.000Z" },
  fields: { endedAt: "No token that was issued until then is valid: ISO 8601, UTC, with milliseconds." },
});
export type EndedTokens = z.infer<typeof EndedTokens>;
