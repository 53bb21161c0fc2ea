/** The secret of a webhook: one of Standard Webhooks, and known as ours without a look-up. */
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import {
  createWebhookSecret,
  isTaggedWebhookSecret,
  signWebhook,
} from "../../../src/worker/credentials/webhook-signature.ts";

const keys = await importSigningKeys([
  "the newest secret of a deployment, long enough",
  "the one before it, long enough",
]);
const others = await importSigningKeys(["the secret of another deployment, long enough"]);

it("has 24 bytes, as the specification wants, and verifies what it signs with the library", async () => {
  const secret = await createWebhookSecret(secureRandomBytes, keys);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  expect(atob(secret.slice(6))).toHaveLength(24);
  const body = '{"type":"webhook.test"}';
  const headers = await signWebhook("msg_1", { seconds: Math.floor(Date.now() / 1_000), body, secrets: [secret] });
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

it("is known by its tag, also after the deployment's secret was rotated, and no other is", async () => {
  const secret = await createWebhookSecret(secureRandomBytes, keys);
  const before = await createWebhookSecret(
    secureRandomBytes,
    await importSigningKeys(["the one before it, long enough"]),
  );
  for (const each of [secret, before]) expect(await isTaggedWebhookSecret(each, keys)).toBe(true);
  const changed = (at: number) => secret.slice(0, at) + (secret[at] === "A" ? "B" : "A") + secret.slice(at + 1);
  for (const each of [changed(6), changed(29), changed(30), changed(37), `whsec_${"A".repeat(32)}`, "whsec_", ""])
    expect(await isTaggedWebhookSecret(each, keys), each).toBe(false);
  expect(await isTaggedWebhookSecret(secret, others)).toBe(false);
});
