/** A webhook's test, as its owner asks for it: what sends none. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ShownWebhook } from "../../../src/worker/model/webhook.ts";
import { databaseOf } from "../../support/databases.ts";
import { createOwner } from "../../support/owner.ts";
import { createReceiver } from "../../support/webhooks.ts";

it("nothing is sent for a suspended account, and nothing is recorded", async () => {
  const receiver = createReceiver();
  const owner = createOwner(undefined, env, undefined, receiver.send);
  const made = await owner.json("POST", "/webhooks", { url: "https://crm.example.com/hooks" });
  const { webhook, secret } = await made.json<ShownWebhook>();
  receiver.secrets = [secret];
  const test = () => owner.json("POST", `/webhooks/${webhook.id}/test`);
  const become = (status: string) =>
    databaseOf(webhook.id).prepare("UPDATE accounts SET status = ?1").bind(status).run();
  await become("suspended");
  const refused = await test();
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: "conflict", detail: expect.stringContaining("suspended") },
  ]);
  expect([receiver.seen.length, (await owner.events()).length]).toEqual([0, 1]);
  await become("active");
  expect((await test()).status).toBe(200);
  expect(receiver.seen).toHaveLength(1);
});

it("of another owner's webhook there is none", async () => {
  const owner = createOwner();
  const made = await owner.json("POST", "/webhooks", { url: "https://crm.example.com/hooks" });
  const { webhook } = await made.json<ShownWebhook>();
  const other = createOwner("other@example.com");
  expect((await other.json("POST", `/webhooks/${webhook.id}/test`)).status).toBe(404);
});
