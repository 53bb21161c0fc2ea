/** A peer: better-auth's API-key plugin, `verifyApiKey` with its rate limit on, behind a Hono route, on the same D1. */
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { Hono } from "hono";

type Bindings = { DB: D1Database; CREDENTIAL_SECRETS: string };

const optionsOf = (env: Bindings) => ({
  database: env.DB,
  secret: env.CREDENTIAL_SECRETS,
  baseURL: "http://localhost",
  logger: { disabled: true },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 10_000 } })],
});

/** Made once, as its documentation says. */
let made: ReturnType<typeof makeAuth> | undefined;
const makeAuth = (env: Bindings) => betterAuth(optionsOf(env));
const authOf = (env: Bindings) => (made ??= makeAuth(env));

const app = new Hono<{ Bindings: Bindings }>();

/** Creates its tables, a user, and as many keys as `?keys=` says. */
app.post("/setup", async (c) => {
  const auth = authOf(c.env);
  const { runMigrations } = await getMigrations(auth.options);
  await runMigrations();
  const { internalAdapter } = await auth.$context;
  const user = await internalAdapter.createUser({ name: "Owner", email: "owner@example.com" }, { method: "admin" });
  const keys: string[] = [];
  for (let count = Number(c.req.query("keys")); count > 0; count--) {
    const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: "A key" } });
    keys.push(key);
  }
  return c.json(keys);
});

app.get("/tenant/whoami", async (c) => {
  const presented = c.req.header("X-API-Key");
  if (presented === undefined) return c.json({ error: "unauthorized" }, 401);
  const { valid, error, key } = await authOf(c.env).api.verifyApiKey({ body: { key: presented } });
  if (valid && key !== null) return c.json({ apiKeyId: key.id });
  return c.json({ error: error?.code }, error?.code === "RATE_LIMITED" ? 429 : 401);
});

export default app;
