/** Account events: what happened to the keys, webhooks and members of an account, for webhooks that choose it. */
import * as z from "zod/mini";
import { AuditEvent, EXAMPLE_EVENT } from "./audit-event.ts";
import { describe } from "./describe.ts";
import { oneOf, Timestamp } from "./text.ts";

export const ACCOUNT_EVENT_TYPES = [
  "api-key.created",
  "api-key.changed",
  "api-key.rotated",
  "api-key.revoked",
  "api-key.expiring",
  "api-key.leaked",
  "secret.leaked",
  "visitor-token.expiring",
  "webhook.failing",
  "webhook.failed",
  "member.added",
  "member.removed",
] as const;
type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

export const AccountEvent = describe(
  z.object({
    type: oneOf(ACCOUNT_EVENT_TYPES),
    at: Timestamp,
    by: oneOf(["tenant", "system"]),
    event: z.nullable(AuditEvent),
  }),
  {
    name: "AccountEvent",
    fields: {
      type:
        "What happened. `secret.leaked`: a token, a webhook's secret or a signing secret was found in public. `api-key.expiring`: 30, 7 and 1 days before. `visitor-token.expiring`: 30 and 7 days before, of the token that Account Settings hands out for the idea bank in `event.subject`. `webhook.failing`: after a day without a successful delivery. `webhook.failed`: after five days without a successful delivery, or " +
        "the receiver's 410.",
      at: "When it happened: ISO 8601, UTC, with milliseconds.",
      by: "`tenant` for a member, whom `event.actor` names; else `system`.",
      event: "The event as the activity has it. `null` when it is not kept any more.",
    },
  },
);
export type AccountEvent = z.infer<typeof AccountEvent>;

/** An example of each type, from the example of the audit trail's event. `at`: ISO 8601, UTC, with milliseconds. */
export function exampleAccountEvent(type: AccountEventType, at: string): AccountEvent {
  const about = { ...EXAMPLE_EVENT, createdAt: at, apiKeyId: null, apiKeyName: "" };
  const member = { before: { member: null }, after: { member: "colleague@example.com" } };
  const webhook = { id: "W3bh00k00001", url: "https://crm.example.com/hooks/ideas" };
  const events: Partial<Record<AccountEventType, AuditEvent>> = {
    "secret.leaked": {
      ...{ ...about, event: "leaked", actor: "GitHub secret scanning", address: null },
      changes: {
        before: { secret: null, foundAt: null, ended: null },
        after: {
          ...{ secret: "token", foundAt: "https://git.example/a/b/blob/main/.env", ended: "tokens" },
          panelistId: "Pane11st0001",
        },
      },
    },
    "visitor-token.expiring": {
      ...{ ...about, event: "visitor-token-expiring", actor: null, address: null },
      subject: { id: "Id3aBank0001", name: "Ideas", ideaBankId: null },
      changes: { before: { expiresAt: null }, after: { expiresAt: "2026-12-20T12:00:00.000Z" } },
    },
    "webhook.failing": { ...about, event: "webhook-failing", actor: null, address: null, webhook },
    "webhook.failed": { ...about, event: "webhook-failed", actor: null, address: null, webhook },
    "member.added": { ...about, event: "changed", changes: member },
    "member.removed": { ...about, event: "changed", changes: { before: member.after, after: member.before } },
  };
  const ofKey = type.replace("api-key.", "") as AuditEvent["event"];
  return { type, at, by: "tenant", event: events[type] ?? { ...EXAMPLE_EVENT, createdAt: at, event: ofKey } };
}

export const isAccountEvent = (type: string): type is AccountEventType =>
  (ACCOUNT_EVENT_TYPES as readonly string[]).includes(type);
