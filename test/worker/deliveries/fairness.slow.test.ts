/** The job's share of one account: nobody's slow receivers hold up another's webhooks. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { selectDue } from "../../../src/worker/database/webhooks/deliveries.ts";
import { deliverDue, deliverSoon } from "../../../src/worker/deliveries/deliver.ts";
import { freezeTimers } from "../../support/clock.ts";
import { type Digit, databaseOf, sessionOf, sessionsOf } from "../../support/databases.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { addWebhook, createReceiver, createWebhookScene } from "../../support/webhooks.ts";
import { addAccount } from "../../support/world.ts";

const HOUR = 3_600_000;

it("an account's slow receivers have a turn of ten seconds; then others are served, and the run ends", async () => {
  const slow = await createWebhookScene(() => 500);
  const quick = await createWebhookScene(() => 500);
  for (let more = 1; more < 4; more++) await addWebhook(slow.accountId);
  await slow.propose();
  await quick.propose();
  for (const { pass } of [slow, quick]) await pass(HOUR);
  const { database } = slow;
  const before = slow.receiver.seen.length;
  let passed = 0;
  const now = vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + passed);
  // The slow ones are called at the same time, and answer nothing until the quick one has what it waits for.
  const served = Promise.withResolvers<void>();
  const receiver = createReceiver(async ({ body }) => {
    if (body.ideaBankId === quick.bank.id) {
      served.resolve();
      return 200;
    }
    await served.promise;
    passed += 10_000;
    return { status: null, retryAfter: null };
  });
  await database
    .prepare("UPDATE webhooks SET due_at = 1, attempts = 1 WHERE account_id = ?1")
    .bind(slow.accountId)
    .run();
  await runJob(env, Date.now, receiver.send);
  now.mockRestore();
  expect(receiver.taken.map(({ body }) => body.ideaBankId)).toEqual([quick.bank.id]);
  const order = receiver.seen.map(({ body }) => body.ideaBankId);
  expect(order.slice(0, 2).toSorted()).toEqual([slow.bank.id, quick.bank.id].toSorted());
  // One of its four webhooks in a turn.
  expect(order.slice(2)).toEqual(Array(3).fill(slow.bank.id));
  expect(slow.receiver.seen).toHaveLength(before);
  expect(await quick.stored()).toMatchObject({ due_at: null, attempts: 0 });
});

/** Accounts with a webhook and so many changes that wait for it. `attempts` have failed; `due` orders them. */
async function addWaiting(
  count: number,
  name: string,
  { attempts, due, changes = 1, digit }: { attempts: number; due: number; changes?: number; digit?: Digit },
) {
  for (let index = 0; index < count; index++) {
    const accountId = await addAccount(digit && { digit });
    const id = await addWebhook(accountId, { url: `https://${name}.example/${index}` });
    await databaseOf(id).batch(
      [
        `${numbers(1, changes)} INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
         SELECT ?1, i, 'panelist.updated', 'p', 'tenant', ${Date.now()} FROM n`,
        `UPDATE webhooks SET attempts = ${attempts}, failing_since = iif(${attempts}, 1e12, NULL), due_at = ${due} WHERE account_id = ?1`,
      ].map((sql) => databaseOf(id).prepare(sql).bind(accountId)),
    );
  }
}

/** A clock that goes on only while a receiver of `names` is waited for: so long by its name. */
function clockOfReceivers(durations: Readonly<Record<string, number>>) {
  const start = Date.now();
  let passed = 0;
  vi.spyOn(Date, "now").mockImplementation(() => start + passed);
  const receiver = createReceiver(({ url }) => {
    passed += durations[new URL(url).host.split(".")[0] ?? ""] ?? 0;
    return 200;
  });
  return { ...receiver, passed: () => passed };
}
const countsOf = ({ taken }: { taken: readonly { url: string }[] }) =>
  Object.fromEntries([...Map.groupBy(taken, ({ url }) => url)].map(([url, each]) => [url, each.length]));

it("a backlog is worked off as fast as its receiver answers while nobody else waits", async () => {
  await addWaiting(1, "bulk", { attempts: 0, due: 1, changes: 2_000 });
  const receiver = clockOfReceivers({ bulk: 300 });
  await runJob(env, Date.now, receiver.send);
  // 50 seconds: 2,000 are delivered in a quarter of an hour.
  expect(receiver.taken).toHaveLength(167);
  expect(receiver.passed()).toBe(167 * 300);
});

