/**
 * A form's hidden field: the identifier of what the form will create. It is chosen when the form is shown, so a form that is sent twice
 * creates one thing. It is signed for the owner who saw the form: no other identifier is accepted, whether it exists or not.
 *
 *     ibf_ IIIIIIIIIIII GGGGGGGG      id (12), tag (8)
 */
import { defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { ID_WIDTH, type Identifier } from "./id.ts";

const FORM_ID = defineEnvelope("ibf", ID_WIDTH, 8);

export const signFormId = (id: string, owner: string, keys: SigningKeys): Promise<string> =>
  signEnvelope(FORM_ID, { body: id, keys, context: owner });

/** Undefined for a text that this deployment did not sign for this owner. */
export async function verifyFormId(text: string, owner: string, keys: SigningKeys): Promise<Identifier | undefined> {
  const verified = await verifyEnvelope(FORM_ID, { text, keys, context: owner });
  return verified.ok ? (verified.value as Identifier) : undefined;
}
