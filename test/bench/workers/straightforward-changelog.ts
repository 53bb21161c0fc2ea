/**
 * Two peers: simple implementations of the changelog. `/d1` queries D1 (one round trip) and renders for each request; `/kv` reads what it
 * rendered before from KV for each request, and so knows neither a closed idea bank nor a revoked token nor a new entry
 * until something updates KV. Both check the same tokens as ours.
 */
import { type Context, Hono } from "hono";
import { isExpired, verifyToken } from "../../../src/worker/credentials/compound-token.ts";
import { importSigningKeys, type SigningKeys } from "../../../src/worker/credentials/envelope.ts";

type Bindings = { DB: D1Database; CHANGELOGS: KVNamespace; CREDENTIAL_SECRETS: string };
type App = { Bindings: Bindings };
type Row = { title: string; description: string; last_activity_at: number };

let signingKeys: SigningKeys | undefined;

async function readToken(c: Context<App>) {
  signingKeys ??= await importSigningKeys([c.env.CREDENTIAL_SECRETS]);
  const token = await verifyToken(c.req.header("Authorization"), signingKeys);
  return token.ok && !isExpired(token.value, Date.now() / 1000) ? token.value : undefined;
}

async function queryItems(database: D1Database, ideaBankId: string, panelistId: string) {
  const [banks, proposals] = await database.batch([
    database
      .prepare(
        `SELECT 1 FROM idea_banks b
         JOIN accounts a ON a.id = b.account_id JOIN panelists p ON p.account_id = a.id
         WHERE b.id = ?1 AND p.id = ?2 AND p.active = 1 AND b.status = 'OPEN' AND b.changelog_enabled = 1
           AND a.status = 'active'`,
      )
      .bind(ideaBankId, panelistId),
    database
      .prepare(
        `SELECT title, description, last_activity_at FROM proposals WHERE idea_bank_id = ?1 AND status = 'implemented' AND listed = 1
         ORDER BY last_activity_at DESC, id DESC
         LIMIT coalesce((SELECT changelog_max_entries FROM idea_banks WHERE id = ?1), 0)`,
      )
      .bind(ideaBankId),
  ]);
  if (banks?.results.length !== 1) return undefined;
  return ((proposals?.results ?? []) as Row[]).map(({ title, description, last_activity_at }) => ({
    title,
    description,
    lastModified: Math.floor(last_activity_at / 1000),
  }));
}

const app = new Hono<App>();

app.get("/d1", async (c) => {
  const token = await readToken(c);
  if (token === undefined) return c.json({ error: "unauthorized" }, 401);
  const items = await queryItems(c.env.DB, token.ideaBankId, token.panelistId ?? "");
  return items === undefined ? c.json({ error: "idea-bank-not-found" }, 404) : c.json({ items });
});

app.get("/kv", async (c) => {
  const token = await readToken(c);
  if (token === undefined) return c.json({ error: "unauthorized" }, 401);
  const key = `straightforward/${token.ideaBankId}`;
  const stored = await c.env.CHANGELOGS.get(key, "arrayBuffer");
  if (stored !== null) return c.body(stored, 200, { "Content-Type": "application/json" });
  const items = await queryItems(c.env.DB, token.ideaBankId, token.panelistId ?? "");
  if (items === undefined) return c.json({ error: "idea-bank-not-found" }, 404);
  const body = JSON.stringify({ items });
  c.executionCtx.waitUntil(c.env.CHANGELOGS.put(key, body));
  return c.body(body, 200, { "Content-Type": "application/json" });
});

export default app;
