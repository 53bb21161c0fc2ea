/**
 * How far replicas lag has no bound; what a panelist sees has one: the freshness window plus the anchor. Each test's replica
 * lags by a script.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze } from "../../support/clock.ts";
import { bindingOf } from "../../support/databases.ts";
import { interceptStores } from "../../support/intercept.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addIdeaBank, addProposal, newId, tokenFor } from "../../support/world.ts";

const START = 1_900_000_000_000;
const FRESHNESS_MS = 1_000;
const ANCHOR_MS = 10_000;
const LISTS = ["/public/ideabank/changelog", "/ideabank/proposals"];

/** An isolate that has read the idea bank at `START`, before a replica that stays where it is. */
async function setUp({ anchorSeconds = "10", freshnessSeconds = "1" } = {}) {
  freeze(START);
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "Before" });
  const token = await tokenFor(bank.id, bank.panelistId);
  const replica = await createReplica(bank.id);
  const bindings: Env = {
    ...env,
    [bindingOf(bank.id)]: replica.database,
    ANCHOR_SECONDS: anchorSeconds,
    FRESHNESS_SECONDS: freshnessSeconds,
  };
  const isolate = createIsolate(bindings);
  const get = (path: string) => isolate.request(path, { headers: { Authorization: token } });
  await get("/public/ideabank/changelog");
  return { bank, token, replica, bindings, isolate, get };
}

describe("what is written elsewhere shows within the freshness window plus the anchor", () => {
  const CHANGES = [
    ["a revocation", "UPDATE panelists SET active = 0", "/public/ideabank/changelog"],
    ["a revocation", "UPDATE panelists SET active = 0", "/ideabank/proposals"],
    ["a closed idea bank", "UPDATE idea_banks SET status = 'CLOSED'", "/public/ideabank/changelog"],
    ["a closed idea bank", "UPDATE idea_banks SET status = 'CLOSED'", "/ideabank/proposals"],
    ["a suspended account", "UPDATE accounts SET status = 'suspended'", "/ideabank"],
    ["an edited proposal", "UPDATE proposals SET title = 'After'", "/public/ideabank/changelog"],
    ["an edited proposal", "UPDATE proposals SET title = 'After'", "/ideabank/proposals"],
  ] as const;

  it.each(CHANGES)("%s (%s), to GET %s, though the replica never learns of it", async (_, change, path) => {
    const { replica, get } = await setUp();
    const before = await (await get(path)).text();
    await replica.write(change);
    let seenAfter: number | undefined;
    for (let ms = 250; seenAfter === undefined && ms < 3 * ANCHOR_MS; ms += 250) {
      vi.setSystemTime(START + ms);
      if ((await (await get(path)).text()) !== before) seenAfter = ms;
    }
    expect(seenAfter).toBeLessThanOrEqual(FRESHNESS_MS + ANCHOR_MS);
  });

  it("in any order of writes, reads and replication", async () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
      },
      { weight: 8, arbitrary: fc.record({ kind: fc.constant("read" as const), path: fc.constantFrom(...LISTS) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("write" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("replicate" as const) }) },
    );
    const { bank, token, replica, bindings } = await setUp();
    let now = START;
    const writes = [START];
    const write = async () => {
      writes.push(now);
      const title = String(writes.length - 1);
      await replica.write("UPDATE proposals SET title = ?2 WHERE idea_bank_id = ?1", bank.id, title);
    };
    /** Which write a panelist sees. */
    const read = async (isolate: Isolate, path: string) => {
      const answer = await isolate.request(path, { headers: { Authorization: token } });
      const { items } = await answer.json<{ items: { title: string }[] }>();
      return items[0]?.title === "Before" ? 0 : Number(items[0]?.title);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: "max" }), async (steps) => {
        const isolate = createIsolate(bindings);
        for (const each of steps) {
          if (each.kind === "wait") now += each.ms;
          vi.setSystemTime(now);
          if (each.kind === "replicate") await replica.catchUp();
          if (each.kind === "write") await write();
          if (each.kind !== "read") continue;
          const oldest = writes.findLastIndex((at) => at <= now - FRESHNESS_MS - ANCHOR_MS);
          expect(await read(isolate, each.path)).toBeGreaterThanOrEqual(oldest);
        }
      }),
      { numRuns: 2 },
    );
  });
});

describe("an isolate that has read nothing", () => {
  it.each(LISTS)("reads the primary: GET %s", async (path) => {
    const { token, replica, bindings } = await setUp();
    await replica.write("UPDATE panelists SET active = 0");
    const { status } = await createIsolate(bindings).request(path, { headers: { Authorization: token } });
    expect(status).toBe(401);
  });
});

