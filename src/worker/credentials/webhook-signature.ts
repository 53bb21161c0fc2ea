/**
 * The secret of a webhook, and the signatures of its deliveries: Standard Webhooks 1.0, https://www.standardwebhooks.com
 *
 *     whsec_ RRRRRRRRRRRRRRRRRRRRRRRR GGGGGGGG      random (24 characters, 144 bits), tag (8 characters, 48 bits); both are base64
 *
 * The key is the 24 bytes of both, the least that the specification allows. Secrets that 1.1.0 made are as long, and have no tag.
 */
import type { RandomBytes } from "./base62.ts";
import { constantTimeEqual } from "./constant-time-equal.ts";
import { computeHmac, type SigningKeys } from "./envelope.ts";

const PREFIX = "whsec_";
const RANDOM_BYTES = 18;
const TAG_BYTES = 6;
const TAG_WIDTH = 8;

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const tagOf = async (text: string, key: CryptoKey): Promise<string> =>
  toBase64(new Uint8Array(await computeHmac(key, text), 0, TAG_BYTES));

export async function createWebhookSecret(random: RandomBytes, [newest]: SigningKeys): Promise<string> {
  const text = PREFIX + toBase64(random(RANDOM_BYTES));
  return text + (await tagOf(text, newest));
}

/** Whether one of the keys has made it. So a text that somebody made up is known without I/O. */
export async function isTaggedWebhookSecret(secret: string, keys: SigningKeys): Promise<boolean> {
  const text = secret.slice(0, -TAG_WIDTH);
  const tags = await Promise.all(keys.map((key) => tagOf(text, key)));
  return tags.some((tag) => constantTimeEqual(secret, text + tag));
}

const encoder = new TextEncoder();

/** The three headers of a delivery. `seconds` is its time, in Unix seconds. More than one secret: during a rotation, each signs. */
export async function signWebhook(
  id: string,
  { seconds, body, secrets }: { readonly seconds: number; readonly body: string; readonly secrets: readonly string[] },
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const signed = encoder.encode(`${id}.${seconds}.${body}`);
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await computeSignature(secret, signed)}`));
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
}

async function computeSignature(secret: string, signed: BufferSource): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)));
}
