/** What an owner changes while deliveries are under way: the attempt under way ends as it began, and the next one is as the owner said. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";
import { createWebhookScene, SECRET } from "../../support/webhooks.ts";

const HOUR = 3_600_000;

async function ownerOf({ database, accountId }: { database: D1Database; accountId: string }) {
  const find = database.prepare("SELECT owner_email FROM accounts WHERE id = ?1").bind(accountId);
  return createOwner((await find.first<string>("owner_email")) ?? "", env);
}

/** Three changes wait. While the first is delivered, `edit` is done. */
async function deliverWhile(
  edit: (owner: ReturnType<typeof createOwner>, path: string, scene: Awaited<ReturnType<typeof waiting>>) => unknown,
) {
  const scene = await waiting();
  const { receiver, id, job, pass } = scene;
  const owner = await ownerOf(scene);
  receiver.react = async () => {
    receiver.react = () => 200;
    await edit(owner, `/webhooks/${id}`, scene);
    return 200;
  };
  await pass(HOUR);
  await job();
  return { ...scene, owner };
}

async function waiting() {
  const scene = await createWebhookScene(() => 500);
  const { propose, robin, receiver } = scene;
  const proposal = await propose();
  await robin.send("POST", `/ideabank/proposals/${proposal}/comments`, { body: "Yes." });
  await propose({ title: "Another" });
  receiver.seen.length = 0;
  return scene;
}

it("one that is paused sends nothing more, and goes on where it was", { tags: "slow" }, async () => {
  const { receiver, types, owner, id, job } = await deliverWhile(async (owner, path) => {
    expect((await owner.json("PATCH", path, { paused: true })).status).toBe(200);
  });
  expect(types()).toEqual(["proposal.created"]);
  await owner.json("PATCH", `/webhooks/${id}`, { paused: false });
  await job();
  expect(types()).toEqual(["proposal.created", "comment.created", "proposal.created"]);
  expect(receiver.seen).toHaveLength(3);
});

const ALL = ["proposal.created", "comment.created", "proposal.created"];
it.each([
  ["paused", "UPDATE webhooks SET state = 'paused', due_at = NULL WHERE id = ?1", [], undefined],
  ["given another URL", "UPDATE webhooks SET url = 'https://new.example/' WHERE id = ?1", ALL, "https://new.example/"],
  [
    "given other types",
    `UPDATE webhooks SET types = '["comment.created"]' WHERE id = ?1`,
    ["comment.created"],
    undefined,
  ],
  [
    "suspended with its account",
    "UPDATE accounts SET status = 'suspended' WHERE substr(id, 1, 1) = substr(?1, 1, 1)",
    [],
    undefined,
  ],
])("one that is %s between its claim and its first attempt is so at that attempt", async (_, edit, delivered, url) => {
  const { database, id, receiver, types, pass, deliver } = await waiting();
  receiver.react = () => 200;
  await pass(HOUR);
  let isChanged = false;
  const slow = interceptDatabase(database, async (_, makeCall) => {
    const answer = await makeCall();
    if (!isChanged) await database.prepare(edit).bind(id).run();
    isChanged = true;
    return answer;
  });
  await deliver(slow);
  expect(types()).toEqual(delivered);
  if (url !== undefined) expect(receiver.seen[0]?.url).toBe(url);
});

it("a changed URL is called from the next attempt on, and the old one no more", { tags: "slow" }, async () => {
  const { receiver } = await deliverWhile((owner, path) => owner.json("PATCH", path, { url: "https://new.example/" }));
  expect(receiver.seen.map(({ url }) => url)).toEqual([
    "https://receiver.example/hook",
    "https://new.example/",
    "https://new.example/",
  ]);
});

it.each([410, 500])(
  "what the old URL answers after the change says nothing of the new one: %s",
  { tags: "slow" },
  async (answer) => {
    const scene = await waiting();
    const { receiver, id, job, pass, stored, database } = scene;
    const owner = await ownerOf(scene);
    await database.prepare("UPDATE webhooks SET attempts = 7, failing_since = 1 WHERE id = ?1").bind(id).run();
    receiver.react = async () => {
      receiver.react = () => 200;
      await owner.json("PATCH", `/webhooks/${id}`, { url: "https://new.example/" });
      return answer;
    };
    await pass(24 * HOUR);
    await job();
    expect(receiver.seen.map(({ url }) => url)).toEqual(["https://receiver.example/hook"]);
    expect(await stored()).toMatchObject({ state: "active", attempts: 0, failing_since: null, claimed_until: 0 });
    await job();
    expect(receiver.taken.map(({ url }) => url)).toEqual(Array(3).fill("https://new.example/"));
  },
);

