/** Deliveries of webhooks: in order, at least once, signed; the place never passes what was not answered 2xx. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { bindingOf } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { createWebhookScene, type Reaction } from "../../support/webhooks.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it("the first attempt follows the answer to a write, of a tenant and of a panelist: the feed's own event, signed", {
  tags: "slow",
}, async () => {
  const { propose, robin, receiver, types, tenant, stored, newest } = await createWebhookScene();
  const page = await (await tenant.send("GET", "/tenant/changes?after=now")).json<{ nextCursor: string }>();
  const proposal = await propose();
  await robin.send("POST", `/ideabank/proposals/${proposal}/comments`, { body: "Yes." });
  await robin.send("PUT", `/ideabank/proposals/${proposal}/vote`);
  expect(types()).toEqual(["proposal.created", "comment.created"]);
  const feed = await tenant.send("GET", `/tenant/changes?after=${page.nextCursor}`);
  const { items } = await feed.json<{ items: object[] }>();
  // The vote came after the delivery.
  const [, comment] = receiver.taken;
  expect(items[1]).toEqual({ ...comment?.body, proposal: { ...comment?.body.proposal, votes: 1 } });
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null, claimed_until: 0, attempts: 0 });
});

it("a write makes no call more, and waits for no delivery; there is none when there is no webhook, or nothing to deliver", async () => {
  const { bank, tenant, robin, propose, isolate, database } = await createWebhookScene();
  const proposal = await propose();
  /** The status, and the round trips: the first one, and those that may be answered only after the answer. */
  const send = async (path: string, headers: Record<string, string>, method: string, body?: object) => {
    const answered = Promise.withResolvers<void>();
    let calls = 0;
    const counted = interceptDatabase(database, (_, call) => {
      calls += 1;
      return calls === 1 ? call() : answered.promise.then(call);
    });
    const json = body && { "Content-Type": "application/json" };
    const init = { method, headers: { ...headers, ...json }, body: body ? JSON.stringify(body) : null };
    const bindings = { ...env, [bindingOf(bank.id)]: counted };
    const { status } = await isolate.request(path, init, bindings, answered.resolve);
    return [status, calls];
  };
  const asTenant = { "X-API-Key": tenant.text };
  const path = `/tenant/ideabanks/${bank.id}/proposals/${proposal}`;
  expect(await send(`/ideabank/proposals/${proposal}/vote`, { Authorization: robin.token }, "PUT")).toEqual([200, 1]);
  expect(await send(path, asTenant, "GET")).toEqual([200, 1]);
  // Claimed, read, recorded.
  expect(await send(path, asTenant, "PATCH", { status: "planned" })).toEqual([200, 1 + 3]);
  await database.prepare("DELETE FROM webhooks").run();
  expect(await send(path, asTenant, "PATCH", { status: "implemented" })).toEqual([200, 1]);
});

it("what fails is tried again by the job, later each time, always with the same webhook-id; what comes after it waits", {
  tags: "slow",
}, async () => {
  const { propose, receiver, pass, job, stored, types } = await createWebhookScene(() => 500);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const waits: number[] = [];
  await propose();
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440, 1_440];
  for (const [failures, wait] of minutes.slice(0, 8).entries()) {
    const { due_at, failing_since, attempts } = await stored();
    expect(attempts).toBe(failures + 1);
    waits.push(((due_at ?? 0) - Date.now()) / 60_000);
    expect(failing_since).not.toBeNull();
    if (failures === 0) await propose();
    await job();
    expect(receiver.seen).toHaveLength(failures + 1);
    await pass(wait * 60_000);
    await job();
    expect(receiver.seen).toHaveLength(failures + 2);
  }
  for (const [index, wait] of waits.entries()) expect(Math.abs(wait - (minutes[index] ?? 0))).toBeLessThan(3);
  expect(new Set(receiver.seen.map(({ id }) => id)).size).toBe(1);
  receiver.react = () => 200;
  await pass(DAY);
  await job();
  expect(types()).toEqual(["proposal.created", "proposal.created"]);
  expect(await stored()).toMatchObject({ attempts: 0, failing_since: null, due_at: null });
});

