/** `/account/api/keys`. */
import type { Context } from "hono";
import { ApiKey, ApiKeyList, MAX_ACTIVE_KEYS, NewApiKey, Rotation, ShownApiKey } from "../../model/account-key.ts";
import { ApiKeyChanges } from "../../model/api-key-settings.ts";
import { ApiKeyUsage } from "../../model/api-key-usage.ts";
import { operation, SHOWN_ONCE } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeKey, createKey, listKeyUse, loadKeyUse, revokeKey, rotateKey, type ShownKey } from "./actions.ts";

const KEYS = "/account/api/keys";
const KEY = `${KEYS}/{apiKeyId}`;

const respondShown = (c: Context<OwnerEnv>, shown: ShownKey): Response =>
  c.json(shown, 201, { Location: `${KEYS}/${shown.apiKey.id}` });

export const API_KEY_OPERATIONS = {
  listApiKeys: operation({
    method: "GET",
    needs: "admin",
    effect: "reads",
    path: KEYS,
    answer: ApiKeyList,
    summary: "List API keys",
    description:
      "Active keys first, newest first; then the 20 that were revoked or expired last. Revoked keys are listed for 30 days. Also says how full " +
      "the account's storage is.",
    handle: async (c) => {
      const { keys, ended, leakedKeys, storage } = await listKeyUse(c);
      const active = keys.filter(({ state }) => state === "active").length;
      return c.json({ items: keys, active, maxActive: MAX_ACTIVE_KEYS, ended, leakedKeys, storage });
    },
  }),

  createApiKey: operation({
    method: "POST",
    needs: "admin",
    effect: "adds",
    path: KEYS,
    body: NewApiKey,
    answer: ShownApiKey,
    problems: ["api-key-limit-reached", "conflict"],
    untilDone: true,
    summary: "Create an API key",
    description: `At most ${MAX_ACTIVE_KEYS} keys can be active. Only this answer holds the whole key. ${SHOWN_ONCE}`,
    handle: async (c, { body, idempotencyKey }) => respondShown(c, await createKey(c, body, { idempotencyKey })),
  }),

  getApiKey: operation({
    method: "GET",
    needs: "admin",
    effect: "reads",
    path: KEY,
    answer: ApiKey,
    summary: "Read an API key",
    handle: async (c, { ids }) => c.json((await loadKeyUse(c, ids.apiKeyId)).apiKey),
  }),

  getApiKeyUsage: operation({
    method: "GET",
    needs: "admin",
    effect: "reads",
    path: `${KEY}/usage`,
    answer: ApiKeyUsage,
    summary: "Read how an API key was used",
    description: "The hours of the last 30 days in which there were requests with it.",
    handle: async (c, { ids }) => c.json((await loadKeyUse(c, ids.apiKeyId)).usage),
  }),

  changeApiKey: operation({
    method: "PATCH",
    needs: "admin",
    effect: "overwrites",
    path: KEY,
    body: ApiKeyChanges,
    answer: ApiKey,
    problems: ["conflict"],
    untilDone: true,
    summary: "Change, pause or resume an API key",
    description:
      "The secret stays, and so does what is not sent. What narrows (a scope less, a lower limit, an earlier end, fewer addresses, a " +
      "pause) holds for every request after this answer. Sending it again is harmless. " +
      "Of two changes at the same time, the last one of each field stays. 409 `conflict` for a key that is revoked or expired.",
    handle: async (c, { ids, body }) => c.json(await changeKey(c, ids.apiKeyId, body)),
  }),

  rotateApiKey: operation({
    method: "POST",
    needs: "admin",
    effect: "ends",
    idempotent: false,
    path: `${KEY}/rotate`,
    body: Rotation,
    answer: ShownApiKey,
    problems: ["conflict"],
    untilDone: true,
    summary: "Give an API key a new secret",
    description:
      "The key keeps its identifier. The secret in use keeps working for `graceSeconds`; with 0, none from before does. A secret that was not " +
      "used yet is replaced at once, and the one before it keeps its grace: so a rotation whose answer was lost can be made again. With " +
      "`lastFour`, a request that is sent twice rotates once: the second is 409 `conflict`, and so is one for a key that is revoked or expired. " +
      SHOWN_ONCE,
    handle: async (c, { ids, body, idempotencyKey }) =>
      respondShown(c, await rotateKey(c, { id: ids.apiKeyId, rotation: body, idempotencyKey })),
  }),

  revokeApiKey: operation({
    method: "DELETE",
    needs: "admin",
    effect: "ends",
    path: KEY,
    answer: ApiKey,
    status: 200,
    untilDone: true,
    summary: "Revoke an API key",
    description: "After this answer every request with the key is refused.",
    handle: async (c, { ids }) => c.json(await revokeKey(c, ids.apiKeyId)),
  }),
};
