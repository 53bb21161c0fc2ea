/**
 * API keys: they identify the tenant.
 *
 *     ibk_ KKKKKKKKKKKK SSSSSSSSSSSSSSSSSSSSSSSSSSS TTTTTTTT      51 characters
 *          │            │                           └ tag       8 digits, 47 bits
 *          │            └ secret                               27 digits, 160 random bits
 *          └ key id, the `apiKeyId` of the API                 12 digits, the first names its database
 *
 * A wrong tag refuses a key without I/O. The secret authenticates the tenant: D1 keeps its SHA-256.
 */
import { type RandomBytes, randomBase62 } from "./base62.ts";
import { findAlike } from "./decodings.ts";
import { defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH, type Identifier } from "./id.ts";
import { ok, type Result, refuse } from "./result.ts";

const SECRET_WIDTH = 27;

export const API_KEY = defineEnvelope("ibk", ID_WIDTH + SECRET_WIDTH, 8);

/** A key with a correct tag. Its secret is checked later: `secretHash` is compared with the key's record. */
export type ApiKeyCredential = { readonly id: Identifier; readonly text: string; readonly secretHash: string };

export type ApiKeyRefusal = "missing" | "malformed" | "forged";

/** Makes the key `id`, or a new secret for it. `text` is shown to its owner once; only `secretHash` is stored. */
export async function createApiKey(keys: SigningKeys, random: RandomBytes, id: Identifier): Promise<ApiKeyCredential> {
  const text = await signEnvelope(API_KEY, { body: id + randomBase62(SECRET_WIDTH, random), keys });
  return { id, text, secretHash: await hashSecret(text) };
}

/** In a text, the tags of at most this many candidates are computed. This bounds the work that a client can cause. */
const MAX_LOOKED_AT = 200;

/** The keys in a text and its decodings, whatever stands around them. Only those with a correct tag. */
export async function findApiKeys(texts: readonly string[], keys: SigningKeys): Promise<string[]> {
  const found = findAlike(texts, API_KEY.within, MAX_LOOKED_AT);
  const verified = await Promise.all(
    found.map(async (each) => (await verifyEnvelope(API_KEY, { text: each, keys })).ok),
  );
  return found.filter((_, index) => verified[index]);
}

/** Whether a whole key has this id. Checks neither secret nor tag. */
export const isKeyOf = (text: string, id: string): boolean => text.startsWith(`${API_KEY.prefix}_${id}`);

/** Checks the tag of a presented key. No I/O. */
export async function verifyApiKey(
  text: string | undefined,
  keys: SigningKeys,
): Promise<Result<ApiKeyCredential, ApiKeyRefusal>> {
  if (!text) return refuse("missing");
  const verified = await verifyEnvelope(API_KEY, { text, keys });
  if (!verified.ok) return verified;
  return ok({ id: verified.value.slice(0, ID_WIDTH) as Identifier, text, secretHash: await hashSecret(text) });
}

/** The hex SHA-256 of a whole key, or another secret. Plain SHA-256 is enough: 160 random bits cannot be guessed. */
export async function hashSecret(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