it("a new URL is called at once, with no failure behind it; the same URL again changes nothing", {
  tags: "slow",
}, async () => {
  const scene = await waiting();
  const { receiver, id, job, stored, database } = scene;
  const owner = await ownerOf(scene);
  await database
    .prepare("UPDATE webhooks SET attempts = 7, failing_since = 1, due_at = due_at + ?2 WHERE id = ?1")
    .bind(id, 20 * HOUR)
    .run();
  const before = await stored();
  await owner.json("PATCH", `/webhooks/${id}`, { url: "https://receiver.example/hook" });
  expect(await stored()).toEqual({ ...before, changed_at: expect.any(Number) });
  receiver.react = () => 500;
  await owner.json("PATCH", `/webhooks/${id}`, { url: "https://new.example/" });
  await job();
  expect(receiver.seen.map(({ url }) => url)).toEqual(["https://new.example/"]);
  expect(await stored()).toMatchObject({ state: "active", attempts: 1, number: before.number });
});

it.each(["paused", "failed", "ended"])(
  "a new URL alone does not start one that is %s",
  { tags: "slow" },
  async (state) => {
    const scene = await waiting();
    const { receiver, id, job, stored, database } = scene;
    const owner = await ownerOf(scene);
    await database.prepare("UPDATE webhooks SET state = ?2, due_at = NULL WHERE id = ?1").bind(id, state).run();
    await owner.json("PATCH", `/webhooks/${id}`, { url: "https://new.example/" });
    await job();
    expect(receiver.seen).toEqual([]);
    expect(await stored()).toMatchObject({ state, due_at: null });
  },
);

it("a type that is not asked for any more is not delivered any more", { tags: "slow" }, async () => {
  const { types } = await deliverWhile((owner, path) => owner.json("PATCH", path, { types: ["proposal.created"] }));
  expect(types()).toEqual(["proposal.created", "proposal.created"]);
});

it("a new secret signs from the next attempt on", { tags: "slow" }, async () => {
  const { receiver } = await deliverWhile(async (owner, path, { receiver }) => {
    const { secret } = await (await owner.json("POST", `${path}/rotate`)).json<{ secret: string }>();
    receiver.secrets = [SECRET, secret];
  });
  expect(receiver.taken).toHaveLength(3);
});

it("an account that is suspended sends nothing more", { tags: "slow" }, async () => {
  const { types } = await deliverWhile((_, __, { database, accountId }) =>
    database.prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?1").bind(accountId).run(),
  );
  expect(types()).toEqual(["proposal.created"]);
});

it("a change that fails is skipped, however many of other types come before it", { tags: "slow" }, async () => {
  const scene = await createWebhookScene(({ body }) => (body.proposal?.title === "Good" ? 200 : 500), {
    types: ["proposal.created"],
  });
  const { propose, robin, receiver, id, job, pass, stored } = scene;
  const owner = await ownerOf(scene);
  const first = await propose({ title: "Bad" });
  for (const body of ["One", "Two", "Three"])
    await robin.send("POST", `/ideabank/proposals/${first}/comments`, { body });
  await propose({ title: "Worse" });
  await propose({ title: "Good" });
  for (let skipped = 0; skipped < 2; skipped++) {
    expect((await owner.json("PUT", `/webhooks/${id}/place`, { to: "next" })).status).toBe(200);
    await pass(HOUR);
    await job();
  }
  expect(receiver.taken.map(({ body }) => body.proposal?.title)).toEqual(["Good"]);
  expect(await stored()).toMatchObject({ attempts: 0, missed: 0 });
});

it.each([500, 200])(
  "a type that is added while an attempt is under way is delivered from where the webhook was: %i",
  { tags: "slow" },
  async (status) => {
    const scene = await createWebhookScene(() => 200, { types: ["comment.created"] });
    const { propose, robin, receiver, job, id, pass } = scene;
    const owner = await ownerOf(scene);
    await owner.json("PATCH", `/webhooks/${id}`, { paused: true });
    const proposal = await propose();
    await robin.send("POST", `/ideabank/proposals/${proposal}/comments`, { body: "Yes." });
    await owner.json("PATCH", `/webhooks/${id}`, { paused: false });
    receiver.react = async () => {
      receiver.react = () => 200;
      await owner.json("PATCH", `/webhooks/${id}`, { types: null });
      return status;
    };
    await job();
    await pass(HOUR);
    await job();
    const types = receiver.seen.map(({ body }) => body.type);
    expect(types).toContain("proposal.created");
    expect(types.at(-1)).toBe("comment.created");
  },
);
