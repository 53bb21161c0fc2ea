/** A form that is sent twice does its work once: its hidden field, and the idempotency key that follows from it. */
import type { Context } from "hono";
import { hashOf } from "../../http/hash-of.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import type { OwnerEnv } from "../owner-env.ts";

export const Once = () => <input type="hidden" name="once" value={crypto.randomUUID()} />;

/**
 * All fields are part of the key: who goes back, changes the form and sends it again wants something else. Undefined for a form
 * that did not come from our page.
 */
export async function formKey(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<IdempotencyKey | undefined> {
  if (!fields.get("once")) return undefined;
  return { key: `account form ${await hashOf(`${c.req.path}\n${fields}`)}`, requestHash: "", now: Date.now() };
}
