/** The desk: how long an owner waits for the first byte of each page, with the database far away. */

import { fillDesk, type SendJson } from "../../support/desk-account.ts";
import { buildFar } from "../build.ts";
import { OUR_OBJECTS, startRuntime } from "../runtime.ts";
import { OWNER_EMAIL, seedAccount, seedApiKeys } from "../seed.ts";

/** How far from a data center of the same continent a database is, there and back. */
export const DISTANCE_MS = 85;
/** Every page takes its visit and one batch at most, and the rest of these is its own time. */
export const CALLS_IN_A_ROW = 2.3;
const OPERATOR_SECRET = "what-the-operator-of-a-benchmark-has";

export type DeskPlan = { readonly visits: number };
/** Milliseconds until the first byte, by page, of each of several visits. */
export type DeskResult = readonly { readonly page: string; readonly firstByteMs: readonly number[] }[];

export async function measureDesk({ visits }: DeskPlan): Promise<DeskResult> {
  const script = await buildFar(DISTANCE_MS);
  const runtime = await startRuntime([{ name: "far", script, objects: OUR_OBJECTS, variables: { OPERATOR_SECRET } }]);
  try {
    const database = await runtime.database("far");
    await seedAccount(database);
    const [key = ""] = await seedApiKeys(database, 1, { limit: 10_000, windowSeconds: 60 });
    const url = runtime.url("far");
    const asked = await send<{ url: string }>(`${url}/operator/sign-ins`, "POST", {
      headers: { Authorization: `Bearer ${OPERATOR_SECRET}` },
      body: { email: OWNER_EMAIL, returnTo: "/account" },
    });
    const { pathname, search } = new URL(asked.url);
    const signedIn = await fetch(url + pathname + search, { redirect: "manual" });
    const [cookie = ""] = (signedIn.headers.getSetCookie()[0] ?? "").split(";");
    const own = { Cookie: cookie, Origin: url, "Sec-Fetch-Site": "same-origin" };
    const asOwner: SendJson = (method, path, body) => send(`${url}/account/api${path}`, method, { headers: own, body });
    const asTenant: SendJson = (method, path, body) =>
      send(`${url}/tenant${path}`, method, { headers: { "X-API-Key": key }, body });
    const ids = await fillDesk({ asOwner, asTenant }, "bench");
    const results: { page: string; firstByteMs: number[] }[] = [];
    const pages = await send<{ page: string; address: string }[]>(`${url}/desk-pages`, "POST", {
      headers: {},
      body: ids,
    });
    for (const { page, address } of pages) {
      const firstByteMs: number[] = [];
      for (let visit = 0; visit <= visits; visit++) {
        const began = performance.now();
        const answer = await fetch(url + address, { headers: { Cookie: cookie } });
        // The first visit finds what the isolate then remembers.
        if (visit > 0) firstByteMs.push(performance.now() - began);
        if (answer.status !== 200) throw new Error(`${page}: ${answer.status}`);
        await answer.arrayBuffer();
      }
      results.push({ page, firstByteMs });
    }
    return results;
  } finally {
    await runtime.stop();
  }
}

async function send<Answer>(
  url: string,
  method: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body?: object | undefined },
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
