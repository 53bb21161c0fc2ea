/** `/account/api`: the same actions as the pages, as JSON. */
import type { Context } from "hono";
import type { Send } from "../changes/send.ts";
import { listApiKeys } from "../database/account-api-keys.ts";
import { deleteWebhook, listWebhooks, moveWebhook } from "../database/account-webhooks.ts";
import { listAuditEvents } from "../database/audit-events.ts";
import type { Operation, Operations } from "../http/operation.ts";
import { respondPage } from "../http/pagination.ts";
import { type Input, readInput } from "../http/read-input.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { Routes } from "../http/routes.ts";
import { MAX_ACTIVE_KEYS } from "../model/account.ts";
import { MAX_WEBHOOKS } from "../model/webhook.ts";
import { accountsOf, visitAccount } from "./account-databases.ts";
import { changeKey, createKey, readKeyUse, revokeKey, rotateKey } from "./actions.ts";
import { dismissMember, findMembers, inviteMember } from "./member-actions.ts";
import { ACCOUNT_OPERATIONS } from "./operations.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { changeSettings } from "./settings-actions.ts";
import { changeTo, changeWebhook, createWebhook, rotateWebhook, testWebhook } from "./webhook-actions.ts";

type OwnerHandler<O extends Operation> = (c: Context<OwnerEnv>, input: Input<O>) => Promise<Response>;
type OwnerHandlers<Table extends Operations> = { readonly [Name in keyof Table]: OwnerHandler<Table[Name]> };

export function createAccountApi(send: Send): Routes<OwnerEnv> {
  const handlers: OwnerHandlers<typeof ACCOUNT_OPERATIONS> = {
    listApiKeys: async (c) => {
      const { keys, ended, leakedKeys, storage } = await visitAccount(c, listApiKeys);
      const active = keys.filter(({ state }) => state === "active").length;
      return c.json({ items: keys, active, maxActive: MAX_ACTIVE_KEYS, ended, leakedKeys, storage });
    },

    createApiKey: async (c, { body, idempotencyKey }) => c.json(await createKey(c, body, { idempotencyKey }), 201),

    getApiKey: async (c, { ids }) => c.json((await readKeyUse(c, ids.apiKeyId)).apiKey),

    getApiKeyUsage: async (c, { ids }) => c.json((await readKeyUse(c, ids.apiKeyId)).usage),

    changeApiKey: async (c, { ids, body }) => c.json(await changeKey(c, ids.apiKeyId, body)),

    rotateApiKey: async (c, { ids, body, idempotencyKey }) =>
      c.json(await rotateKey(c, ids.apiKeyId, body, idempotencyKey), 201),

    revokeApiKey: async (c, { ids }) => c.json(await revokeKey(c, ids.apiKeyId)),

    listAccounts: async (c) => c.json({ items: await accountsOf(c.env, c.var.owner.person) }),

    listMembers: async (c) => c.json(await findMembers(c)),

    addMember: async (c, { body, idempotencyKey }) => c.json(await inviteMember(c, body.email, idempotencyKey), 201),

    removeMember: async (c, { ids }) => {
      await dismissMember(c, ids.memberId);
      return c.body(null, 204);
    },

    changeSettings: async (c, { body }) => c.json(await changeSettings(c, body)),

    listActivity: async (c, { query, page: request }) => {
      const { page } = await visitAccount(c, (session, visit) =>
        listAuditEvents(session, visit, request, query.apiKeyId),
      );
      return respondPage(c, page);
    },

    listWebhooks: async (c) =>
      c.json({ items: (await visitAccount(c, listWebhooks)).webhooks, maxWebhooks: MAX_WEBHOOKS }),

    createWebhook: async (c, { body, idempotencyKey }) => c.json(await createWebhook(c, body, idempotencyKey), 201),

    changeWebhook: async (c, { ids, body }) => c.json(await changeWebhook(c, ids.webhookId, body)),

    moveWebhook: async (c, { ids, body }) => c.json((await changeTo(c, ids.webhookId, moveWebhook(body))).webhook),

    rotateWebhook: async (c, { ids, idempotencyKey }) =>
      c.json(await rotateWebhook(c, ids.webhookId, idempotencyKey), 201),

    testWebhook: async (c, { ids, idempotencyKey }) =>
      c.json(await testWebhook(c, send, ids.webhookId, idempotencyKey)),

    deleteWebhook: async (c, { ids }) => {
      await changeTo(c, ids.webhookId, deleteWebhook);
      return c.body(null, 204);
    },
  };
  // The owner was authenticated before, for all of `/account`.
  return routeOperations<OwnerEnv, typeof ACCOUNT_OPERATIONS>(
    ACCOUNT_OPERATIONS,
    (name, operation) => (c) => answer(c, operation, handlers[name]),
  );
}

const answer = async <O extends Operation>(
  c: Context<OwnerEnv>,
  operation: O,
  handle: OwnerHandler<O>,
): Promise<Response> => handle(c, await readInput(c, operation, "account"));
