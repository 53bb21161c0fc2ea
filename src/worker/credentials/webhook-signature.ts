/** The secret of a webhook, and the signatures of its deliveries: Standard Webhooks 1.0, https://www.standardwebhooks.com */
import type { RandomBytes } from "./base62.ts";

const PREFIX = "whsec_";
/** 192 bits: the least that the specification allows, and 32 characters without padding. */
const SECRET_BYTES = 24;

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

export const createWebhookSecret = (random: RandomBytes): string => PREFIX + toBase64(random(SECRET_BYTES));

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
