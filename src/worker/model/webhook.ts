/** Webhooks as Account Settings shows them, and the bodies of its requests about them. */
import * as z from "zod/mini";
import { ACCOUNT_EVENT_TYPES } from "./account-event.ts";
import { CHANGE_TYPES, type ChangeType } from "./change.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { flag, integer, Moment, oneOf, Timestamp } from "./text.ts";

/** The maximum for an account. */
export const MAX_WEBHOOKS = 4;
/** After a rotation, the old secret also signs for this long, in milliseconds. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;

/** `paused` by the owner; `failed`: paused after five days of failure; `ended`: the receiver has answered 410. */
export const WEBHOOK_STATES = ["active", "paused", "failed", "ended"] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** `standard`: each change as JSON, signed. `slack`: messages, in the JSON that Slack, Mattermost, Rocket.Chat and Discord take. It never changes. */
export const WEBHOOK_FORMATS = ["standard", "slack"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The further rules for a URL depend on the page's own address: webhook-url.ts. */
const Url = z.string({ error: "must be a URL" });
/** The types that a webhook can choose. */
export const DELIVERY_TYPES = [...CHANGE_TYPES, ...ACCOUNT_EVENT_TYPES] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];
const Types = z.array(oneOf(DELIVERY_TYPES), { error: "must be a list of types" }).check(
  z.minLength(1, { error: "must name at least one type" }),
  z.refine((types) => new Set(types).size === types.length, { error: "must name each type once" }),
);

/** What a message tells of: that which says something to people. */
export const MESSAGE_TYPES = [
  "proposal.created",
  "proposal.updated",
  "proposal.status-changed",
  "comment.created",
  "survey-response.created",
] as const satisfies readonly ChangeType[];
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const isMessageType = (type: string): type is MessageType => (MESSAGE_TYPES as readonly string[]).includes(type);

const EXAMPLE_URL = "https://crm.example.com/hooks/ideas";
const EXAMPLE_TYPES = ["proposal.created", "proposal.status-changed"] satisfies ChangeType[];
const EXAMPLE_TIME = "2026-11-20T12:00:00.000Z";
const EXAMPLE_ATTEMPT = {
  at: EXAMPLE_TIME,
  id: "chg_AcC0unt00001_42_0Vd9zkQ0",
  type: "proposal.created",
  status: 204,
  durationMs: 87,
  url: EXAMPLE_URL,
};
const EXAMPLE_WEBHOOK = {
  id: "W3bh00k00001",
  url: EXAMPLE_URL,
  types: EXAMPLE_TYPES,
  format: "standard" as const,
  state: "active" as const,
  createdAt: "2026-11-02T09:30:00.000Z",
  createdBy: "owner@example.com",
  reachedAt: EXAMPLE_TIME,
  waiting: 0,
  missed: 0,
  failingSince: null,
  nextAttemptAt: null,
  previousSecretUntil: null,
  attempts: [EXAMPLE_ATTEMPT],
};
const TEXTS = {
  url:
    "Where changes are sent: `https`, port 443, a host name that is not this API's own; no IP address, no credentials, no fragment; " +
    "at most 1,000 characters. Of a `slack` webhook, answers show the host and the last four characters.",
  types:
    "The types to send. `null`, the default, means all changes, including types that are added later. Account events are sent only if they are named here. " +
    "A `slack` webhook takes only types that a message tells of.",
};
const FORMAT_TEXT =
  "`standard`, the default: each change as JSON, signed. `slack`: at most one message a minute, in the JSON that Slack, Mattermost, Rocket.Chat and Discord take. It never changes.";
const STATUS_TEXT = "The status of the receiver's answer. `null` when there was none within 15 seconds.";
const DURATION_TEXT = "How long the answer took, in milliseconds.";

export const NewWebhook = describe(
  z.strictObject({
    url: Url,
    types: z._default(z.nullable(Types), null),
    format: z._default(oneOf(WEBHOOK_FORMATS), "standard"),
  }),
  {
    name: "NewWebhook",
    example: { url: EXAMPLE_URL, types: EXAMPLE_TYPES },
    fields: { ...TEXTS, format: FORMAT_TEXT },
  },
);
export type NewWebhook = z.infer<typeof NewWebhook>;

export const WebhookChanges = describe(
  z.strictObject({
    url: z.optional(Url),
    types: z.optional(z.nullable(Types)),
    paused: z.optional(flag()),
  }),
  {
    name: "WebhookChanges",
    example: { types: EXAMPLE_TYPES, paused: false },
    fields: {
      ...TEXTS,
      types: "The types that are sent. `null` for all changes, and no account event.",
      paused:
        "`true` pauses deliveries; `false` resumes them, also after failures or a 410. Nothing is lost in the meantime.",
    },
  },
);
export type WebhookChanges = z.infer<typeof WebhookChanges>;

const PLACE = "must be now, next, or a time as 2026-11-20T12:00:00.000Z";
const FROM = "must be the id of a change, as an attempt shows it";
/** The account, the number and the time in base62, as the log makes it (changes.ts). */
export const CHANGE_ID = /^chg_([0-9A-Za-z]{12})_([1-9]\d{0,14})_([0-9A-Za-z]{8})$/;
/**
 * `from`: moves only if that change is the next one. `to` is `now` (after everything), `next` (after the next change), or a time
 * (before the first change that was made at or after it).
 */
