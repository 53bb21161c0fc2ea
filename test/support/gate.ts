/** Access to a key's gate and its database, for tests. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { ApiKeyGate } from "../../src/worker/api-key-gate/api-key-gate.ts";
import { databaseOf } from "./databases.ts";
import { interceptGateDatabase } from "./intercept.ts";

export const gateOf = (id: string) => env.API_KEY_GATE.getByName(id);
export const revokeInDatabase = (id: string) =>
  databaseOf(id).prepare("UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1").bind(id, Date.now()).run();

/** Counts the gate's own D1 reads, and fails them while `down`. */
export async function watchDatabase(gate: DurableObjectStub<ApiKeyGate>) {
  const watched = { calls: 0, down: false };
  await runInDurableObject(gate, (instance) =>
    interceptGateDatabase(instance, env, (_, makeCall) => {
      watched.calls += 1;
      return watched.down ? Promise.reject(new Error("injected fault: d1")) : makeCall();
    }),
  );
  return watched;
}
