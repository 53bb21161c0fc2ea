/**
 * Credentials in a text that a client sent and that is logged, stored beside something else, or shown to others: request ids, user
 * agents, names, places of leaks. A client that uses the wrong field must not write its credential there. This decides for all of them,
 * in time that grows with the length of the text: no pattern begins again within what it has read.
 */

/**
 * Every kind but signed tokens, also cut off: API keys, tokens, signing secrets, sign-in links, sessions of owners, secrets of webhooks.
 * The first characters after the prefix are an identifier, which is no secret.
 */
const KINDS = /(ib[klostv]_|whsec_)[\w+/-]{8,}=*/g;

/** Parts with dots between them, of which signed tokens are some. */
const DOTTED = /(?<![\w-])[\w-]+(?:\.[\w-]*)+/g;
/** The least lengths of a signed token's head after `eyJ`, and of its claims. */
const SIGNED = { prefix: "eyJ", head: 5, claims: 8 };

/** Also of a token that is cut off in its claims or its signature. The head is no secret. */
function hideSigned(dotted: string): string {
  const parts = dotted.split(".");
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [part = "", claims = ""] = parts.slice(at, at + 2);
    const end = part.indexOf(SIGNED.prefix) + SIGNED.prefix.length;
    const isSigned = part.includes(SIGNED.prefix) && part.length - end >= SIGNED.head && claims.length >= SIGNED.claims;
    shown.push(isSigned ? `${part.slice(0, end)}…` : part);
    if (isSigned) at += 2;
  }
  return shown.join(".");
}

/** The text, with `…` instead of each credential. `operatorSecret` has no recognizable format. */
export function hideCredentials(text: string, operatorSecret: string | undefined): string {
  const hidden = text.replace(DOTTED, hideSigned).replace(KINDS, (_, prefix: string) => `${prefix}…`);
  return operatorSecret ? hidden.replaceAll(operatorSecret, "…") : hidden;
}

export const hasCredential = (text: string, operatorSecret?: string): boolean =>
  hideCredentials(text, operatorSecret) !== text;

/** So many characters of what must not be shown are enough to recognize it. */
const RECOGNIZED = 128;

/**
 * The first `length` characters of what `hide` leaves of a text. Not all of the text is read: only so much more that nothing is shown of
 * a credential through which that cut goes.
 */
export function hiddenBeginning(
  text: string,
  {
    length,
    operatorSecret,
    hide = (beginning) => hideCredentials(beginning, operatorSecret),
  }: {
    readonly length: number;
    readonly operatorSecret?: string | undefined;
    readonly hide?: (beginning: string) => string;
  },
): string {
  const margin = Math.max(RECOGNIZED, operatorSecret?.length ?? 0);
  if (text.length <= length + margin) return hide(text).slice(0, length);
  const hidden = hide(text.slice(0, length + margin));
  return hidden.slice(0, Math.max(0, Math.min(length, hidden.length - margin)));
}
