/** An account owner, signed in, with a browser that sends what browsers send. */
import { env } from "cloudflare:workers";
import type { Identity } from "../../src/worker/account/identity/identity.ts";
import type { Send } from "../../src/worker/deliveries/send.ts";
import type { ApiKey } from "../../src/worker/model/account-key.ts";
import type { AuditEvent } from "../../src/worker/model/audit-event.ts";
import { type Digit, nextDigit } from "./databases.ts";
import { createIsolate } from "./isolate.ts";

export const ORIGIN = "https://api.example";

/** `digit` is that of the account's database. */
export function createOwner(
  email = `${crypto.randomUUID()}@example.com`,
  otherBindings: Env = env,
  digit: Digit = nextDigit(),
  send?: Send,
) {
  const bindings = { ...otherBindings, NEW_ACCOUNTS: digit };
  const identity: Identity = { email, actor: email };
  const isolate = createIsolate(bindings, async () => identity, send);
  const fromHere = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", "CF-Connecting-IP": "203.0.113.7" };
  const json = async (method: string, path: string, body?: object) =>
    isolate.request(`/account/api${path}`, {
      method,
      headers: { "CF-Connecting-IP": "203.0.113.7", ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
  return {
    email,
    isolate,
    json,
    page: (path: string) => isolate.request(`/account${path}`),
    submit: (path: string, fields: Record<string, string | string[]>, headers: Record<string, string> = {}) => {
      const form = new URLSearchParams();
      for (const [name, values] of Object.entries(fields))
        for (const value of [values].flat()) form.append(name, value);
      return isolate.request(`/account${path}`, { method: "POST", headers: { ...fromHere, ...headers }, body: form });
    },
    create: async (name = "A key", more: object = {}) =>
      (await json("POST", "/keys", { name, ...more })).json<{ apiKey: ApiKey; key: string }>(),
    keys: async () => (await (await json("GET", "/keys")).json<{ items: ApiKey[] }>()).items,
    events: async () => (await (await json("GET", "/activity")).json<{ items: AuditEvent[] }>()).items,
    /** whoami's status, asked through another isolate. */
    whoami: async (key: string) =>
      (await createIsolate(bindings).request("/tenant/whoami", { headers: { "X-API-Key": key } })).status,
  };
}
