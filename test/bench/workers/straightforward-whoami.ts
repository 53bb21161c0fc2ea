/**
 * A peer: a simple implementation of API keys. Each request looks the key up in D1, by the hash of what was presented,
 * and counts in a Durable Object, which stores every count.
 */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

type Bindings = { DB: D1Database; COUNTER: DurableObjectNamespace<Counter> };
type Count = { readonly windowStart: number; readonly requests: number };

export class Counter extends DurableObject {
  /** A fixed window, which is less exact than our sliding window. */
  count(limit: number, windowMs: number): boolean {
    const now = Date.now();
    const kept = this.ctx.storage.kv.get<Count>("count");
    const current = kept !== undefined && now - kept.windowStart < windowMs ? kept : { windowStart: now, requests: 0 };
    if (current.requests >= limit) return false;
    this.ctx.storage.kv.put<Count>("count", { ...current, requests: current.requests + 1 });
    return true;
  }
}

type Row = { id: string; rate_limit: number; rate_window_seconds: number };

const app = new Hono<{ Bindings: Bindings }>();

app.get("/tenant/whoami", async (c) => {
  const presented = c.req.header("X-API-Key");
  if (presented === undefined) return c.json({ error: "unauthorized" }, 401);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(presented));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const key = await c.env.DB.prepare(
    "SELECT id, rate_limit, rate_window_seconds FROM api_keys WHERE id = ?1 AND secret_hash = ?2 AND revoked_at IS NULL",
  )
    .bind(presented.slice(4, 16), hash)
    .first<Row>();
  if (key === null) return c.json({ error: "unauthorized" }, 401);
  const admitted = await c.env.COUNTER.getByName(key.id).count(key.rate_limit, key.rate_window_seconds * 1000);
  return admitted ? c.json({ apiKeyId: key.id }) : c.json({ error: "too-many-requests" }, 429);
});

export default app;
