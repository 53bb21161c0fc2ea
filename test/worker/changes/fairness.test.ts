/** The job's share of one account: nobody's slow receivers hold up another's webhooks. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { deliverSoon } from "../../../src/worker/changes/deliver.ts";
import { runScheduled } from "../../../src/worker/scheduled.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { addWebhook, createReceiver, createWebhookScene } from "../../support/webhooks.ts";

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
  await runScheduled(env, Date.now, receiver.send);
  now.mockRestore();
  expect(receiver.taken.map(({ body }) => body.ideaBankId)).toEqual([quick.bank.id]);
  expect(receiver.seen.filter(({ body }) => body.ideaBankId === slow.bank.id)).toHaveLength(1);
  expect(slow.receiver.seen).toHaveLength(before);
  expect(await quick.stored()).toMatchObject({ due_at: null, attempts: 0 });
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
  await deliverSoon(slow, [id], receiver.send);
  expect([calls, receiver.seen.length]).toEqual([2, before]);
  expect(await stored()).toMatchObject({ attempts: 1, claimed_until: expect.any(Number) });
});
