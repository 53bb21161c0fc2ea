/** Resources with an `ETag`, and writers at the same time. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { interceptStores } from "./intercept.ts";
import { createIsolate } from "./isolate.ts";
import { fillPath } from "./operations.ts";
import { addOneOfEverything, createTenant } from "./tenant.ts";

export const STRONG = /^"[\w+/]{22}"$/;

/** A tenant with one of everything, and how it reads the ETag of what a path names. */
export async function createScene(isolate = createIsolate()) {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId }, isolate);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    tenant.send(method, fillPath(path, ids), body, headers);
  return { ids, tenant, send };
}

/** Of a path, the ETag of the resource as it is now. A change of nothing answers with it, too. */
export async function etagAt(send: Awaited<ReturnType<typeof createScene>>["send"], path: string): Promise<string> {
  const single = path.replace("by-external-id/{externalId}", "{proposalId}");
  const body = single.includes("{commentId}") ? { body: "A comment" } : {};
  const response = await send("PATCH", single, body);
  const etag = response.headers.get("ETag");
  expect([response.status, etag]).toEqual([200, expect.stringMatching(STRONG)]);
  return etag ?? "";
}

/** An isolate whose next answer of D1 comes after `work`: between the read of a request with `If-Match`, and its write. */
export function createMeanwhile() {
  let next: (() => Promise<unknown>) | undefined;
  const isolate = createIsolate(
    interceptStores(env, async (kind, makeCall) => {
      const answer = await makeCall();
      if (kind !== "d1") return answer;
      const work = next;
      next = undefined;
      await work?.();
      return answer;
    }),
  );
  const meanwhile = (work: () => Promise<unknown>) => {
    next = work;
  };
  return { isolate, meanwhile };
}
