/**
 * Cursors: where a list goes on, signed together with the list's path, so that a changed or misplaced one is told from ours.
 *
 *     ibc_ TTTTTTTT IIIIIIIIIIII GGGGGGGG      created at (8 digits, Unix milliseconds), id (12), tag (8)
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { defineEnvelope, type SigningKeys, seal, unseal } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const TIME_WIDTH = 8;
export const CURSOR = defineEnvelope("ibc", TIME_WIDTH + ID_WIDTH, 8);

/** After the row that was created at `createdAt` (Unix milliseconds), ties by id. */
export type Position = { readonly createdAt: number; readonly id: string };

export const sealCursor = ({ createdAt, id }: Position, path: string, keys: SigningKeys): Promise<string> =>
  seal(CURSOR, encodeBase62(createdAt, TIME_WIDTH) + id, keys, path);

/** Undefined for a cursor that this deployment did not make for this list. */
export async function openCursor(text: string, path: string, keys: SigningKeys): Promise<Position | undefined> {
  const unsealed = await unseal(CURSOR, text, keys, path);
  if (!unsealed.ok) return undefined;
  return { createdAt: decodeBase62(unsealed.value.slice(0, TIME_WIDTH)), id: unsealed.value.slice(TIME_WIDTH) };
}