it("a backlog that is worked off after five days of failures waits for no share of those that fail", async () => {
  await addWaiting(1, "recovered", { attempts: 9, due: 1, changes: 2_000 });
  const receiver = clockOfReceivers({ recovered: 300 });
  await runJob(env, Date.now, receiver.send);
  expect(receiver.taken).toHaveLength(167);
});

it("with more backlogs than lanes each has its turn before any has a second one, and then they have equal parts", async () => {
  await addWaiting(5, "bulk", { attempts: 0, due: 1, changes: 500 });
  await addWaiting(1, "single", { attempts: 0, due: 2 });
  const receiver = clockOfReceivers({ bulk: 1_000 });
  await runJob(env, Date.now, receiver.send);
  const order = receiver.taken.map(({ url }) => url);
  const single = order.findIndex((url) => url.includes("single"));
  // Four lanes share the clock's ten seconds of a turn.
  expect(single).toBeGreaterThanOrEqual(0);
  expect(single).toBeLessThanOrEqual(25);
  expect(new Set(order.slice(0, 30)).size).toBe(6);
});

it("quick backlogs leave the others their part of the statements", async () => {
  await addWaiting(5, "bulk", { attempts: 0, due: 1, changes: 500, digit: "0" });
  await addWaiting(15, "single", { attempts: 0, due: 2, digit: "0" });
  const receiver = clockOfReceivers({});
  await deliverDue(sessionsOf(env), receiver.send, { endsAt: Number.MAX_SAFE_INTEGER, statements: { left: 350 } });
  const counts = Object.entries(countsOf(receiver));
  expect(counts.filter(([url]) => url.includes("single"))).toHaveLength(15);
  expect(counts.filter(([url]) => url.includes("bulk"))).toHaveLength(5);
});

it("what the slices of a run leave of the statements, the deliveries have", async () => {
  await addWaiting(1, "bulk", { attempts: 0, due: 1, changes: 250 });
  let calls = 0;
  const receiver = createReceiver(async () => {
    calls += 1;
    // The slices have ended by then.
    for (let turns = 0; calls === 1 && turns < 100; turns++) await env.DB.prepare("SELECT 1").run();
    return 200;
  });
  await runJob(env, Date.now, receiver.send);
  // With their own 350 alone they would be fewer than 200.
  expect(receiver.taken).toHaveLength(250);
});

it.each([1, 4])("one answer makes at most 40 deliveries, to %i webhooks", async (webhooks) => {
  const accountId = await addAccount();
  const ids = await Promise.all(Array.from({ length: webhooks }, () => addWebhook(accountId)));
  await databaseOf(accountId).batch(
    [
      `${numbers(1, 300)} INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
       SELECT ?1, i, 'panelist.updated', 'p', 'tenant', 1 FROM n`,
      "UPDATE webhooks SET due_at = 1 WHERE account_id = ?1",
    ].map((sql) => databaseOf(accountId).prepare(sql).bind(accountId)),
  );
  const receiver = createReceiver();
  await deliverSoon(sessionOf(databaseOf(accountId)), ids, receiver.send);
  expect(receiver.taken).toHaveLength(40);
  const moved = await databaseOf(accountId)
    .prepare("SELECT sum(number) AS n, sum(claimed_until) AS claimed FROM webhooks WHERE account_id = ?1")
    .bind(accountId)
    .first();
  expect(moved).toEqual({ n: 40, claimed: 0 });
});

it.each([
  { who: "a first attempt waits behind none that failed", slowAttempts: 1, attempts: 0 },
  { who: "one that failed has its turn beside slow first attempts", slowAttempts: 0, attempts: 1 },
])("with three times as many slow accounts as are served at a time, $who", async ({ slowAttempts, attempts }) => {
  await addWaiting(12, "slow", { attempts: slowAttempts, due: 1 });
  await addWaiting(1, "quick", { attempts, due: 2 });
  let passed = 0;
  let waiting = 0;
  vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + passed);
  // Nothing passes until the quick one is served, or four wait: then nobody else is served meanwhile.
  const served = Promise.withResolvers<void>();
  const receiver = createReceiver(async ({ url }) => {
    if (url.includes("quick")) {
      served.resolve();
      return 200;
    }
    waiting += 1;
    if (waiting === 4) served.resolve();
    await served.promise;
    passed += 10_000;
    return { status: null, retryAfter: null };
  });
  await runJob(env, Date.now, receiver.send);
  expect(receiver.taken.map(({ url }) => url)).toEqual(["https://quick.example/0"]);
  expect(waiting).toBeGreaterThan(0);
});

