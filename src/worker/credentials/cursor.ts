/**
 * Cursors: where a list continues. Signed together with the account or the idea bank, the list's path, sort and filters, so that a
 * changed cursor, or the cursor of another list, is refused.
 *
 *     ibc_ KKKKKKKK IIIIIIIIIIII GGGGGGGG      sort key (8 digits), id (12), tag (8)
 *
 * A list that does not show the identifiers of its rows seals its cursors: the same position, encrypted with AES-GCM.
 *
 *     ibc_ …      in base64url: a nonce of 12 bytes, then 20 encrypted bytes and their tag of 16
 *
 * The nonce is a keyed hash of what is encrypted, so a position has one cursor, and a page that shows it is the same for everybody.
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { computeHmac, defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const KEY_WIDTH = 8;
export const CURSOR = defineEnvelope("ibc", KEY_WIDTH + ID_WIDTH, 8);
export const SEALED_CURSOR = /^ibc_([\w-]{64})$/;
const NONCE_BYTES = 12;

/** The position after the row with this sort key (an integer below 62^8: Unix milliseconds or a count); equal keys are sorted by id. */
export type Position = { readonly key: number; readonly id: string };

const toBody = ({ key, id }: Position): string => encodeBase62(key, KEY_WIDTH) + id;
const toPosition = (body: string): Position => ({
  key: decodeBase62(body.slice(0, KEY_WIDTH)),
  id: body.slice(KEY_WIDTH),
});

/** `list` identifies the list: whose it is, its path, sort and filters. */
export const signCursor = (position: Position, list: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(CURSOR, { body: toBody(position), keys, context: list });

/** The same, of a list whose rows stay unnamed. */
export async function sealCursor(position: Position, list: string, [key]: SigningKeys): Promise<string> {
  const body = toBody(position);
  const nonce = new Uint8Array(await computeHmac(key, `nonce ${body} ${list}`), 0, NONCE_BYTES);
  const encoded = new TextEncoder().encode(body);
  const sealed = await crypto.subtle.encrypt(algorithmOf(nonce, list), await sealingKey(key), encoded);
  const text = btoa(String.fromCharCode(...nonce, ...new Uint8Array(sealed)));
  return `ibc_${text.replaceAll("+", "-").replaceAll("/", "_")}`;
}

/** Undefined for a cursor that this deployment did not make for this list. */
export async function verifyCursor(text: string, list: string, keys: SigningKeys): Promise<Position | undefined> {
  const [, sealed] = SEALED_CURSOR.exec(text) ?? [];
  if (sealed !== undefined) return openSealed(sealed, list, keys);
  const verified = await verifyEnvelope(CURSOR, { text, keys, context: list });
  return verified.ok ? toPosition(verified.value) : undefined;
}

async function openSealed(text: string, list: string, keys: SigningKeys): Promise<Position | undefined> {
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  const algorithm = algorithmOf(bytes.subarray(0, NONCE_BYTES), list);
  for (const key of keys) {
    try {
      const body = await crypto.subtle.decrypt(algorithm, await sealingKey(key), bytes.subarray(NONCE_BYTES));
      return toPosition(new TextDecoder().decode(body));
    } catch {
      // Sealed with another key, or for another list.
    }
  }
  return undefined;
}

const algorithmOf = (iv: Uint8Array<ArrayBuffer>, list: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(list),
});

/** Nothing else that is signed is this text. */
const sealingKey = async (key: CryptoKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", await computeHmac(key, "sealed cursors"), "AES-GCM", false, ["encrypt", "decrypt"]);
