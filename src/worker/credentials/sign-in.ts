/**
 * The credentials of an owner who was signed in by the platform's own server: a link that is good once, and the cookie that it leads to.
 *
 *     ibl_ IIIIIIIIIIII GGGGGGGGGGGGGGGGG      the link: id of the sign-in (12), tag (17 digits, 101 bits)
 *     ibo_ IIIIIIIIIIII GGGGGGGGGGGGGGGGG      the cookie: the same id, another tag
 *
 * So a person who created or has seen a link does not know the cookie, and nobody can plant a cookie that this deployment did not sign.
 */
import { defineEnvelope, type EnvelopeKind, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH } from "./id.ts";

const TAG_WIDTH = 17;
export const SIGN_IN_LINK = defineEnvelope("ibl", ID_WIDTH, TAG_WIDTH);
export const SIGN_IN_COOKIE = defineEnvelope("ibo", ID_WIDTH, TAG_WIDTH);

export const signSignIn = (kind: EnvelopeKind, id: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(kind, { body: id, keys });

/** The id of the sign-in; undefined for a text that this deployment did not sign as this kind. */
export async function verifySignIn(kind: EnvelopeKind, text: string, keys: SigningKeys): Promise<string | undefined> {
  const verified = await verifyEnvelope(kind, { text, keys });
  return verified.ok ? verified.value : undefined;
}
