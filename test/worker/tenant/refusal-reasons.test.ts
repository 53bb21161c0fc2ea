/** Why a key is refused: who holds its right secret is told, and nobody else. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApiKey } from "../../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addApiKey, newId, signingKeys, toId } from "../../support/world.ts";

const ways: [string, string, number, number][] = [
  ["revoked", "UPDATE api_keys SET revoked_at = 1 WHERE id = ?1", 401, 0],
  ["expired", "UPDATE api_keys SET expires_at = 1 WHERE id = ?1", 401, 0],
  ["paused", "UPDATE api_keys SET paused_at = 1 WHERE id = ?1", 403, 0],
  ["address", "UPDATE api_keys SET allowed_addresses = '[\"198.51.100.0/24\"]' WHERE id = ?1", 403, 0],
  [
    "suspended",
    "UPDATE accounts SET status = 'suspended' WHERE id = (SELECT account_id FROM api_keys WHERE id = ?1)",
    403,
    // Counted, and decided by its gate.
    1,
  ],
];

describe.each(ways)("a key that is refused for %s", (reason, sql, status, callsAgain) => {
  const refused = async () => {
    const key = await addApiKey();
    await databaseOf(key.id).prepare(sql).bind(key.id).run();
    return key;
  };
  const ask = (isolate: ReturnType<typeof createIsolate>, text: string, path = "/tenant/whoami") =>
    isolate.request(path, {
      headers: { "X-API-Key": text, "CF-Connecting-IP": "203.0.113.7", "X-Request-Id": "one" },
    });

  it.each(["/tenant/whoami", "/tenant/surveys"])(
    "says so to its holder at %s, again with fewer calls",
    async (path) => {
      const { text } = await refused();
      const { env: counted, counts } = countStores(env);
      const isolate = createIsolate(counted);
      const first = await ask(isolate, text, path);
      expect(first.status).toBe(status);
      const problem = await first.json();
      expect(problem).toMatchObject({ error: status === 401 ? "unauthorized" : "forbidden", reason });
      counts.gate = 0;
      expect(await (await ask(isolate, text, path)).json()).toEqual(problem);
      expect(counts.gate).toBe(callsAgain);
    },
  );

  it("says so too where its gate does not answer", async () => {
    const { text } = await refused();
    const response = await ask(createIsolate(failStores(env, "gate")), text);
    expect([response.status, (await response.json<{ reason: string }>()).reason]).toEqual([status, reason]);
  });

  it.each(["gate", "database"])(
    "says nothing to another secret (decided by its %s): the bytes of an unknown key",
    async (by) => {
      const { id } = await refused();
      const isolate = createIsolate(by === "gate" ? env : failStores(env, "gate"));
      const seen = [];
      for (const each of [toId(id), newId(id)]) {
        const { text } = await createApiKey(signingKeys, secureRandomBytes, each);
        const response = await ask(isolate, text);
        seen.push([response.status, [...response.headers], await response.text()]);
      }
      const forged = await ask(isolate, `ibk_${"x".repeat(47)}`);
      seen.push([forged.status, [...forged.headers], await forged.text()]);
      expect(seen[0]?.[0]).toBe(401);
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    },
  );
});
