/** Who delivers has claimed the webhook: one attempt at a time, also where somebody dies. */
import { expect, it } from "vitest";
import { deliver } from "../../../src/worker/deliveries/deliver.ts";
import { sessionOf } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createWebhookScene } from "../../support/webhooks.ts";

const HOUR = 3_600_000;

it("two isolates and two jobs at once send each change once", { tags: "slow" }, async () => {
  const { propose, receiver, deliver, job, pass } = await createWebhookScene(() => 500);
  await propose();
  for (let more = 0; more < 12; more++) await propose();
  receiver.seen.length = 0;
  let [under, most] = [0, 0];
  receiver.react = async () => {
    under += 1;
    most = Math.max(most, under);
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    under -= 1;
    return 200;
  };
  await pass(HOUR);
  await Promise.all([deliver(), deliver(), job(), job()]);
  expect(most).toBe(1);
  expect(receiver.seen).toHaveLength(13);
  expect(new Set(receiver.seen.map(({ id }) => id)).size).toBe(13);
});

const lost = () => new Error("Network connection lost.");

it.each<[string, (call: () => Promise<unknown>) => Promise<unknown>]>([
  ["before the cursor is written", () => Promise.reject(lost())],
  ["after it, with the answer lost", (call) => call().then(() => Promise.reject(lost()))],
])("a crash between the receiver's answer and the cursor, %s: delivered at least once", async (_, crash) => {
  const { propose, receiver, deliver, database, pass, job, stored, newest, types } = await createWebhookScene(
    () => 500,
  );
  const before = await newest();
  await propose();
  await propose();
  receiver.react = () => 200;
  await pass(HOUR);
  let calls = 0;
  const crashing = interceptDatabase(database, (_, call) => {
    calls += 1;
    return calls === 3 ? crash(call) : call();
  });
  await expect(deliver(crashing)).rejects.toThrow();
  expect(types()).toHaveLength(1);
  const { number } = await stored();
  expect([before, before + 1]).toContain(number);
  // The claim holds: nobody delivers meanwhile.
  await job();
  expect(receiver.taken).toHaveLength(1);
  await pass(61_000);
  await job();
  expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(2);
  expect(receiver.taken.length).toBe(number === before ? 3 : 2);
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null });
});

it("an owner who moves it while an attempt is under way is not overruled, whatever the receiver answers", {
  tags: "slow",
}, async () => {
  const { propose, receiver, pass, job, stored, newest, database, id } = await createWebhookScene(() => 500);
  for (let more = 0; more < 3; more++) await propose();
  for (const answer of [200, 500]) {
    await database.prepare("UPDATE webhooks SET number = 0, attempts = 0 WHERE id = ?1").bind(id).run();
    receiver.react = async () => {
      await database.prepare("UPDATE webhooks SET number = 2, attempts = 0 WHERE id = ?1").bind(id).run();
      return answer;
    };
    await pass(HOUR);
    await job();
    expect(await stored()).toMatchObject({ number: 2, attempts: 0 });
  }
  // Nobody waits for the claim's end either.
  receiver.react = () => 200;
  await job();
  expect(await stored()).toMatchObject({ number: await newest() });
});

it("what is used up while an attempt is recorded is released: the next one delivers what is left, at once", {
  tags: "slow",
}, async () => {
  const { propose, receiver, database, id, pass, job, stored, newest } = await createWebhookScene(() => 500);
  for (let more = 0; more < 3; more++) await propose();
  receiver.react = () => 200;
  await pass(HOUR);
  receiver.seen.length = 0;
  const allowance = { endsAt: Number.POSITIVE_INFINITY, statements: { left: 100 } };
  const slow = interceptDatabase(database, async (_, call) => {
    const answer = await call();
    // Its record was slow.
    if (receiver.seen.length === 1) allowance.statements.left = 0;
    return answer;
  });
  await deliver(sessionOf(slow), { id, send: receiver.send, allowance });
  expect(receiver.seen).toHaveLength(1);
  expect(await stored()).toMatchObject({ claimed_until: 0 });
  await job();
  expect(receiver.seen).toHaveLength(3);
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null });
});