it("those that failed have a share of the statements: however quickly they fail, first attempts have the rest", async () => {
  await addWaiting(12, "failing", { attempts: 1, due: 1 });
  await addWaiting(6, "slow", { attempts: 0, due: 2 });
  const receiver = createReceiver(async ({ url }) => {
    if (url.includes("failing")) return 500;
    for (let turns = 0; turns < 30; turns++) await env.DB.prepare("SELECT 1").run();
    return 200;
  });
  const databases = sessionsOf(env);
  await deliverDue(databases, receiver.send, { endsAt: Number.MAX_SAFE_INTEGER, statements: { left: 80 } });
  expect(receiver.taken).toHaveLength(6);
  expect(receiver.seen.length).toBeGreaterThan(6);
});

it("the statements that pass over changes of other types are counted, too", async () => {
  for (let index = 0; index < 5; index++) {
    const accountId = await addAccount({ digit: "0" });
    await addWebhook(accountId, { types: ["proposal.created"] });
    await env.DB.prepare(
      `${numbers(1, 15_000)} INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
       SELECT ?1, i, 'panelist.updated', 'p', 'tenant', 1 FROM n`,
    )
      .bind(accountId)
      .run();
  }
  let statements = 0;
  const metered = meterDatabase(env.DB, (results) => {
    statements += results.length;
  });
  await deliverDue([sessionOf(metered)], createReceiver().send, {
    endsAt: Number.MAX_SAFE_INTEGER,
    statements: { left: 350 },
  });
  expect(statements).toBeGreaterThan(300);
  // Each of four may have begun with the last ones.
  expect(statements).toBeLessThanOrEqual(350 + 4 * 11);
});

it("of an account's webhooks those that have not failed come first, and a slow one leaves the others their part", async () => {
  const slow = await createWebhookScene(() => 500);
  const failed = await addWebhook(slow.accountId, { url: "https://failed.example/" });
  for (let more = 0; more < 3; more++) await slow.propose();
  await slow.database.prepare("UPDATE webhooks SET due_at = 1, attempts = id = ?1").bind(failed).run();
  let passed = 0;
  vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + passed);
  const receiver = createReceiver(({ url }) => {
    passed += url.includes("failed") ? 10_000 : 6_000;
    return 200;
  });
  await runJob(env, Date.now, receiver.send);
  const turn = ["https://receiver.example/hook", "https://failed.example/"];
  expect(receiver.seen.map(({ url }) => url)).toEqual([...turn, ...turn, ...turn]);
});

it("what a run reads to know what is due does not grow with what is due", async () => {
  const accountId = await addAccount();
  const read: number[] = [];
  for (const from of [1, 2_001, 4_001]) {
    await databaseOf(accountId)
      .prepare(
        `${numbers(from, from + 1_999)} INSERT INTO webhooks (id, account_id, url, secret, created_at, number, due_at, attempts)
         SELECT ?1 || i, ?1, 'https://no.example', 's', 1, 0, i, i % 2 FROM n`,
      )
      .bind(accountId)
      .run();
    let rows = 0;
    const metered = meterDatabase(databaseOf(accountId), (results) => {
      for (const { meta } of results) rows += meta.rows_read;
    });
    const due = await selectDue(sessionOf(metered), 100);
    expect(
      Map.groupBy(due, ({ hasFailed }) => hasFailed)
        .get(0)
        ?.map(({ dueAt }) => dueAt)
        .slice(0, 3),
    ).toEqual([2, 4, 6]);
    expect(due).toHaveLength(200);
    read.push(rows);
  }
  expect(read[0]).toBeGreaterThan(0);
  expect(read).toEqual(read.map(() => read[0]));
});

it("no attempt begins when the database took so long that the claim may be over", async () => {
  const { propose, receiver, pass, database, stored, id } = await createWebhookScene(() => 500);
  await propose();
  await pass(HOUR);
  const before = receiver.seen.length;
  let passed = 0;
  vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + passed);
  let calls = 0;
  const slow = interceptDatabase(database, async (_, call) => {
    const result = await call();
    calls += 1;
    // Of claiming, and of reading what is delivered.
    if (calls === 2) passed += 61_000;
    return result;
  });
  await deliverSoon(sessionOf(slow), [id], receiver.send);
  expect([calls, receiver.seen.length]).toEqual([3, before]);
  // The next run goes on with it.
  expect(await stored()).toMatchObject({ attempts: 1, claimed_until: 0 });
});