describe("a replica that has never heard", () => {
  it("of the panelist of a new token is not believed: the primary is asked", async () => {
    const { bank, replica, get, isolate } = await setUp();
    await get("/ideabank/proposals");
    const panelistId = newId(bank.id);
    const insert = "INSERT INTO panelists (id, account_id, created_at) VALUES (?1, ?2, 1)";
    await replica.write(insert, panelistId, bank.accountId);
    const token = await tokenFor(bank.id, panelistId);
    const { status } = await isolate.request("/ideabank/proposals", { headers: { Authorization: token } });
    expect(status).toBe(200);
  });

  it("of the idea bank is not believed: not for its state, and not for its changelog", async () => {
    const { bank, replica, isolate } = await setUp();
    const { id, panelistId } = await addIdeaBank({ accountId: bank.accountId });
    await addProposal({ id, accountId: bank.accountId }, { title: "New" });
    await replica.write("UPDATE idea_banks SET name = name");
    const headers = { Authorization: await tokenFor(id, panelistId) };
    expect(await (await isolate.request("/public/ideabank/changelog", { headers })).text()).toContain("New");
  });

  it("that proposals were opened is not believed", async () => {
    const { bank, replica, get } = await setUp();
    await replica.write("UPDATE idea_banks SET internal = 1 WHERE id = ?1", bank.id);
    await replica.catchUp();
    await replica.write("UPDATE idea_banks SET internal = 0 WHERE id = ?1", bank.id);
    expect((await get("/ideabank/proposals")).status).toBe(200);
  });
});

describe("a replica that has not caught up", () => {
  it("costs one read, at the primary, and no wrong answer", async () => {
    const { bank, replica, get } = await setUp();
    await replica.write("UPDATE proposals SET title = 'After'");
    vi.setSystemTime(START + ANCHOR_MS);
    await get("/ideabank/proposals");
    await replica.write("UPDATE idea_banks SET name = 'After' WHERE id = ?1", bank.id);
    replica.asked.length = 0;
    // Its bookmark is that of the anchor; the replica is behind that, so D1 asks the primary.
    vi.setSystemTime(START + ANCHOR_MS + 1_500);
    expect((await (await get("/ideabank")).json<{ name: string }>()).name).toBe("After");
    expect(replica.asked).toEqual(["00000002"]);
  });
});

it.each([
  ["the idea bank", "/ideabank", "UPDATE idea_banks SET name = 'After' WHERE id = ?1"],
  ["a list", "/ideabank/proposals", "UPDATE proposals SET title = 'After' WHERE idea_bank_id = ?1"],
])(
  "a replica that waits for its bookmark is waited for 250 ms, and then the primary answers: %s",
  async (_, path, change) => {
    const { bank, token, replica, bindings } = await setUp();
    vi.useRealTimers();
    const time = new VirtualTime(START + 1_500);
    const DB = new Proxy(replica.database, {
      get(target, name) {
        if (name !== "withSession") return Reflect.get(target, name);
        return (constraint: string) => {
          const session = target.withSession(constraint);
          const isHeld = !constraint.startsWith("first-");
          return interceptDatabase(session, (_, call) => (isHeld ? new Promise(() => {}) : time.call(call)));
        };
      },
    });
    const app = createApp();
    const read = () => {
      const request = new Request(`https://api.example${path}`, { headers: { Authorization: token } });
      const env: Env = { ...bindings, [bindingOf(bank.id)]: DB };
      return app.fetch(request, env, createExecutionContext());
    };
    await time.until(Promise.resolve(read()));
    await replica.write(change, bank.id);
    vi.setSystemTime(Date.now() + FRESHNESS_MS);
    const { answer, elapsedMs } = await time.until(Promise.resolve(read()));
    expect([(await answer.text()).includes("After"), elapsedMs]).toEqual([true, 250]);
  },
);

describe("ANCHOR_SECONDS", () => {
  it("0 reads the primary each time", async () => {
    const { replica, get } = await setUp({ anchorSeconds: "0", freshnessSeconds: "0" });
    await get("/ideabank/proposals");
    await get("/public/ideabank/changelog");
    expect(new Set(replica.asked)).toEqual(new Set(["first-primary"]));
  });

  it.each(["301", "-1", "often", ""])("%j is refused", async (anchorSeconds) => {
    const { status } = await createIsolate({ ...env, ANCHOR_SECONDS: anchorSeconds }).request("/ideabank");
    expect(status).toBe(500);
  });
});

it("nobody who reads a busy idea bank waits for the primary", async () => {
  const { token, replica, bindings } = await setUp({ freshnessSeconds: "5" });
  replica.asked.length = 0;
  const app = createApp();
  let held = Promise.resolve();
  const slow = interceptStores(bindings, async (kind, makeCall) => {
    if (kind === "d1") await held;
    return makeCall();
  });
  const contexts: ExecutionContext[] = [];
  const send = async () => {
    const context = createExecutionContext();
    contexts.push(context);
    const headers = { Authorization: token };
    return (await app.fetch(new Request("https://api.example/public/ideabank/changelog", { headers }), slow, context))
      .status;
  };
  expect(await send()).toBe(200);
  for (let ms = 600; ms <= 3 * ANCHOR_MS; ms += 600) {
    vi.setSystemTime(START + ms);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    expect(await Promise.all([send(), send()])).toEqual([200, 200]);
    resolve();
    for (const context of contexts.splice(0)) await waitOnExecutionContext(context);
  }
  // At first, and then with the first renewal that is three seconds later: every 3.6 seconds.
  expect(replica.asked.filter((constraint) => constraint === "first-primary")).toHaveLength(1 + Math.floor(30 / 3.6));
});
