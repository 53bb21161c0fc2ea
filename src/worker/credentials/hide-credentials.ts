/**
 * Credentials in a text that a client sent and that is logged, stored beside something else, or shown to others: request ids, user
 * agents, names, places of leaks. A client that uses the wrong field must not write its credential there. This decides for all of them.
 */

/**
 * Every kind, also cut off: API keys, tokens, signing secrets, sign-in links, sessions of owners, secrets of webhooks, and signed tokens.
 * The first characters after the prefix are an identifier, which is no secret.
 */
const KINDS = /(ib[klostv]_|whsec_)[\w+/-]{8,}=*|(eyJ)[\w-]{5,}\.[\w-]{8,}(?:\.[\w-]*)?/g;

/** The text, with `…` instead of each credential. `operatorSecret` has no recognizable format. */
export function hideCredentials(text: string, operatorSecret: string | undefined): string {
  const hidden = text.replace(
    KINDS,
    (_, prefix: string | undefined, signed: string | undefined) => `${prefix ?? signed}…`,
  );
  return operatorSecret ? hidden.replaceAll(operatorSecret, "…") : hidden;
}

export const hasCredential = (text: string, operatorSecret?: string): boolean =>
  hideCredentials(text, operatorSecret) !== text;