it("a receiver is called by its name at each attempt, which decides anew what the name is; a changed URL from the next one on", {
  tags: "slow",
}, async () => {
  const { propose, receiver, pass, job, database, id } = await createWebhookScene(() => 500);
  await propose();
  await pass(HOUR);
  await job();
  await database.prepare("UPDATE webhooks SET url = 'https://other.example/' WHERE id = ?1").bind(id).run();
  await pass(HOUR);
  await job();
  const name = "https://receiver.example/hook";
  expect(receiver.seen.map(({ url }) => url)).toEqual([name, name, "https://other.example/"]);
});

it("is down for four days, and then gets everything, in order", { tags: "slow" }, async () => {
  const { propose, manage, receiver, pass, job, stored, types } = await createWebhookScene(() => ({
    status: null,
    retryAfter: null,
  }));
  const proposal = await propose();
  await manage("PATCH", `/proposals/${proposal}`, { status: "planned" });
  for (let days = 0; days < 4; days++) {
    await pass(DAY);
    await job();
  }
  expect((await stored()).state).toBe("active");
  await manage("DELETE", `/proposals/${proposal}`);
  receiver.react = () => 200;
  await pass(2 * DAY);
  await job();
  expect(types()).toEqual(["proposal.created", "proposal.status-changed", "proposal.deleted"]);
  expect(receiver.taken.map(({ body }) => body.proposal)).toEqual([null, null, null]);
});

it("is paused after five days of failure, and the place stays", { tags: "slow" }, async () => {
  const { propose, receiver, pass, job, stored, newest } = await createWebhookScene(() => 503);
  const before = await newest();
  await propose();
  await pass(5 * DAY - HOUR);
  await job();
  expect((await stored()).state).toBe("active");
  await pass(2 * DAY);
  await job();
  expect(await stored()).toMatchObject({ state: "failed", due_at: null, number: before, claimed_until: 0 });
  const attempts = receiver.seen.length;
  await propose();
  await pass(DAY);
  await job();
  expect(receiver.seen).toHaveLength(attempts);
});

it("ends at 410", { tags: "slow" }, async () => {
  const { propose, receiver, pass, job, stored } = await createWebhookScene(() => 410);
  await propose();
  expect(await stored()).toMatchObject({ state: "ended", due_at: null });
  await propose();
  await pass(DAY);
  await job();
  expect(receiver.seen).toHaveLength(1);
});

it.each([
  ["seconds", "3600", HOUR],
  ["a date", () => new Date(Date.now() + HOUR).toUTCString(), HOUR],
  ["more than a day", "999999999", DAY],
  ["less than the schedule", "1", 5_000],
  ["nonsense", "soon", 5_000],
])("Retry-After is respected within bounds: %s", async (_, retryAfter, expected) => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const value = typeof retryAfter === "string" ? retryAfter : retryAfter();
  const { propose, stored } = await createWebhookScene(() => ({ status: 429, retryAfter: value }));
  await propose();
  const { due_at } = await stored();
  const wait = (due_at ?? 0) - Date.now();
  expect(wait).toBeLessThanOrEqual(expected + 1_000);
  expect(wait).toBeGreaterThan(expected - 180_000);
});

it("a redirect and a refusal are failures: only 2xx delivers", { tags: "slow" }, async () => {
  for (const status of [100, 199, 301, 302, 307, 400, 401, 404, 499, 599]) {
    const { propose, stored, newest } = await createWebhookScene(() => status);
    const before = await newest();
    await propose();
    expect(await stored()).toMatchObject({ number: before, attempts: 1 });
  }
});

it("fails for one change and not for the next: the next waits, until the owner skips the one", {
  tags: "slow",
}, async () => {
  const { propose, receiver, pass, job, types, database, id } = await createWebhookScene(({ body }) =>
    body.proposal?.title === "Bad" ? 500 : 200,
  );
  await propose({ title: "Bad" });
  await propose({ title: "Good" });
  await pass(DAY);
  await job();
  expect(receiver.taken).toEqual([]);
  await database.prepare("UPDATE webhooks SET number = number + 1, attempts = 0 WHERE id = ?1").bind(id).run();
  await pass(DAY);
  await job();
  expect(types()).toEqual(["proposal.created"]);
  expect(receiver.taken[0]?.body.proposal?.title).toBe("Good");
});