export const WebhookMove = describe(
  z.strictObject({
    to: z
      .string({ error: PLACE })
      .check(z.refine((to) => to === "now" || to === "next" || z.safeParse(Moment, to).success, { error: PLACE })),
    from: z.optional(z.string({ error: FROM }).check(z.regex(CHANGE_ID, { error: FROM }))),
  }),
  {
    name: "WebhookMove",
    example: { to: EXAMPLE_TIME },
    fields: {
      to:
        "`now`: what waits is not delivered. `next`: the change that comes next is not delivered. A time (ISO 8601): " +
        "what was changed since then is delivered, again where it was before; the log has 30 days.",
      from:
        "The change that you have looked at: the `id` of the attempt that failed. Where another change is the next one by now, nothing is " +
        "moved: 409 `conflict`. So a request that is sent twice skips one change.",
    },
  },
);
export type WebhookMove = z.infer<typeof WebhookMove>;

const Status = z.nullable(integer(100, 599));
const Count = integer(0, 1_000_000_000_000);

const WebhookAttempt = describe(
  z.object({
    at: Timestamp,
    id: z.string(),
    type: z.string(),
    status: Status,
    durationMs: Count,
    url: z.nullable(z.string()),
    changes: z.optional(Count),
  }),
  {
    name: "WebhookAttempt",
    fields: {
      at: "When it was made: ISO 8601, UTC, with milliseconds.",
      id: "The header `webhook-id`: the same at each attempt of one change.",
      type: "The type of the change; `webhook.test` for a test.",
      status: STATUS_TEXT,
      durationMs: DURATION_TEXT,
      url: "The URL that was called. `null` for an attempt that was made before 1.1.0.",
      changes:
        "Of a message of a `slack` webhook: how many changes it tells of. `id` and `type` are those of the first.",
    },
  },
);

export const Webhook = describe(
  z.object({
    id: Id,
    url: z.string(),
    types: z.nullable(Types),
    format: oneOf(WEBHOOK_FORMATS),
    state: oneOf(WEBHOOK_STATES),
    createdAt: Timestamp,
    createdBy: z.nullable(z.string()),
    reachedAt: z.nullable(Timestamp),
    waiting: Count,
    missed: Count,
    failingSince: z.nullable(Timestamp),
    nextAttemptAt: z.nullable(Timestamp),
    previousSecretUntil: z.nullable(Timestamp),
    attempts: z.array(WebhookAttempt),
  }),
  {
    name: "Webhook",
    example: EXAMPLE_WEBHOOK,
    fields: {
      id: "The webhook's identifier.",
      ...TEXTS,
      format: FORMAT_TEXT,
      state:
        "`active`; `paused` by an owner; `failed`: paused after five days without a successful delivery; `ended`: the receiver answered " +
        "410. Only an active webhook is sent changes. Changes wait in the log for 30 days.",
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      createdBy: "The e-mail address or the service token that created it. `null` if no owner did.",
      reachedAt:
        "The time of the last change that was delivered, or skipped for its type. `null` if the log does not have it.",
      waiting: "How many changes come after it, whatever their type.",
      missed:
        "How many changes of its types were deleted from the log before they were delivered. Moving or resuming the webhook resets it.",
      failingSince: "The first failure since the last successful delivery. `null` when there was none.",
      nextAttemptAt: "When the next attempt is due. `null` when there is nothing to deliver.",
      previousSecretUntil: "When the last earlier secret stops signing. `null` if none does.",
      attempts: "The last 20 attempts, newest first.",
    },
  },
);
export type Webhook = z.infer<typeof Webhook>;

/** The only answer that contains the secret. */
export const ShownWebhook = describe(
  z.object({
    webhook: Webhook,
    secret: z.string().check(z.regex(/^whsec_[A-Za-z0-9+/]{32}$/)),
  }),
  {
    name: "ShownWebhook",
    example: { webhook: EXAMPLE_WEBHOOK, secret: "whsec_EXAMPLE0000000000000000000000000" },
    fields: {
      webhook: "The webhook as the list shows it.",
      secret: "The secret that signs its deliveries (Standard Webhooks). It is shown only in this answer.",
    },
  },
);
export type ShownWebhook = z.infer<typeof ShownWebhook>;

export const WebhookList = describe(
  z.object({ items: z.array(Webhook), maxWebhooks: integer(MAX_WEBHOOKS, MAX_WEBHOOKS) }),
  {
    name: "WebhookList",
    example: { items: [EXAMPLE_WEBHOOK], maxWebhooks: MAX_WEBHOOKS },
    fields: { items: "The webhooks, oldest first.", maxWebhooks: "How many an account can have." },
  },
);

export const WebhookTest = describe(z.object({ status: Status, durationMs: Count }), {
  name: "WebhookTest",
  example: { status: 204, durationMs: 87 },
  fields: { status: STATUS_TEXT, durationMs: DURATION_TEXT },
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/** The type of a test that is an example of no change. */
export const TEST_TYPE = "webhook.test";

export const WebhookTestQuery = describe(
  z.strictObject({ type: z._default(oneOf([TEST_TYPE, ...DELIVERY_TYPES]), TEST_TYPE) }),
  {
    name: "WebhookTestQuery",
    fields: {
      type: "The type of the change that is sent an example of. `webhook.test`, the default, has a type and a time alone.",
    },
  },
);
export type WebhookTestQuery = z.infer<typeof WebhookTestQuery>;
