/** The job's share of one account: nobody's slow receivers hold up another's webhooks. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { deliverDue, deliverSoon } from "../../../src/worker/changes/deliver.ts";
import { selectDue } from "../../../src/worker/database/webhook-deliveries.ts";
import { freezeTimers } from "../../support/clock.ts";
import { type Digit, databaseOf, sessionOf, sessionsOf } from "../../support/databases.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { addWebhook, createReceiver, createWebhookScene } from "../../support/webhooks.ts";
import { addAccount } from "../../support/world.ts";

const HOUR = 3_600_000;

it("an account's slow receivers have ten seconds of a run; then others are served, and the run ends", async () => {
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
  expect(receiver.seen.filter(({ body }) => body.ideaBankId === slow.bank.id)).toHaveLength(1);
  expect(slow.receiver.seen).toHaveLength(before);
  expect(await quick.stored()).toMatchObject({ due_at: null, attempts: 0 });
});

/** Accounts with a webhook and a change that waits for it. `attempts` have failed; `due` orders them. */
async function addWaiting(
  count: number,
  name: string,
  { attempts, due, digit }: { attempts: number; due: number; digit?: Digit },
) {
  for (let index = 0; index < count; index++) {
    const accountId = await addAccount(digit && { digit });
    const id = await addWebhook(accountId, { url: `https://${name}.example/${index}` });
    await databaseOf(id).batch(
      [
        `INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at) VALUES (?1, 1, 'panelist.updated', 'p', 'tenant', 1)`,
        `UPDATE webhooks SET attempts = ${attempts}, failing_since = iif(${attempts}, 1e12, NULL), due_at = ${due} WHERE account_id = ?1`,
      ].map((sql) => databaseOf(id).prepare(sql).bind(accountId)),
    );
  }
}

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
  expect(statements).toBeLessThanOrEqual(350 + 4 * 10);
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
  expect(receiver.seen.map(({ url }) => url)).toEqual(["https://receiver.example/hook", "https://failed.example/"]);
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
  expect([calls, receiver.seen.length]).toEqual([2, before]);
  expect(await stored()).toMatchObject({ attempts: 1, claimed_until: expect.any(Number) });
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
