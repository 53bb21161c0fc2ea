/** Deliveries of webhooks, as Standard Webhooks 1.0 signs them. */
import type { Change } from "./tenant-types.ts";

/** A request that the API did not send, or that is too old. */
export class InvalidWebhook extends Error {
  override readonly name = "InvalidWebhook";
}

/** In seconds. An older delivery may have been recorded and sent again by somebody else. */
const TOLERANCE = 300;

type Delivery = {
  /** The text as it came: what is parsed and written again has another signature. */
  readonly body: string;
  /** A plain object's names may have any case: Node's are lower case, those of some platforms are not. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
};

/** The change, and its `id`, by which a delivery that comes again is known. Throws `InvalidWebhook`. */
export async function verifyWebhook(
  { body, headers }: Delivery,
  secret: string,
  now = Date.now(),
): Promise<{ readonly id: string; readonly change: Change }> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const read = (name: string) => String(entries.find(([each]) => each.toLowerCase() === name)?.[1] ?? "");
  const [id, timestamp] = [read("webhook-id"), read("webhook-timestamp")];
  if (!/^\d+$/.test(timestamp)) throw new InvalidWebhook("webhook-timestamp is missing, or is no number of seconds.");
  if (Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE)
    throw new InvalidWebhook("webhook-timestamp is more than five minutes from now. Is this server's clock right?");
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  // Anybody can sign with an empty secret.
  if (!bytes?.byteLength) throw new InvalidWebhook("The secret is empty or no base64. It begins with whsec_.");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // After a rotation there are two signatures. One that cannot be read is another's business.
  for (const signature of read("webhook-signature").split(" ")) {
    const [version, encoded = ""] = signature.split(",");
    const mac = bytesOf(encoded);
    if (version === "v1" && mac !== undefined && (await crypto.subtle.verify("HMAC", key, mac, signed)))
      return { id, change: JSON.parse(body) };
  }
  throw new InvalidWebhook("webhook-signature is not by this secret.");
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
