/** API keys while their database is known to hang: nobody waits for it, neither in the isolate nor in a gate. */
import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { hangStores } from "../../support/hang.ts";
import { failStores, interceptGateDatabase, interceptStores } from "../../support/intercept.ts";
import { addAccount, addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;

/** An isolate and two keys, whose D1 hangs there and in gates, while `world.hangs`. One key's gate has its record. */
async function hang() {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const accountId = await addAccount();
  const [known, unknown] = [await addApiKey({ accountId }), await addApiKey({ accountId })];
  const world = { hangs: true, askedByGate: 0 };
  freeze(START);
  await gateOf(known.id).admit(known.secretHash);
  for (const { id } of [known, unknown]) {
    await runInDurableObject(gateOf(id), (gate) =>
      interceptGateDatabase(gate, env, (_, makeCall) => {
        world.askedByGate += 1;
        return world.hangs ? new Promise(() => {}) : makeCall();
      }),
    );
  }
  freezeTimers(START);
  const app = createApp();
  const bindings = interceptStores(env, (kind, makeCall) =>
    kind === "d1" && world.hangs ? new Promise(() => {}) : makeCall(),
  );
  const ask = async ({ text }: { text: string }, through: Env = bindings) => {
    const request = new Request("https://api.example/tenant/whoami", { headers: { "X-API-Key": text } });
    const { status, headers } = await app.fetch(request, through, createExecutionContext());
    return { status, isCounted: headers.has("RateLimit") };
  };
  return { accountId, known, unknown, world, bindings, ask };
}

/** A call of the isolate to D1 has just missed its deadline. */
async function setUp() {
  const { accountId, ask, bindings: _, ...scene } = await hang();
  const hanging = hangStores(env, "d1");
  const first = ask(await addApiKey({ accountId }), failStores(hanging.env, "gate"));
  await hanging.reached;
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await first).status).toBe(503);
  return { ...scene, ask };
}

describe("when D1 has missed the deadline of a key that was checked directly", () => {
  it("a key whose gate has no record is told 503 at once, from the second half second on", async () => {
    const { unknown, world, ask } = await setUp();
    const early = ask(unknown);
    vi.setSystemTime(Date.now() + 500);
    // No timer runs: it waits for nothing.
    expect((await ask(unknown)).status).toBe(503);
    await vi.advanceTimersByTimeAsync(500);
    expect((await early).status).toBe(503);
    expect(world.askedByGate).toBe(0);
  });

  it("a key whose gate has a record of at most five minutes goes on at once, and is counted", async () => {
    const { known, world, ask } = await setUp();
    vi.setSystemTime(Date.now() + 100_000);
    expect(await ask(known)).toEqual({ status: 200, isCounted: true });
    expect(world.askedByGate).toBe(0);
  });

  it("a key whose gate has no record is admitted and counted, when a sign of life comes in that half second", async () => {
    const { unknown, world, ask } = await setUp();
    world.hangs = false;
    expect(await ask(unknown)).toEqual({ status: 200, isCounted: true });
  });
});

it("when a gate says that D1 was late, the next key is told 503 at once, from the second half second on", async () => {
  const { known, unknown, world, bindings, ask } = await hang();
  const late = interceptStores(bindings, async (kind, makeCall) => {
    const answer = await makeCall();
    return kind === "gate" ? Object.assign(answer as object, { isLate: true }) : answer;
  });
  expect(await ask(known, late)).toEqual({ status: 200, isCounted: true });
  vi.setSystemTime(Date.now() + 500);
  // No timer runs: it waits for nothing.
  expect((await ask(unknown)).status).toBe(503);
  expect(world.askedByGate).toBe(0);
});
