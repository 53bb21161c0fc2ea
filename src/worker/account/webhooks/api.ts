/** Webhooks: an owner's actions on them, and `/account/api/webhooks`. */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId } from "../../credentials/id.ts";
import { createWebhookSecret } from "../../credentials/webhook-signature.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import { accountOf } from "../../database/members/owners.ts";
import {
  changeOwnWebhook,
  createWebhook as create,
  deleteWebhook,
  listWebhooks,
  loadWebhook,
  moveWebhook,
  recordTest,
  rotateWebhook as rotate,
  testWebhook as test,
  changeWebhook as toChange,
  type WebhookChange,
} from "../../database/webhooks/webhooks.ts";
import { attempt } from "../../deliveries/attempt.ts";
import { renderMessage, renderTest, toldOf } from "../../deliveries/messages/render-message.ts";
import { sendOutside } from "../../deliveries/send.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { toBrand } from "../../model/brand.ts";
import { exampleDelivery } from "../../model/example-change.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { toTimestamp } from "../../model/text.ts";
import {
  isMessageType,
  MAX_WEBHOOKS,
  MESSAGE_TYPES,
  NewWebhook,
  ShownWebhook,
  TEST_TYPE,
  Webhook,
  WebhookChanges,
  type WebhookFormat,
  WebhookList,
  WebhookMove,
  WebhookTest,
  WebhookTestQuery,
} from "../../model/webhook.ts";
import { checkWebhookUrl, isMasked, maskUrl } from "../../model/webhook-url.ts";
import { NotAsOpened, Problem } from "../../problem.ts";
import { primaryOf, visitAccount } from "../account-databases.ts";
import { isRepeated, repeatedProblem } from "../frame/repeated.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { operation, SHOWN_ONCE } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";

const noSuchWebhook = () => new Problem("not-found", { detail: "There is no such webhook." });
const elsewhere = () =>
  new Problem("conflict", {
    detail:
      "A different change is next by now, so nothing was moved. Check the last attempts and send that change's `id`.",
  });
const suspended = () =>
  new Problem("conflict", { detail: "The account is suspended: nothing is sent to its webhooks." });
const primary = (c: Context<OwnerEnv>, id: string) => primaryOf(c, id, noSuchWebhook);

/** The URL in the form in which it is called. Throws `invalid-request`. */
function checkUrl(c: Context<OwnerEnv>, text: string, format: WebhookFormat): string {
  if (format === "slack" && isMasked(text))
    throw invalid([{ path: "url", message: "must be the whole address: this is how another one is shown" }]);
  const url = checkWebhookUrl(text, c.req.url, c.env.OWN_ZONES);
  if (url === undefined) {
    const message =
      "must be https:// and a public host name, without a port, credentials or a fragment, of at most 1,000 characters, and in no domain of this service itself";
    throw invalid([{ path: "url", message }]);
  }
  return url;
}

/** Throws `invalid-request` for a type that no message tells of. */
function checkTypes(types: NewWebhook["types"] | undefined, format: WebhookFormat): void {
  if (format === "slack" && types?.every(isMessageType) === false)
    throw invalid([{ path: "types", message: `must be among ${MESSAGE_TYPES.join(", ")} for a Slack message` }]);
}

type Made = Awaited<ReturnType<typeof changeOwnWebhook>>["made"];

function orThrow(made: Made, otherwise: () => Problem) {
  if (isRepeated(made)) throw repeatedProblem(made);
  if (made === undefined) throw otherwise();
  return made;
}

