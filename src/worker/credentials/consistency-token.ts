/**
 * Consistency tokens: how far D1 had come when a write was answered. A request that sends one back is answered from what includes
 * that write, in any isolate.
 *
 *     ibw_ IIIIII BBBB… TTTTTTTTTTTTTTTTT      at most 147 characters
 *          │      │     └ tag        17 digits, 101 bits
 *          │      └ D1's bookmark    at most 120 characters
 *          └ issued at               6 digits, Unix seconds
 *
 * It is signed together with its subject, the idea bank or the panelist that was written to, and is ignored for any other. It proves
 * nothing about who sends it.
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { constantTimeEqual } from "./constant-time-equal.ts";
import { computeTag, type SigningKeys } from "./envelope.ts";

const PREFIX = "ibw_";
const TIME_WIDTH = 6;
const TAG_WIDTH = 17;
const PATTERN = /^ibw_[0-9A-Za-z]{6}[\w-]{1,120}[0-9A-Za-z]{17}$/;
const BOOKMARK = /^[\w-]{1,120}$/;

/** The lifetime of a token, in seconds. Long before its end every replica that is read has the write. */
const CONSISTENCY_SECONDS = 60;

/** `now` is in Unix seconds. Undefined for a bookmark that cannot be in a token. */
export async function signConsistencyToken(
  bookmark: string,
  { subject, now, keys }: { readonly subject: string; readonly now: number; readonly keys: SigningKeys },
): Promise<string | undefined> {
  if (!BOOKMARK.test(bookmark)) return undefined;
  const signed = PREFIX + encodeBase62(now, TIME_WIDTH) + bookmark;
  return signed + (await computeTag(TAG_WIDTH, signed + subject, keys[0]));
}

/** The bookmark; undefined for a token that is forged, malformed, too old, from the future, or of none of the subjects. */
export async function verifyConsistencyToken(
  text: string,
  { subjects, now, keys }: { readonly subjects: readonly string[]; readonly now: number; readonly keys: SigningKeys },
): Promise<string | undefined> {
  if (!PATTERN.test(text)) return undefined;
  const timeEnd = PREFIX.length + TIME_WIDTH;
  const age = now - decodeBase62(text.slice(PREFIX.length, timeEnd));
  if (age < -1 || age > CONSISTENCY_SECONDS) return undefined;
  const signed = text.slice(0, -TAG_WIDTH);
  const tag = text.slice(-TAG_WIDTH);
  for (const key of keys) {
    for (const subject of subjects) {
      if (constantTimeEqual(tag, await computeTag(TAG_WIDTH, signed + subject, key))) return signed.slice(timeEnd);
    }
  }
  return undefined;
}