it.each([
  ["from the beginning", 0, 2_000],
  ["once it has said what is due", 1, 10_000],
])("a database that hangs %s holds up the deliveries of no other for long", async (_, answers, mostMs) => {
  await addWaiting(9, "hanging", { attempts: 0, due: 1, digit: "1" });
  await addWaiting(5, "well", { attempts: 0, due: 2, digit: "0" });
  const start = Date.now();
  freezeTimers(start);
  let calls = 0;
  const hanging = interceptDatabase(env.DB_1, (_, makeCall) => {
    calls += 1;
    return calls <= answers ? makeCall() : new Promise(() => {});
  });
  const bindings = { DB: env.DB, DB_1: hanging };
  const databases = sessionsOf(bindings);
  const receiver = createReceiver();
  const allowance = { endsAt: start + 30_000, statements: { left: 500 } };
  const ended = deliverDue(databases, receiver.send, allowance).catch((error: unknown) => error);
  const isDone = () => receiver.taken.length === 5;
  for (let turns = 0; turns < 200 && !isDone(); turns++) {
    // The stores answer in real time.
    for (let answer = 0; answer < 5; answer++) await env.DB.prepare("SELECT 1").run();
    await vi.advanceTimersByTimeAsync(250);
  }
  expect(receiver.taken.map(({ url }) => url.slice(0, 12))).toEqual(Array(5).fill("https://well"));
  expect(Date.now() - start).toBeLessThanOrEqual(mostMs + 2_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await ended).toBeInstanceOf(AggregateError);
});

it("what is due in a database that takes three seconds to say so is delivered after the others'", async () => {
  await addWaiting(2, "late", { attempts: 0, due: 1, digit: "1" });
  await addWaiting(2, "well", { attempts: 0, due: 2, digit: "0" });
  const start = Date.now();
  freezeTimers(start);
  let calls = 0;
  const slow = interceptDatabase(env.DB_1, async (_, makeCall) => {
    calls += 1;
    if (calls === 1) await new Promise((resolve) => setTimeout(resolve, 3_000));
    return makeCall();
  });
  const receiver = createReceiver();
  const allowance = { endsAt: start + 30_000, statements: { left: 500 } };
  let isDone = false;
  const delivered = deliverDue([sessionOf(env.DB), sessionOf(slow)], receiver.send, allowance).finally(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 200 && !isDone; turns++) {
    // The stores answer in real time.
    for (let answer = 0; answer < 5; answer++) await env.DB.prepare("SELECT 1").run();
    await vi.advanceTimersByTimeAsync(250);
  }
  await delivered;
  const hosts = receiver.taken.map(({ url }) => url.slice(0, 12));
  expect(hosts).toEqual(["https://well", "https://well", "https://late", "https://late"]);
});

it("it does not wait for the end of others' backlogs, only for a turn", async () => {
  await addWaiting(1, "bulk", { attempts: 0, due: 1, changes: 100, digit: "0" });
  await addWaiting(1, "late", { attempts: 0, due: 1, digit: "1" });
  const start = Date.now();
  freezeTimers(start);
  let calls = 0;
  const slow = interceptDatabase(env.DB_1, async (_, makeCall) => {
    calls += 1;
    if (calls === 1) await new Promise((resolve) => setTimeout(resolve, 3_000));
    return makeCall();
  });
  const receiver = createReceiver(async ({ url }) => {
    if (url.includes("bulk")) await vi.advanceTimersByTimeAsync(1_000);
    return 200;
  });
  const allowance = { endsAt: start + 50_000, statements: { left: 500 } };
  const delivered = deliverDue([sessionOf(env.DB), sessionOf(slow)], receiver.send, allowance);
  for (let turns = 0; turns < 10; turns++) await env.DB.prepare("SELECT 1").run();
  await vi.advanceTimersByTimeAsync(2_000);
  await delivered;
  const late = receiver.taken.findIndex(({ url }) => url.includes("late"));
  expect(late).toBeGreaterThan(0);
  expect(late).toBeLessThanOrEqual(10);
});
