/** A key that has ended, and whose gate was not reached: a report of it tells the gate. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createGitHub } from "../../support/github.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_000_000;
const TYPE = "edge_access_api_key";

/** A key whose gate has its record, and an older secret of it, in its grace period. */
async function createScene() {
  freeze(START);
  const [github, owner] = [await createGitHub(), createOwner()];
  const { key: older, apiKey } = await owner.create();
  const rotated = await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3600 });
  const { key } = await rotated.json<{ key: string }>();
  expect([await owner.whoami(older), await owner.whoami(key)]).toEqual([200, 200]);
  const write = (change: string, at: number) =>
    databaseOf(apiKey.id).prepare(`UPDATE api_keys SET ${change} WHERE id = ?2`).bind(at, apiKey.id).run();
  const report = (token: string, bindings = github.bindings) =>
    github.report(createIsolate(bindings), [{ token, type: TYPE, url: null, source: "content" }]);
  return { owner, older, key, github, write, report };
}

it.each([
  ["was revoked", "revoked_at = ?1"],
  ["expires sooner", "expires_at = ?1"],
  ["was rotated at once", "previous_expires_at = ?1, secret_hash = hex(randomblob(32)), rotated_at = ?1"],
])("whichever of its secrets is reported, when the key %s", { tags: "slow" }, async (_, change) => {
  for (const which of ["key", "older"] as const) {
    const { owner, write, report, [which]: secret } = await createScene();
    vi.setSystemTime(START + 10_000);
    await write(change, START + 10_000);
    vi.setSystemTime(START + 10_001);
    expect((await report(secret)).status).toBe(200);
    expect(await owner.whoami(secret)).toBe(401);
  }
});

it("also nine minutes later: through an outage a gate decides by an older record", { tags: "slow" }, async () => {
  const { key, write, report, github } = await createScene();
  await write("revoked_at = ?1", START);
  const callsAfter = async (minutes: number) => {
    vi.setSystemTime(START + minutes * 60_000);
    const { env: counted, counts } = countStores({ ...env, ...github.bindings });
    await report(key, counted);
    return counts.gate;
  };
  expect(await callsAfter(9)).toBe(1);
  expect(await callsAfter(11)).toBe(0);
});
