/**
 * What somebody holds who signs in on a board's page: the handle of the browser, the code from the e-mail, the time at which the form was
 * opened, and the state of a sign-in elsewhere.
 *
 * A code is six digits, so it is worth nothing without the handle of the browser that asked for it, which is in a cookie that no script
 * reads. What is stored of both, of the mailbox and of the sender are hashes.
 */
import { decodeBase62, digestToBase62, encodeBase62, type RandomBytes, randomBase62 } from "./base62.ts";
import { constantTimeEqual } from "./constant-time-equal.ts";
import { computeTag, defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";

/** 131 bits. */
const RANDOM_WIDTH = 22;
const TAG_WIDTH = 17;

/** The name of a browser that begins to sign in, or of one sign-in elsewhere. */
export const createHandle = (random: RandomBytes): string => randomBase62(RANDOM_WIDTH, random);

const HANDLE = /^[0-9A-Za-z]{22}$/;
export const isHandle = (text: string): boolean => HANDLE.test(text);

/** What is stored of a handle: it has enough bits, so it needs no key, and outlives a rotation of the deployment's secrets. */
export async function hashHandle(handle: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`handle ${handle}`));
  return digestToBase62(digest, TAG_WIDTH);
}

/** Says that this browser has signed in with this mailbox before. Strangers who ask for codes for it do not count against it. */
export const proveMailbox = (handle: string, mailbox: string, [newest]: SigningKeys): Promise<string> =>
  computeTag(TAG_WIDTH, `mailbox of ${handle} ${mailbox}`, newest);

export async function hasProvenMailbox(
  proof: string,
  { handle, mailbox, keys }: { readonly handle: string; readonly mailbox: string; readonly keys: SigningKeys },
): Promise<boolean> {
  for (const key of keys)
    if (constantTimeEqual(proof, await computeTag(TAG_WIDTH, `mailbox of ${handle} ${mailbox}`, key))) return true;
  return false;
}

/** What is stored of a mailbox or of a sender, to count by it. A rotation of the deployment's secrets begins the counts anew. */
export const hashCounted = (kind: "mailbox" | "sender", text: string, [newest]: SigningKeys): Promise<string> =>
  computeTag(TAG_WIDTH, `${kind} ${text}`, newest);

const CODES = 1_000_000;
/** The largest multiple of CODES that four bytes hold: numbers from there on are discarded, or small codes would be more likely. */
const UNBIASED = Math.floor(2 ** 32 / CODES) * CODES;

/** Six digits, each code as likely as any other. */
export function createCode(random: RandomBytes): string {
  for (;;) {
    const number = new DataView(Uint8Array.from(random(4)).buffer).getUint32(0);
    if (number < UNBIASED) return String(number % CODES).padStart(6, "0");
  }
}

/** The digits that a person may type: of any script, with spaces and dashes between them. Undefined for any other text. */
export function readCode(typed: string): string | undefined {
  if (typed.length > 40) return undefined;
  const digits = [...typed.normalize("NFKC")]
    .filter((each) => !/[\s\p{Pd}\p{DI}.]/u.test(each))
    .map((each) => (/\p{Nd}/u.test(each) ? String(digitOf(each)) : each))
    .join("");
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/** Unicode has the ten digits of a script in a row, beginning with its zero. */
function digitOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return point - zero;
}

/** The row that a code belongs to: `id` is the row's, `browser` the hash of its handle. */
type CodeOf = { readonly id: string; readonly browser: string };

const tagOf = ({ id, browser }: CodeOf, code: string, key: CryptoKey): Promise<string> =>
  computeTag(TAG_WIDTH, `page code ${id} ${browser} ${code}`, key);

/** What is stored of a code. Without the deployment's secrets nobody can try the million codes against it. */
export const hashCode = (of: CodeOf, code: string, [newest]: SigningKeys): Promise<string> => tagOf(of, code, newest);

export async function isCode(
  typed: string,
  { hash, keys, ...of }: CodeOf & { readonly hash: string; readonly keys: SigningKeys },
): Promise<boolean> {
  for (const key of keys) if (constantTimeEqual(hash, await tagOf(of, typed, key))) return true;
  return false;
}

/**
 *     ibw_ TTTTTTT GGGGGGGG      when the form was opened: Unix milliseconds (7), tag (8)
 */
const FORM_OPENED = defineEnvelope("ibw", 7, 8);

/** For a form of this board: no other board's form takes it. */
export const signOpened = (at: number, ideaBankId: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(FORM_OPENED, { body: encodeBase62(at, FORM_OPENED.bodyWidth), keys, context: ideaBankId });

/** Unix milliseconds; undefined for a text that this deployment did not sign for this board. */
export async function verifyOpened(text: string, ideaBankId: string, keys: SigningKeys): Promise<number | undefined> {
  const verified = await verifyEnvelope(FORM_OPENED, { text, keys, context: ideaBankId });
  return verified.ok ? decodeBase62(verified.value) : undefined;
}
