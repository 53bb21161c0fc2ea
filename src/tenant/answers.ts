/** The answers that operations share. What is not the tenant's and what does not exist are one: 403. */
import type { Context } from "hono";
import type { TenantEnv } from "../http/app-env.ts";
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { nextCursor } from "../http/pages.ts";
import type { Page } from "../model/page.ts";
import { Problem } from "../problem.ts";

/** Throws `forbidden` for null. */
export function owned<Resource>(resource: Resource | null): Resource {
  if (resource === null) throw new Problem("forbidden", { cause: "not the tenant's" });
  return resource;
}

/** 204, or `forbidden` when nothing was there. */
export function respondGone(c: Context<TenantEnv>, gone: boolean): Response {
  if (!gone) throw new Problem("forbidden", { cause: "not the tenant's" });
  return c.body(null, 204);
}

/** `nextCursor` is absent on the last page. */
export async function respondPage<Item>(
  c: Context<TenantEnv>,
  { readSettings }: Pick<IsolateMemory, "readSettings">,
  { items, next }: Page<Item>,
): Promise<Response> {
  const { signingKeys } = await readSettings(c.env);
  return c.json({ items, nextCursor: await nextCursor(c, next, signingKeys) });
}