it("only the types that it asks for are delivered, and it passes the others over", { tags: "slow" }, async () => {
  const scene = await createWebhookScene(undefined, { types: ["proposal.status-changed"] });
  const { propose, manage, types, stored, newest, database, accountId, job } = scene;
  const proposal = await propose();
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null });
  await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
       SELECT ?1, ?2 + i, 'panelist.updated', 'p', 'tenant', 1 FROM n`,
    )
    .bind(accountId, await newest())
    .run();
  await manage("PATCH", `/proposals/${proposal}`, { status: "planned" });
  await job();
  expect(types()).toEqual(["proposal.status-changed"]);
  expect(await stored()).toMatchObject({ number: await newest(), due_at: null, missed: 0 });
});

it("a change that is made while a delivery is under way is delivered after it, by the same isolate", async () => {
  const scene = await createWebhookScene();
  const { propose, receiver, types } = scene;
  const once: Reaction = async ({ body }) => {
    receiver.react = () => 200;
    if (body.type === "proposal.created") await propose({ title: "Second" });
    return 200;
  };
  receiver.react = once;
  await propose({ title: "First" });
  expect(types()).toEqual(["proposal.created", "proposal.created"]);
  expect(receiver.taken.map(({ body }) => body.proposal?.title)).toEqual(["First", "Second"]);
});

it("changes that the log has no more are counted, and it goes on from the oldest", { tags: "slow" }, async () => {
  const { propose, receiver, database, accountId, newest, pass, job, stored } = await createWebhookScene(() => 500);
  await propose();
  await propose();
  await propose({ title: "Kept" });
  await database
    .prepare("DELETE FROM change_log WHERE account_id = ?1 AND number < ?2")
    .bind(accountId, await newest())
    .run();
  receiver.react = () => 200;
  await pass(HOUR);
  await job();
  expect(receiver.taken.map(({ body }) => body.proposal?.title)).toEqual(["Kept"]);
  expect(await stored()).toMatchObject({ missed: 2, number: await newest() });
});

it("a suspended account delivers nothing; it goes on when it is active again", { tags: "slow" }, async () => {
  const { propose, receiver, database, accountId, pass, job, types } = await createWebhookScene(() => 500);
  await propose();
  receiver.seen.length = 0;
  receiver.react = () => 200;
  const set = (status: string) =>
    database.prepare("UPDATE accounts SET status = ?2 WHERE id = ?1").bind(accountId, status).run();
  await set("suspended");
  await pass(HOUR);
  await job();
  await job();
  expect(receiver.seen).toEqual([]);
  await set("active");
  await pass(11 * 60_000);
  await job();
  expect(types()).toEqual(["proposal.created"]);
});

it("keeps the last 20 attempts", { tags: "slow" }, async () => {
  const { propose, stored } = await createWebhookScene();
  for (let more = 0; more < 22; more++) await propose();
  const recent = JSON.parse((await stored()).recent) as { id: string; status: number; type: string; at: number }[];
  expect(recent).toHaveLength(20);
  expect(recent[0]).toMatchObject({ status: 204, type: "proposal.created" });
  expect(new Set(recent.map(({ id }) => id)).size).toBe(20);
  expect(recent.map(({ at }) => at)).toEqual(recent.map(({ at }) => at).toSorted((one, other) => other - one));
});

it("a webhook in a domain that OWN_ZONES names later gets nothing, neither after an answer nor by the job", {
  tags: "slow",
}, async () => {
  const { tenant, bank, isolate, receiver, pass, stored } = await createWebhookScene();
  const guarded = { ...env, OWN_ZONES: "*.receiver.example" };
  const headers = { "X-API-Key": tenant.text, "Content-Type": "application/json" };
  const body = JSON.stringify({ title: "An idea" });
  const path = `/tenant/ideabanks/${bank.id}/proposals`;
  expect((await isolate.request(path, { method: "POST", headers, body }, guarded)).status).toBe(201);
  expect([receiver.seen, (await stored()).attempts]).toEqual([[], 1]);
  await pass(DAY);
  await runJob(guarded, Date.now, receiver.send);
  expect([receiver.seen, (await stored()).attempts]).toEqual([[], 2]);
});
