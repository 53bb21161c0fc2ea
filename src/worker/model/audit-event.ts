/** Audit events as Account Settings shows them. */
import * as z from "zod/mini";
import { SettingsChange } from "./api-key-settings.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { integer, oneOf, Timestamp } from "./text.ts";

export const AUDIT_EVENTS = [
  "created",
  "rotated",
  "changed",
  "leaked",
  "revoked",
  "expiring",
  "account-suspended",
  "account-resumed",
  "quota-changed",
  "refused",
  "used-after-revocation",
  "signing-secret-read",
  "long-token-issued",
  "signed-in",
  "sign-in-link-used-again",
  "tokens-ended",
  "webhook-created",
  "webhook-changed",
  "webhook-paused",
  "webhook-resumed",
  "webhook-moved",
  "webhook-rotated",
  "webhook-tested",
  "webhook-deleted",
  "webhook-failing",
  "webhook-failed",
  "ideabank-created",
  "ideabank-changed",
  "ideabank-deleted",
  "proposal-created",
  "proposal-changed",
  "proposals-changed",
  "proposals-imported",
  "proposal-deleted",
  "comment-created",
  "comment-changed",
  "comment-deleted",
  "panelist-changed",
  "panelist-deleted",
  "survey-created",
  "survey-changed",
  "survey-deleted",
  "signing-secret-rotated",
  "visitor-tokens-ended",
  "visitor-token-expiring",
  "exported",
] as const;
const AuditedWebhook = describe(z.object({ id: Id, url: z.string() }), {
  name: "AuditedWebhook",
  fields: { id: "The webhook's identifier.", url: "Its URL at that time." },
});
const AuditedSubject = describe(z.object({ id: Id, name: z.string(), ideaBankId: z.nullable(Id) }), {
  name: "AuditedSubject",
  fields: {
    id: "The identifier of the idea bank, proposal, comment, panelist or survey.",
    name: "The name or title at that time; of a comment, that of its proposal; of an import, that of the file. Of several proposals, their titles now. Empty for a panelist, and once the person who wrote it was deleted with everything written.",
    ideaBankId: "Of a proposal or a comment: the idea bank that it is in. Otherwise `null`.",
  },
});

export type AuditedSubject = z.infer<typeof AuditedSubject>;
const AuditedProposals = describe(z.object({ count: integer(0, 100), first: z.array(AuditedSubject) }), {
  name: "AuditedProposals",
  fields: { count: "The number of proposals that were changed.", first: "The first three of them." },
});

export const ActivityQuery = describe(z.strictObject({ ...PAGE_PARAMETERS, apiKeyId: z.optional(Id) }), {
  name: "ActivityQuery",
  fields: { ...PAGE_PARAMETER_TEXTS, apiKeyId: "Only what happened to this key." },
});

export const EXAMPLE_EVENT = {
  id: "Ev3nt0000001",
  event: "rotated" as const,
  apiKeyId: "XtwvMRbXxcwn",
  apiKeyName: "CRM sync",
  webhook: null,
  subject: null,
  proposals: null,
  actor: "owner@example.com",
  address: "203.0.113.7",
  createdAt: "2026-11-20T12:00:00.000Z",
  changes: null,
};

/**
 * `actor` is the owner's e-mail address or a service token's name; null for a request with the key itself, and for somebody who is
 * not known; `the operator` for a command of the deployment.
 */
export const AuditEvent = describe(
  z.object({
    id: Id,
    event: oneOf(AUDIT_EVENTS),
    apiKeyId: z.nullable(Id),
    apiKeyName: z.string(),
    webhook: z.nullable(AuditedWebhook),
    subject: z.nullable(AuditedSubject),
    proposals: z.nullable(AuditedProposals),
    actor: z.nullable(z.string()),
    address: z.nullable(z.string()),
    createdAt: Timestamp,
    changes: z.nullable(SettingsChange),
  }),
  {
    name: "AuditEvent",
    example: EXAMPLE_EVENT,
    fields: {
      id: "The event's identifier.",
      event:
        "What happened. `changed`: see `changes`; without a key, a member was added or removed, or has another address. `leaked`: the key, or without a key the `secret` in `changes`, was found in public. `signing-secret-read`: the first time on a day (UTC) that the key read or rotated a signing secret. `long-token-issued`: the first time on a day that the key issued a panelist's token of more than a day. `signed-in`: a member, with a link of the operator's. `sign-in-link-used-again`: somebody else opened such a link of the member in `changes` while its session lasted. `tokens-ended`: all tokens of the account. `visitor-token-expiring`: the visitor token of the idea bank in `subject`, 30 and 7 days before its end. `proposals-imported`: from a file into the idea bank in `subject`, on one day. `account-suspended`, `account-resumed`, `quota-changed`: by the operator of the service. `exported`: a member took the file in `changes` out of Account Settings. `refused`: a key was not created because the account had its maximum of active keys.",
      apiKeyId:
        "The key's identifier; with a `subject`, that of the key that did it. `null` for a key that was not created, and for an event that is about no key.",
      apiKeyName: "The key's name at that time. Empty for an event that is about no key.",
      webhook: "The webhook of an event of a webhook. Otherwise `null`.",
      subject:
        "What a member decided about, or an API key ended for good: an idea bank, a proposal, a comment, a panelist, a survey. Otherwise `null`.",
      proposals: "Of `proposals-changed`, a decision about several proposals at once. Otherwise `null`.",
      actor:
        "The e-mail address or the service token that did it. `null` when it was a request with the key itself, or is not known; `the operator` when it was the operator of the service.",
      address: "The IP address that it came from, if known.",
      createdAt: "When it happened: ISO 8601, UTC, with milliseconds.",
      changes:
        "The settings that the event has changed, before and after; of a new thing after, of a deleted one before; of several proposals those that are the same for all. `null` where nothing was set. Of a long text, how it begins.",
    },
  },
);
export type AuditEvent = z.infer<typeof AuditEvent>;
