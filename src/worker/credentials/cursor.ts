/**
 * Cursors: where a list continues. Signed together with the account or the idea bank, the list's path, sort and filters, so that a
 * changed cursor, or the cursor of another list, is refused.
 *
 *     ibc_ KKKKKKKK IIIIIIIIIIII GGGGGGGG      sort key (8 digits), id (12), tag (8)
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const KEY_WIDTH = 8;
export const CURSOR = defineEnvelope("ibc", KEY_WIDTH + ID_WIDTH, 8);

/** The position after the row with this sort key (an integer below 62^8: Unix milliseconds or a count); equal keys are sorted by id. */
export type Position = { readonly key: number; readonly id: string };

/** `list` identifies the list: whose it is, its path, sort and filters. */
export const signCursor = ({ key, id }: Position, list: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(CURSOR, { body: encodeBase62(key, KEY_WIDTH) + id, keys, context: list });

/** Undefined for a cursor that this deployment did not make for this list. */
export async function verifyCursor(text: string, list: string, keys: SigningKeys): Promise<Position | undefined> {
  const verified = await verifyEnvelope(CURSOR, { text, keys, context: list });
  if (!verified.ok) return undefined;
  return { key: decodeBase62(verified.value.slice(0, KEY_WIDTH)), id: verified.value.slice(KEY_WIDTH) };
}
