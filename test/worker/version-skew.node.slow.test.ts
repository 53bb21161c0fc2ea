/**
 * A deployment does not reach everything at once: a new Worker calls gates of the version before, and the reverse after a rollback.
 * Calls and stored state are compatible both ways. `npm run release:worker` has kept the version before.
 */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";

const LIMIT = 10;
const current = await buildWorker();
const released = await readFile("test/fixtures/released-worker.js", "utf8");
const VERSIONS = { current, released };

describe.each([
  ["released", "current"],
  ["current", "released"],
] as const)("the %s Worker with gates of the %s version", (front, gates) => {
  let runtime: Awaited<ReturnType<typeof runVersions>>;
  let state: Awaited<ReturnType<typeof makeState>>;
  beforeAll(async () => {
    state = await makeState();
    runtime = await runVersions({ front: VERSIONS[front], gates: VERSIONS[gates] }, state.folder);
  });
  afterAll(async () => {
    await runtime.stop();
    await state.remove();
  });

  it("admits exactly the limit, and says when to come back", async () => {
    const { key, id } = await runtime.create({ name: "Limited", limit: LIMIT, windowSeconds: 3_600 });
    const statuses = [];
    for (let times = 0; times < LIMIT + 2; times++) statuses.push(await runtime.whoami(key));
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 429, 429]);
    const { headers, json } = await runtime.send("GET", "/tenant/whoami", { "X-API-Key": key });
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(3_000);
    expect(headers.get("RateLimit-Policy")).toBe(`"api-key";q=${LIMIT};w=3600`);
    expect(json.error).toBe("too-many-requests");
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });

  it("refuses a key that is revoked, from the answer on", async () => {
    const { id, key } = await runtime.create({ name: "Revoked" });
    expect(await runtime.whoami(key)).toBe(200);
    expect((await runtime.send("DELETE", `/account/api/keys/${id}`)).status).toBe(200);
    expect(await runtime.whoami(key)).toBe(401);
  });

  it("takes a rotated key's new secret, and the old one in its grace", async () => {
    const { id, key } = await runtime.create({ name: "Rotated" });
    expect(await runtime.whoami(key)).toBe(200);
    const rotate = async (graceSeconds: number): Promise<string> =>
      (await runtime.send("POST", `/account/api/keys/${id}/rotate`, {}, { graceSeconds })).json.key;
    const second = await rotate(3_600);
    expect([await runtime.whoami(key), await runtime.whoami(second)]).toEqual([200, 200]);
    const third = await rotate(0);
    const all = [await runtime.whoami(key), await runtime.whoami(second), await runtime.whoami(third)];
    expect(all).toEqual([401, 401, 200]);
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });

  it("answers for the key's tenant and scopes", async () => {
    const { id, key } = await runtime.create({ name: "Narrow", scopes: ["surveys:read"] });
    const headers = { "X-API-Key": key };
    expect((await runtime.send("GET", "/tenant/surveys", headers)).status).toBe(200);
    expect((await runtime.send("POST", "/tenant/surveys", headers, { title: "No" })).status).toBe(403);
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });
});

it.each([
  ["released", "current"],
  ["current", "released"],
] as const)("gates of the %s version store what those of the %s one use", async (writer, reader) => {
  const versionsOf = (name: keyof typeof VERSIONS) => ({ front: VERSIONS[name], gates: VERSIONS[name] });
  const state = await makeState();
  const before = await runVersions(versionsOf(writer), state.folder);
  const { id, key } = await before.create({ name: "Limited", limit: LIMIT, windowSeconds: 3_600 });
  for (let times = 0; times < LIMIT; times++) expect(await before.whoami(key)).toBe(200);
  await before.stop();
  const after = await runVersions(versionsOf(reader), state.folder);
  expect(await after.whoami(key)).toBe(429);
  expect((await after.send("DELETE", `/account/api/keys/${id}`)).status).toBe(200);
  expect(await after.whoami(key)).toBe(401);
  const fresh = await after.create({ name: "Fresh" });
  expect(await after.whoami(fresh.key)).toBe(200);
  await after.stop();
  await state.remove();
});
