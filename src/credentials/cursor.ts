/**
 * Cursors: where a list goes on, signed together with the list's path, so that a changed or misplaced one is told from ours.
 *
 *     ibc_ TTTTTTTT IIIIIIIIIIII GGGGGGGG      created at (8 digits, Unix milliseconds), id (12), tag (8)
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const TIME_WIDTH = 8;
export const CURSOR = defineEnvelope("ibc", TIME_WIDTH + ID_WIDTH, 8);

/** After the row that was created at `createdAt` (Unix milliseconds), ties by id. */
export type Position = { readonly createdAt: number; readonly id: string };

export const signCursor = ({ createdAt, id }: Position, path: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(CURSOR, encodeBase62(createdAt, TIME_WIDTH) + id, keys, path);

/** Undefined for a cursor that this deployment did not make for this list. */
export async function verifyCursor(text: string, path: string, keys: SigningKeys): Promise<Position | undefined> {
  const verified = await verifyEnvelope(CURSOR, text, keys, path);
  if (!verified.ok) return undefined;
  return { createdAt: decodeBase62(verified.value.slice(0, TIME_WIDTH)), id: verified.value.slice(TIME_WIDTH) };
}
