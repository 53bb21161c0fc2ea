/** Under steady load nobody waits for D1: one request in the second half of the freshness window refreshes for the others. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createTenant } from "../../support/tenant.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addIdeaBank, addProposal } from "../../support/world.ts";

const START = 1_900_000_000_000;
const FRESHNESS_MS = 1_000;
const EVERY_MS = 50;
const READS = 200;

const rename = (ideaBankId: string, title: string) =>
  databaseOf(ideaBankId).prepare("UPDATE proposals SET title = ?2 WHERE idea_bank_id = ?1").bind(ideaBankId, title);

/** Reads a changelog three times every 50 ms for ten seconds, D1 answering only afterwards: who waits for it waits for ever. */
async function readSteadily(time: VirtualTime, token: string, beforeEach: (sent: number) => Promise<void>) {
  let trips = 0;
  let held = Promise.resolve();
  const counted = interceptStores({ ...env, FRESHNESS_SECONDS: "1" }, async (kind, makeCall) => {
    if (kind !== "d1") return time.call(makeCall);
    trips += 1;
    await held;
    return time.call(makeCall);
  });
  // Each refresh is a request's own: what is planned for later is tested below.
  const app = createApp(undefined, () => {});
  const contexts: ExecutionContext[] = [];
  const send = async () => {
    const context = createExecutionContext();
    contexts.push(context);
    const request = new Request("https://api.example/public/ideabank/changelog", { headers: { Authorization: token } });
    const response = await app.fetch(request, counted, context);
    expect(response.status).toBe(200);
    const { items } = await response.json<{ items: { title: string }[] }>();
    return items[0]?.title;
  };
  await time.until(send());
  trips = 0;
  const seen: (string | undefined)[] = [];
  for (let sent = 1; sent <= READS; sent++) {
    vi.setSystemTime(START + sent * EVERY_MS);
    await beforeEach(sent);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const titles = await Promise.all([send(), send(), send()]);
    expect(new Set(titles).size).toBe(1);
    seen.push(titles[0]);
    resolve();
    for (const context of contexts.splice(0)) await waitOnExecutionContext(context);
  }
  return { trips, seen };
}

it("a request every 50 ms for ten seconds is answered from memory, at two D1 trips a second at most", async () => {
  const time = new VirtualTime(START);
  const bank = await addIdeaBank();
  const { trips } = await readSteadily(time, bank.token, async () => {});
  expect(trips).toBeGreaterThanOrEqual(10);
  expect(trips).toBeLessThanOrEqual(20);
});

it("a changelog that changes all the time makes nobody wait, and what is shown is no older than the freshness window", async () => {
  const time = new VirtualTime(START);
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "0" });
  let written = 0;
  const { trips, seen } = await readSteadily(time, bank.token, async (sent) => {
    if (sent % 3 !== 0) return;
    written = sent;
    await rename(bank.id, String(sent)).run();
  });
  expect(written).toBeGreaterThan(READS - 3);
  const ages = seen.map((title, index) => {
    const nextWrite = Number(title) + 3;
    return Math.max(0, index + 1 - nextWrite) * EVERY_MS;
  });
  expect(Math.max(...ages)).toBeLessThan(FRESHNESS_MS);
  // A new version comes with the idea bank, in the same round trip.
  expect(trips).toBeLessThanOrEqual(20);
});

it("in steady use the refresh is planned, once, for when it is due: nobody waits although no request comes then", async () => {
  freeze(START);
  const bank = await addIdeaBank();
  const planned: { readonly milliseconds: number; readonly work: () => Promise<void> }[] = [];
  const app = createApp(undefined, (milliseconds, work) => planned.push({ milliseconds, work }));
  const pending: Promise<unknown>[] = [];
  const settle = async () => {
    for (let promise = pending.shift(); promise !== undefined; promise = pending.shift()) await promise;
  };
  let trips = 0;
  const counted = interceptStores({ ...env, FRESHNESS_SECONDS: "1" }, async (kind, makeCall) => {
    if (kind === "d1") trips += 1;
    return makeCall();
  });
  const tripsOf = async (ms: number, work: () => unknown) => {
    vi.setSystemTime(START + ms);
    const before = trips;
    await work();
    return trips - before;
  };
  const send = async () => {
    const context: ExecutionContext = Object.create(createExecutionContext(), {
      waitUntil: { value: (promise: Promise<unknown>) => pending.push(promise) },
    });
    const headers = { Authorization: bank.token };
    await app.fetch(new Request("https://api.example/ideabank", { headers }), counted, context);
    await settle();
  };
  expect(await tripsOf(0, send)).toBe(1);
  // Two requests of one page are no steady use.
  expect(await tripsOf(100, send)).toBe(0);
  expect(planned).toHaveLength(0);
  expect(await tripsOf(600, send)).toBe(1);
  for (const ms of [700, 800]) expect(await tripsOf(ms, send)).toBe(0);
  expect(planned.map(({ milliseconds }) => milliseconds)).toEqual([400]);
  const doPlanned = async () => {
    await planned[0]?.work();
    await settle();
  };
  expect(await tripsOf(1_100, doPlanned)).toBe(1);
  expect(await tripsOf(1_700, send)).toBe(1);
  // It was read again meanwhile: there is nothing left to do.
  expect(await tripsOf(1_950, doPlanned)).toBe(0);
});

it("a refresh ahead that finds a new version fetches its body: the next reader waits for nothing", async () => {
  const time = new VirtualTime(START);
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "first" });
  let isHeld = false;
  const app = createApp(undefined, () => {});
  const slow = interceptStores({ ...env, FRESHNESS_SECONDS: "1" }, async (_, makeCall) => {
    if (isHeld) await new Promise(() => {});
    return time.call(makeCall);
  });
  const read = async (ms: number) => {
    vi.setSystemTime(START + ms);
    const context = createExecutionContext();
    const headers = { Authorization: bank.token };
    const request = new Request("https://api.example/public/ideabank/changelog", { headers });
    const text = await (await time.until(Promise.resolve(app.fetch(request, slow, context)))).answer.text();
    await time.until(waitOnExecutionContext(context));
    return text;
  };
  await read(0);
  await rename(bank.id, "second").run();
  expect(await read(600)).toContain("first");
  // The stores hang from now on. At 1,100 the version before is no longer fresh.
  isHeld = true;
  vi.setSystemTime(START + 1_100);
  const context = createExecutionContext();
  const headers = { Authorization: bank.token };
  const request = new Request("https://api.example/public/ideabank/changelog", { headers });
  expect(await (await app.fetch(request, slow, context)).text()).toContain("second");
});

it("what was written through this isolate is shown at once", async () => {
  freeze(START);
  const bank = await addIdeaBank();
  const proposalId = await addProposal(bank, { title: "first" });
  const isolate = createIsolate({ ...env, FRESHNESS_SECONDS: "1" });
  const tenant = await createTenant({ accountId: bank.accountId }, isolate);
  const read = async () =>
    (await isolate.request("/public/ideabank/changelog", { headers: { Authorization: bank.token } })).text();
  const path = `/tenant/ideabanks/${bank.id}/proposals/${proposalId}`;
  const write = async (title: string) => expect((await tenant.send("PATCH", path, { title })).status).toBe(200);
  await read();
  await write("second");
  expect(await read()).toContain("second");
  await rename(bank.id, "third").run();
  vi.setSystemTime(START + 600);
  await read();
  // The new version is known; nobody has asked for its changelog yet.
  await write("fourth");
  expect(await read()).toContain("fourth");
});
