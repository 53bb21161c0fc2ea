/** An isolate in virtual time, that any tenant, panelist or owner can call with any bindings. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { createApp, createMemory } from "../../src/worker/app.ts";
import { takeAll } from "./isolate.ts";
import { addressOf, bodyOf, type OperationCase } from "./operations.ts";
import type { Tenant } from "./outage-world.ts";
import type { VirtualTime } from "./virtual-time.ts";

type Called = Pick<OperationCase, "operation" | "method" | "path">;

export type Answer = { readonly status: number; readonly retryAfter: string | null; readonly body: string };

/** What is due a while after an answer is no part of an outage. */
const NEVER = () => {};

const HARMLESS = {
  apiKey: "/tenant/whoami",
  compoundToken: "/public/ideabank/changelog",
  access: "/account/api/keys",
  operator: "/health",
  none: "/health",
};

export function createOutageIsolate(time: VirtualTime) {
  const owners = new WeakMap<object, string>();
  const app = createApp(
    async ({ executionCtx }) => {
      const email = owners.get(executionCtx);
      return email === undefined ? undefined : { email, actor: email };
    },
    createMemory(NEVER, takeAll),
  );

  /** Begins a request. `done` is when the Worker has nothing left to do for it. */
  function send(path: string, method: string, body: object | undefined, tenant: Tenant, bindings: Env) {
    const context = createExecutionContext();
    owners.set(context, tenant.email);
    const headers = new Headers({ "X-API-Key": tenant.key, Authorization: tenant.token });
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const request = new Request(`https://api.example${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = (async (): Promise<Answer> => {
      const response = await app.fetch(request, bindings, context);
      return {
        status: response.status,
        retryAfter: response.headers.get("Retry-After"),
        body: await response.text(),
      };
    })();
    return { answer, done: async () => void (await time.until(waitOnExecutionContext(context))) };
  }

  return {
    /** With one of the two sets of identifiers: what an operation has deleted or named is there once. Nobody says the same twice. */
    call({ operation, method, path }: Called, tenant: Tenant, set: 0 | 1, bindings: Env) {
      const ids = (operation.credential.kind === "compoundToken" ? tenant.panelistIds : tenant.tenantIds)[set];
      const body = bodyOf(operation, ids);
      const names = body !== undefined && "externalId" in body ? { externalId: `panelist ${set}` } : {};
      const texts = body !== undefined && "body" in body ? { body: `${body.body} ${set}` } : {};
      return send(addressOf(path, ids), method, body && { ...body, ...names, ...texts }, tenant, bindings);
    },
    /** Afterwards the isolate, and the key's gate, know the tenant. */
    async warm({ operation }: Called, tenant: Tenant, bindings: Env): Promise<void> {
      const { answer, done } = send(HARMLESS[operation.credential.kind], "GET", undefined, tenant, bindings);
      const { status } = (await time.until(answer)).answer;
      if (status !== 200) throw new Error(`an isolate did not get warm: ${status}`);
      await done();
    },
  };
}
