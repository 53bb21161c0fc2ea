/** How many calls to D1 a request makes one after the other: so many times it waits for a database that may be far away. */
import { interceptDatabases } from "./intercept-binding.ts";
import type { Isolate } from "./isolate.ts";

/** Calls that are made together are under way together, however near the database is. */
const DISTANCE_MS = 20;

export function countInARow<E extends { readonly DB: D1Database }>(env: E) {
  let answered = 0;
  const far = interceptDatabases(env, () => async (_, makeCall) => {
    const place = answered + 1;
    await new Promise((done) => setTimeout(done, DISTANCE_MS));
    try {
      return await makeCall();
    } finally {
      answered = Math.max(answered, place);
    }
  });
  return {
    far,
    /** Makes a request, and returns its answer with the number of calls in a row that it has waited for. */
    async inARow(isolate: Isolate, path: string, init?: RequestInit) {
      answered = 0;
      let calls = 0;
      const answer = await isolate.request(path, init, undefined, () => {
        calls = answered;
      });
      return { answer, calls };
    },
  };
}
