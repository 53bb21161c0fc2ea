/** The idempotency key of a form with the hidden field `once`, so that a form that is sent twice does its work once. */
import type { Context } from "hono";
import { hashOf } from "../http/idempotency-key.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import type { OwnerEnv } from "./owner-env.ts";

/**
 * All fields are part of the key: who goes back, changes the form and sends it again wants something else. Undefined for a form
 * that did not come from our page.
 */
export async function formKey(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<IdempotencyKey | undefined> {
  if (!fields.get("once")) return undefined;
  return { key: `account form ${await hashOf(`${c.req.path}\n${fields}`)}`, requestHash: "", now: Date.now() };
}