export async function createWebhook(
  c: Context<OwnerEnv>,
  input: NewWebhook,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<ShownWebhook> {
  const secret = await createWebhookSecret(secureRandomBytes, c.get("settings").signingKeys);
  checkTypes(input.types, input.format);
  const change = create(secret, { ...input, url: checkUrl(c, input.url, input.format) });
  const { made } = await visitAccount(c, async (session, visit) => {
    const id = createId(visit.digit, secureRandomBytes);
    const { owner } = c.var;
    const done = await changeOwnWebhook(session, {
      owner,
      id,
      change,
      stamp: stamp(visit.digit),
      idempotencyKey,
      visit,
    });
    return { accountId: accountOf(done), made: done.made };
  });
  const { webhook } = orThrow(
    made,
    () => new Problem("conflict", { detail: `An account has at most ${MAX_WEBHOOKS} webhooks. Delete one first.` }),
  );
  return { webhook, secret };
}

/**
 * Throws `not-found`, or `otherwise` for a webhook whose state does not allow the change. The default of `otherwise` is for a
 * move from another place.
 */
export async function changeTo(
  c: Context<OwnerEnv>,
  {
    id,
    change,
    idempotencyKey,
    otherwise = elsewhere,
  }: {
    readonly id: string;
    readonly change: WebhookChange;
    readonly idempotencyKey?: IdempotencyKey | undefined;
    readonly otherwise?: (() => Problem) | undefined;
  },
) {
  if (!change.isNeverRefused) await limitOwner(c);
  const session = primary(c, id);
  const { made } = await changeOwnWebhook(session, {
    owner: c.var.owner,
    id,
    change,
    stamp: stamp(id),
    idempotencyKey,
  });
  // With a condition, the webhook may exist, but not fulfil it.
  if (made === undefined && change.when !== undefined) await showWebhook(c, id);
  return orThrow(made, change.when === undefined ? noSuchWebhook : otherwise);
}

export async function showWebhook(c: Context<OwnerEnv>, id: string): Promise<Webhook> {
  const webhook = await loadWebhook(primary(c, id), c.var.owner.email, id);
  if (webhook === null) throw noSuchWebhook();
  return webhook;
}

/** `opened`: what a form was opened with of what it changes. */
export async function changeWebhook(
  c: Context<OwnerEnv>,
  id: string,
  changes: WebhookChanges,
  opened?: WebhookChanges,
): Promise<Webhook> {
  const otherwise = () => new NotAsOpened();
  const { url, types, ...rest } = changes;
  if (url === undefined && !types) {
    if (Object.keys(changes).length === 0) return showWebhook(c, id);
    return (await changeTo(c, { id, change: toChange(changes, { opened }), otherwise })).webhook;
  }
  const webhook = await showWebhook(c, id);
  const { format } = webhook;
  checkTypes(types, format);
  // As it is shown, so it stays as it is.
  if (format === "slack" && url?.trim() === webhook.url)
    return changeWebhook(c, id, { ...rest, ...(types !== undefined && { types }) }, opened);
  const called = url === undefined ? undefined : checkUrl(c, url, format);
  const shown = called !== undefined && format === "slack" ? maskUrl(called) : called;
  const change = toChange({ ...changes, url: called }, { shownUrl: shown, opened });
  return (await changeTo(c, { id, change, otherwise })).webhook;
}

export async function rotateWebhook(
  c: Context<OwnerEnv>,
  id: string,
  idempotencyKey?: IdempotencyKey,
): Promise<ShownWebhook> {
  const secret = await createWebhookSecret(secureRandomBytes, c.get("settings").signingKeys);
  return { webhook: (await changeTo(c, { id, change: rotate(secret), idempotencyKey })).webhook, secret };
}

const testPayload = (type: WebhookTestQuery["type"], at: string) =>
  type === TEST_TYPE ? { type, at } : exampleDelivery(type, at);

/** Of a type that no message tells of, and of one whose example says nothing, the test is as of no type. */
function testMessage(
  { env }: Context<OwnerEnv>,
  { id, at, type }: { readonly id: string; readonly at: string; readonly type: WebhookTestQuery["type"] },
) {
  const told = type === TEST_TYPE ? [] : toldOf([{ number: 0, id, change: exampleDelivery(type, at) }]);
  if (told.length === 0) return { text: renderTest(toBrand(env).name, { id, at }) };
  // The example's idea is in no account, so a link would lead nowhere.
  return { text: renderMessage(told, { names: new Map(), desk: { accountId: "", signInUrl: undefined } }) };
}

/** Waits for the receiver, at most 15 seconds. */
export async function testWebhook(
  c: Context<OwnerEnv>,
  {
    id,
    query: { type },
    idempotencyKey,
  }: { readonly id: string; readonly query: WebhookTestQuery; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<WebhookTest> {
  const { webhook, url, secrets } = await changeTo(c, { id, change: test, idempotencyKey, otherwise: suspended });
  const at = toTimestamp(Date.now());
  const testId = `test_${crypto.randomUUID()}`;
  const payload = webhook.format === "slack" ? testMessage(c, { id: testId, at, type }) : testPayload(type, at);
  const send = sendOutside(c.var.send, c.env);
  const receiver = { url, shownUrl: webhook.url, secrets };
  const { attempt: made } = await attempt(send, receiver, { id: testId, type, payload });
  c.get("budget").waitedOutside(made.durationMs);
  await recordTest(primary(c, id), { email: c.var.owner.email, id, attempt: made });
  return { status: made.status, durationMs: made.durationMs };
}

const WEBHOOKS = "/account/api/webhooks";
const WEBHOOK = `${WEBHOOKS}/{webhookId}`;

const respondShown = (c: Context<OwnerEnv>, shown: ShownWebhook): Response =>
  c.json(shown, 201, { Location: `${WEBHOOKS}/${shown.webhook.id}` });

export const WEBHOOK_OPERATIONS = {
  listWebhooks: operation({
    method: "GET",
    needs: "admin",
    effect: "reads",
    path: WEBHOOKS,
    answer: WebhookList,
    summary: "List webhooks",
    description: "Oldest first, each with its last attempts.",
    handle: async (c) => c.json({ items: (await visitAccount(c, listWebhooks)).webhooks, maxWebhooks: MAX_WEBHOOKS }),
  }),

  createWebhook: operation({
    method: "POST",
    needs: "admin",
    effect: "adds",
    path: WEBHOOKS,
    body: NewWebhook,
    answer: ShownWebhook,
    problems: ["conflict"],
    summary: "Create a webhook",
    description:
      `At most ${MAX_WEBHOOKS} of an account. It is sent what is changed from now on: each change as \`GET /tenant/changes\` shows it, in the ` +
      "order in which they were made, at least once (Standard Webhooks 1.0); with the `format` `slack`, messages. Only this answer holds the secret. " +
      SHOWN_ONCE,
    handle: async (c, { body, idempotencyKey }) => respondShown(c, await createWebhook(c, body, idempotencyKey)),
  }),

  changeWebhook: operation({
    method: "PATCH",
    needs: "admin",
    effect: "overwrites",
    path: WEBHOOK,
    body: WebhookChanges,
    answer: Webhook,
    summary: "Change, pause or resume a webhook",
    description: "Only the fields that are sent are changed.",
    handle: async (c, { ids, body }) => c.json(await changeWebhook(c, ids.webhookId, body)),
  }),

  moveWebhook: operation({
    method: "PUT",
    needs: "admin",
    effect: "overwrites",
    path: `${WEBHOOK}/place`,
    body: WebhookMove,
    answer: Webhook,
    problems: ["conflict"],
    summary: "Move a webhook in the log of changes",
    description:
      "Forward, so that changes are not delivered; or back, so that they are delivered again. With `from`, only where that change is the next " +
      "one: otherwise 409 `conflict`.",
    handle: async (c, { ids, body }) =>
      c.json((await changeTo(c, { id: ids.webhookId, change: moveWebhook(body) })).webhook),
  }),

  rotateWebhook: operation({
    method: "POST",
    needs: "admin",
    effect: "ends",
    idempotent: false,
    path: `${WEBHOOK}/rotate`,
    answer: ShownWebhook,
    problems: ["conflict"],
    summary: "Give a webhook a new secret",
    description: `The secret before signs, too, for 24 hours, and rotating again cuts none of these. At most 4 earlier secrets sign at a time: while they do, rotating again replaces the newest one. ${SHOWN_ONCE}`,
    handle: async (c, { ids, idempotencyKey }) =>
      respondShown(c, await rotateWebhook(c, ids.webhookId, idempotencyKey)),
  }),

  testWebhook: operation({
    method: "POST",
    needs: "admin",
    effect: "adds",
    path: `${WEBHOOK}/test`,
    options: WebhookTestQuery,
    answer: WebhookTest,
    status: 200,
    problems: ["conflict"],
    untilDone: true,
    summary: "Send a test to a webhook",
    description:
      "Sends a signed `webhook.test`, or an example of a change of the chosen type, at once, also to a webhook that is not active, and says how it was answered. Its place does not move. " +
      "A request with an `Idempotency-Key` that was done before is 409 `conflict`, and sends nothing; so is one of a suspended account.",
    handle: async (c, { ids, idempotencyKey }) => {
      const chosen = parseOrThrow(WebhookTestQuery, { type: c.req.query("type") });
      return c.json(await testWebhook(c, { id: ids.webhookId, query: chosen, idempotencyKey }));
    },
  }),

  deleteWebhook: operation({
    method: "DELETE",
    needs: "admin",
    effect: "ends",
    path: WEBHOOK,
    summary: "Delete a webhook",
    description: "A delivery that is under way can still arrive.",
    handle: async (c, { ids }) => {
      await changeTo(c, { id: ids.webhookId, change: deleteWebhook });
      return c.body(null, 204);
    },
  }),
};
