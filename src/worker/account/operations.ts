/** Account Settings as JSON, for the owner's scripts. */
import { access, describeOperations, type Operations } from "../http/operation.ts";
import { ApiKey, ApiKeyList, MAX_ACTIVE_KEYS, NewApiKey, Rotation, ShownApiKey } from "../model/account.ts";
import { AccountSettings, ApiKeyChanges } from "../model/api-key-settings.ts";
import { ApiKeyUsage } from "../model/api-key-usage.ts";
import { ActivityQuery, AuditEvent } from "../model/audit-event.ts";
import { Member, MemberList, NewMember, OwnAccountList } from "../model/member.ts";
import {
  MAX_WEBHOOKS,
  NewWebhook,
  ShownWebhook,
  Webhook,
  WebhookChanges,
  WebhookList,
  WebhookMove,
  WebhookTest,
} from "../model/webhook.ts";

const KEYS = "/account/api/keys";
const KEY = `${KEYS}/{apiKeyId}`;
const MEMBERS = "/account/api/members";
const WEBHOOKS = "/account/api/webhooks";
const WEBHOOK = `${WEBHOOKS}/{webhookId}`;
const credential = access;

export const ACCOUNT_OPERATIONS = {
  listApiKeys: { method: "GET", path: KEYS, credential },
  createApiKey: { method: "POST", path: KEYS, credential, body: NewApiKey },
  getApiKey: { method: "GET", path: KEY, credential },
  getApiKeyUsage: { method: "GET", path: `${KEY}/usage`, credential },
  changeApiKey: { method: "PATCH", path: KEY, credential, body: ApiKeyChanges },
  rotateApiKey: { method: "POST", path: `${KEY}/rotate`, credential, body: Rotation },
  revokeApiKey: { method: "DELETE", path: KEY, credential },
  listAccounts: { method: "GET", path: "/account/api/accounts", credential },
  listMembers: { method: "GET", path: MEMBERS, credential },
  addMember: { method: "POST", path: MEMBERS, credential, body: NewMember },
  removeMember: { method: "DELETE", path: `${MEMBERS}/{memberId}`, credential },
  changeSettings: { method: "PUT", path: "/account/api/settings", credential, body: AccountSettings },
  listActivity: { method: "GET", path: "/account/api/activity", credential, query: ActivityQuery },
  listWebhooks: { method: "GET", path: WEBHOOKS, credential },
  createWebhook: { method: "POST", path: WEBHOOKS, credential, body: NewWebhook },
  changeWebhook: { method: "PATCH", path: WEBHOOK, credential, body: WebhookChanges },
  moveWebhook: { method: "PUT", path: `${WEBHOOK}/place`, credential, body: WebhookMove },
  rotateWebhook: { method: "POST", path: `${WEBHOOK}/rotate`, credential },
  testWebhook: { method: "POST", path: `${WEBHOOK}/test`, credential },
  deleteWebhook: { method: "DELETE", path: WEBHOOK, credential },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const ONCE =
    "A request with an `Idempotency-Key` that was done before is 409 `conflict`, and changes nothing: a secret is shown once.";
  const tag = { name: "Account Settings", description: "The API keys and webhooks of an account, for its owner." };
  describeOperations(tag, ACCOUNT_OPERATIONS, {
    listApiKeys: {
      summary: "List API keys",
      description:
        "Active keys first, newest first; then the 20 that ended last. Revoked keys are listed for 30 days. Also says how full " +
        "the account's storage is.",
      answer: ApiKeyList,
    },
    createApiKey: {
      summary: "Create an API key",
      description: `At most ${MAX_ACTIVE_KEYS} keys can be active. Only this answer holds the whole key. ${ONCE}`,
      answer: ShownApiKey,
      problems: ["api-key-limit-reached", "conflict"],
    },
    getApiKey: { summary: "Read an API key", answer: ApiKey },
    getApiKeyUsage: {
      summary: "Read how an API key was used",
      description: "The hours of the last 30 days in which there were requests with it.",
      answer: ApiKeyUsage,
    },
    changeApiKey: {
      summary: "Change, pause or resume an API key",
      description:
        "The secret stays, and so does what is not sent. What narrows (a scope less, a lower limit, an earlier end, fewer addresses, a " +
        "pause) holds for every request after this answer. Sending it again is harmless. " +
        "Of two changes at the same time, the last one of each field stays. 409 `conflict` for a key that is revoked or expired.",
      answer: ApiKey,
      problems: ["conflict"],
    },
    rotateApiKey: {
      summary: "Give an API key a new secret",
      description:
        "The key keeps its identifier. The previous secret keeps working for `graceSeconds`; any older one stops at once. With " +
        "`lastFour`, a request that is sent twice rotates once: the second is 409 `conflict`, and so is one for a key that is revoked or expired. " +
        ONCE,
      answer: ShownApiKey,
      problems: ["conflict"],
    },
    revokeApiKey: {
      summary: "Revoke an API key",
      description: "After this answer every request with the key is refused.",
      answer: ApiKey,
      status: 200,
    },
    listAccounts: {
      summary: "List the accounts that you are a member of",
      description:
        "Every path of Account Settings takes one of them as `?account=`. Without it, it is the account that you have made.",
      answer: OwnAccountList,
    },
    listMembers: { summary: "List the account's members", answer: MemberList },
    addMember: {
      summary: "Add a member",
      description:
        "A member can do everything. Adding the same person again changes nothing. Who is a member signs in as every owner does: with " +
        "Cloudflare Access. A request with an `Idempotency-Key` that was done before adds nobody who was removed since: 409 `conflict`.",
      answer: Member,
      problems: ["conflict"],
    },
    removeMember: {
      summary: "Remove a member",
      description:
        "After this answer the person can do nothing for the account. Its API keys stay. The last member cannot be removed: 409 `conflict`.",
      problems: ["conflict"],
    },
    changeSettings: {
      summary: "Change the account's settings",
      description: "The list of API keys shows them.",
      answer: AccountSettings,
    },
    listActivity: {
      summary: "List what happened to the API keys and the webhooks",
      description: "Newest first.",
      answer: AuditEvent,
    },
    listWebhooks: {
      summary: "List webhooks",
      description: "Oldest first, each with its last attempts.",
      answer: WebhookList,
    },
    createWebhook: {
      summary: "Create a webhook",
      description:
        `At most ${MAX_WEBHOOKS} of an account. It is sent what is changed from now on: each change as \`GET /tenant/changes\` shows it, in the ` +
        "order in which they were made, at least once (Standard Webhooks 1.0). Only this answer holds the secret. " +
        ONCE,
      answer: ShownWebhook,
      problems: ["conflict"],
    },
    changeWebhook: {
      summary: "Change, pause or resume a webhook",
      description: "Only the fields that are sent are changed.",
      answer: Webhook,
    },
    moveWebhook: {
      summary: "Move a webhook in the log of changes",
      description:
        "Forward, so that changes are not delivered; or back, so that they are delivered again. With `from`, only where that change is the next " +
        "one: otherwise 409 `conflict`.",
      answer: Webhook,
      problems: ["conflict"],
    },
    rotateWebhook: {
      summary: "Give a webhook a new secret",
      description: `The previous secret signs, too, for 24 hours; one from before ends at once. ${ONCE}`,
      answer: ShownWebhook,
      problems: ["conflict"],
    },
    testWebhook: {
      summary: "Send a test to a webhook",
      description:
        "Sends a signed `webhook.test` at once, also to a webhook that is not active, and says how it was answered. Its place does not move. " +
        "A request with an `Idempotency-Key` that was done before is 409 `conflict`, and sends nothing; so is one of a suspended account.",
      answer: WebhookTest,
      status: 200,
      problems: ["conflict"],
    },
    deleteWebhook: {
      summary: "Delete a webhook",
      description: "A delivery that is under way can still arrive.",
    },
  });
}
