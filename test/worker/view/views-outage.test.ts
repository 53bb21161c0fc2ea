/** What panelists see while D1 fails for one idea bank, while clocks step, and while it changes: each idea bank alone. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createTenant } from "../../support/tenant.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addIdeaBank, tokenFor } from "../../support/world.ts";

const PATH = "/public/ideabank/changelog";
const START = 1_900_000_000_000;
const eager = { ...env, FRESHNESS_SECONDS: "0" };
const defective = interceptStores(eager, (kind, makeCall) =>
  kind === "d1" ? Promise.reject(new Error("D1_ERROR: no such table: x: SQLITE_ERROR")) : makeCall(),
);
const hanging = interceptStores(eager, (kind, makeCall) => (kind === "d1" ? new Promise(() => {}) : makeCall()));
const revoke = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();
const close = (id: string) =>
  databaseOf(id).prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(id).run();

/** An isolate that has read the changelogs of two tenants. */
/** With a token from two hours ago: a clock that steps back must not meet one from the future. */
async function addRead() {
  const bank = await addIdeaBank();
  return { ...bank, token: await tokenFor(bank.id, bank.panelistId, START / 1000 - 7_200) };
}

async function readTwo() {
  const time = new VirtualTime(START);
  const [mine, theirs] = [await addRead(), await addRead()];
  const up = interceptStores(eager, (_, makeCall) => time.call(makeCall));
  const isolate = createIsolate(up);
  const send = async ({ token }: { token: string }, bindings: Env = up) => {
    vi.setSystemTime(Date.now() + 1);
    const [start, onAnswer] = [Date.now(), vi.fn(() => Date.now())];
    const request = isolate.request(PATH, { headers: { Authorization: token } }, bindings, onAnswer);
    const { answer } = await time.until(request);
    return { status: answer.status, elapsedMs: Number(onAnswer.mock.results[0]?.value) - start };
  };
  const read = async (bank: { token: string }, bindings: Env = up) => (await send(bank, bindings)).status;
  expect([await read(mine), await read(theirs)]).toEqual([200, 200]);
  return { mine, theirs, isolate, read, send, time };
}

describe.each([
  ["fails", failStores(eager, "d1"), 200],
  ["refuses a statement", defective, 500],
  ["hangs", hanging, 200],
])("while D1 %s for one idea bank, another tenant's", (_, broken, status) => {
  it("revoked token is refused at once, and its closed changelog is 404", { tags: "slow" }, async () => {
    const { mine, theirs, read, send } = await readTwo();
    const other = await addRead();
    expect(await read(other)).toBe(200);
    const failing = await send(mine, broken);
    expect([failing.status, failing.elapsedMs]).toEqual([status, broken === hanging ? 2_000 : 0]);
    await revoke(theirs.panelistId);
    await close(other.id);
    expect([await read(theirs), await read(other)]).toEqual([401, 404]);
  });
});

it("a defect is remembered for a second: then the next request asks D1", async () => {
  const { mine, read } = await readTwo();
  expect(await read(mine, defective)).toBe(500);
  await close(mine.id);
  expect(await read(mine)).toBe(500);
  vi.setSystemTime(Date.now() + 1_000);
  expect(await read(mine)).toBe(404);
});

describe("a write through the isolate leaves the changelog something to serve through an outage:", () => {
  const down = failStores(eager, "d1");

  it.each([
    ["that failed", down, 503],
    ["that succeeded", eager, 200],
  ])("one %s", async (_, bindings, status) => {
    const { mine, isolate, read } = await readTwo();
    const second = await addIdeaBank({ accountId: mine.accountId });
    expect(await read(second)).toBe(200);
    const tenant = await createTenant({ accountId: mine.accountId });
    const send = async (method: string, path: string, body: object) => {
      const headers = { "X-API-Key": tenant.text, "Content-Type": "application/json" };
      return (await isolate.request(path, { method, headers, body: JSON.stringify(body) }, bindings)).status;
    };
    expect(await send("PATCH", `/tenant/ideabanks/${mine.id}`, { name: "Renamed" })).toBe(status);
    const created = await send("POST", "/tenant/surveys", { title: "A survey" });
    expect(created).toBe(status === 200 ? 201 : 503);
    expect([await read(mine, down), await read(second, down)]).toEqual([200, 200]);
  });

  it("and only one to its idea bank makes it ask D1 again: a revocation is added", async () => {
    freeze(START);
    const [bank, other] = [await addIdeaBank(), await addIdeaBank()];
    let d1 = 0;
    const counted = interceptStores(env, (kind, makeCall) => {
      if (kind === "d1") d1 += 1;
      return makeCall();
    });
    const isolate = createIsolate(counted);
    const read = () => isolate.request(PATH, { headers: { Authorization: bank.token } });
    const cost = async (change: () => Promise<Response>) => {
      expect((await change()).ok).toBe(true);
      d1 = 0;
      await read();
      return d1;
    };
    await read();
    const tenant = await createTenant({ accountId: bank.accountId }, isolate);
    const stranger = await createTenant({ accountId: other.accountId }, isolate);
    const second = await addIdeaBank({ accountId: bank.accountId });
    expect(await cost(() => tenant.send("POST", "/tenant/surveys", { title: "A survey" }))).toBe(0);
    expect(await cost(() => tenant.send("POST", "/tenant/ideabanks", { name: "Another" }))).toBe(0);
    expect(await cost(() => tenant.send("PATCH", `/tenant/ideabanks/${second.id}`, { name: "N" }))).toBe(0);
    expect(await cost(() => tenant.send("POST", `/tenant/ideabanks/${bank.id}/tokens`, { externalId: "e" }))).toBe(0);
    expect(await cost(() => stranger.send("DELETE", `/tenant/panelists/${other.panelistId}/tokens`))).toBe(0);
    expect(await cost(() => tenant.send("PATCH", `/tenant/ideabanks/${bank.id}`, { name: "N" }))).toBe(1);
    expect(await cost(() => tenant.send("DELETE", `/tenant/panelists/${second.panelistId}/tokens`))).toBe(0);
  });
});

describe("the clock steps", () => {
  it("back an hour, and nothing is trusted for that hour: a revoked token and a closed changelog are refused", async () => {
    const { mine, theirs, read, time } = await readTwo();
    await revoke(mine.panelistId);
    await close(theirs.id);
    const lasting = interceptStores({ ...env, FRESHNESS_SECONDS: "300" }, (_, makeCall) => time.call(makeCall));
    expect(await read(mine, lasting)).toBe(200);
    vi.setSystemTime(START - 3_600_000);
    expect([await read(mine, lasting), await read(theirs, lasting)]).toEqual([401, 404]);
  });

  it("back an hour in an outage: what was read in the future does not serve", async () => {
    const { mine, read } = await readTwo();
    vi.setSystemTime(START - 3_600_000);
    expect(await read(mine, failStores(eager, "d1"))).toBe(503);
    // The failure is remembered for a second.
    vi.setSystemTime(Date.now() + 1_000);
    expect(await read(mine)).toBe(200);
  });
});
