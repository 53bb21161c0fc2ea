/**
 * The credentials of an owner who was signed in by the platform's own server: a link that is good once, and the cookie that it leads to.
 *
 *     ibl_ IIIIIIIIIIII GGGGGGGGGGGGGGGGG      the link: id of the sign-in (12), tag (17 digits, 101 bits)
 *     ibo_ IIIIIIIIIIII GGGGGGGGGGGGGGGGG      the cookie: the same id, another tag
 *
 * So a person who created or has seen a link does not know the cookie, and nobody can plant a cookie that this deployment did not sign.
 */
import { constantTimeEqual } from "./constant-time-equal.ts";
import {
  computeTag,
  defineEnvelope,
  type EnvelopeKind,
  type SigningKeys,
  signEnvelope,
  verifyEnvelope,
} from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const TAG_WIDTH = 17;
export const SIGN_IN_LINK = defineEnvelope("ibl", ID_WIDTH, TAG_WIDTH);
export const SIGN_IN_COOKIE = defineEnvelope("ibo", ID_WIDTH, TAG_WIDTH);

/** `context` is signed, too: the subject of a link that asks for a code first. */
export const signSignIn = (kind: EnvelopeKind, id: string, keys: SigningKeys, context?: string): Promise<string> =>
  signEnvelope(kind, { body: id, keys, context });

/** The id of the sign-in; undefined for a text that this deployment did not sign as this kind. */
export async function verifySignIn(
  kind: EnvelopeKind,
  text: string,
  keys: SigningKeys,
  context?: string,
): Promise<string | undefined> {
  const verified = await verifyEnvelope(kind, { text, keys, context });
  return verified.ok ? verified.value : undefined;
}

const CODE_WIDTH = 12;

/** The sign-in that a code is for, and the subject that gets the address. */
type CodeOf = { readonly id: string; readonly subject: string };

const computeCode = async ({ id, subject }: CodeOf, key: CryptoKey): Promise<string> =>
  (await computeTag(CODE_WIDTH, `code ${id} ${subject}`, key)).toLowerCase();

/** The code of an e-mail: whoever knows it reads the e-mail of the address. 12 letters and digits in groups, at least 60 bits. */
export const addressCode = async (of: CodeOf, keys: SigningKeys): Promise<string> =>
  (await computeCode(of, keys[0])).replace(/(.{4})(?=.)/g, "$1-");

export async function isAddressCode(text: string, of: CodeOf, keys: SigningKeys): Promise<boolean> {
  const typed = text.toLowerCase().replace(/[^0-9a-z]/g, "");
  for (const key of keys) if (constantTimeEqual(typed, await computeCode(of, key))) return true;
  return false;
}
