/** `/account/api`: the same actions as the pages, as JSON. */
import type { Hono } from "hono";
import { listApiKeys } from "../database/account-api-keys.ts";
import { listAuditEvents } from "../database/audit-events.ts";
import type { OwnerEnv } from "../http/app-env.ts";
import { parseOrThrow } from "../http/invalid-request.ts";
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { nextCursor, readPage } from "../http/pages.ts";
import { readJsonBody } from "../http/read-body.ts";
import { MAX_ACTIVE_KEYS } from "../model/account.ts";
import { createKey, newId, primary, renameKey, revokeKey, rotateKey } from "./actions.ts";
import { ACCOUNT_OPERATIONS } from "./operations.ts";

const { listApiKeys: list, createApiKey: create, renameApiKey: rename } = ACCOUNT_OPERATIONS;
const { rotateApiKey: rotate, revokeApiKey: revoke, listActivity } = ACCOUNT_OPERATIONS;

const toHonoPath = (path: string) => path.replace("{apiKeyId}", ":apiKeyId");

export function addAccountApi(routes: Hono<OwnerEnv>, memory: IsolateMemory): void {
  routes.get(list.path, async (c) => {
    const items = await listApiKeys(primary(c), c.var.owner.email, newId(), Date.now());
    const active = items.filter(({ state }) => state === "active").length;
    return c.json({ items, active, maxActive: MAX_ACTIVE_KEYS });
  });

  routes.post(create.path, async (c) => {
    const input = parseOrThrow(create.body, (await readJsonBody(c.req.raw)).value);
    const { apiKey, key } = await createKey(c, memory, input);
    return c.json({ apiKey, key }, 201);
  });

  routes.patch(toHonoPath(rename.path), async (c) => {
    const { name } = parseOrThrow(rename.body, (await readJsonBody(c.req.raw)).value);
    return c.json(await renameKey(c, c.req.param("apiKeyId") ?? "", name));
  });

  routes.post(toHonoPath(rotate.path), async (c) => {
    const rotation = parseOrThrow(rotate.body, (await readJsonBody(c.req.raw)).value);
    const { apiKey, key } = await rotateKey(c, memory, c.req.param("apiKeyId") ?? "", rotation);
    return c.json({ apiKey, key }, 201);
  });

  routes.delete(toHonoPath(revoke.path), async (c) =>
    c.json(await revokeKey(c, memory, c.req.param("apiKeyId") ?? "")),
  );

  routes.get(listActivity.path, async (c) => {
    const { signingKeys } = await memory.readSettings(c.env);
    const { page } = await readPage(c, listActivity.query, signingKeys);
    const { items, next } = await listAuditEvents(primary(c), c.var.owner.email, page);
    return c.json({ items, nextCursor: await nextCursor(c, next, signingKeys) });
  });
}
