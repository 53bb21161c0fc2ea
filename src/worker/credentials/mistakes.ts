/**
 * Mistakes in sending a credential that its syntax reveals. The sender may learn about them, because a credential that is sent
 * so is refused whether it is valid or not, and the answer is the same: nothing here knows a signature, a store or the time.
 */
import { API_KEY } from "./api-key.ts";
import { COMPOUND_TOKEN, VISITOR_TOKEN } from "./compound-token.ts";

export type Mistake =
  | "missing"
  | "in the wrong header"
  | "a placeholder"
  | "several"
  | "in quotes"
  | "after Bearer"
  | "of the other kind"
  | "not whole";

/**
 * Of the documents: `ibk_…` (also its UTF-8 read as Latin-1), the examples of /openapi.json, a variable of the shell in quotes that keep
 * it as it is, and a variable of JavaScript that was not set.
 */
const PLACEHOLDER = /…|â\u0080¦|^ib[kt]_(?:EXAMPLE){5}|^\$\w+$|^undefined$/;

const KEY = /^["']?ibk_/;
const TOKEN = /^["']?(?:ib[tv]_|eyJ)/;

const ENVELOPE = /^ib[ktv]_[0-9A-Za-z]*$/;
const WHOLE = [API_KEY, COMPOUND_TOKEN, VISITOR_TOKEN].map(({ pattern }) => pattern);
/** The beginning of a JWT: a part is missing, or the end of a signature, which has 43 characters. */
const BEGINNING_OF_JWT = /^eyJ[\w-]*(?:\.[\w-]*)?(?:\.[\w-]{0,42})?$/;

const isWhole = (text: string): boolean =>
  ENVELOPE.test(text) ? WHOLE.some((pattern) => pattern.test(text)) : !BEGINNING_OF_JWT.test(text);

function mistakeIn(text: string, otherKind: RegExp): Mistake | undefined {
  if (PLACEHOLDER.test(text)) return "a placeholder";
  if (text.includes(",")) return "several";
  if (/^(["'])[^"']*\1$/.test(text)) return "in quotes";
  if (/^Bearer\b/i.test(text)) return "after Bearer";
  if (otherKind.test(text)) return "of the other kind";
  return isWhole(text) ? undefined : "not whole";
}

const isIn = (header: string | null | undefined, kind: RegExp): boolean =>
  kind.test(header?.replace(/^Bearer +/i, "") ?? "");

/** `text` was sent as an API key, and `authorization` in the header of tokens. */
export function mistakeInKey(text: string | undefined, authorization: string | null | undefined): Mistake | undefined {
  if (text) return mistakeIn(text, TOKEN);
  return isIn(authorization, KEY) ? "in the wrong header" : "missing";
}

/** `text` was sent as a token, without its one `Bearer`, and `apiKey` in the header of API keys. */
export function mistakeInToken(text: string | undefined, apiKey: string | null | undefined): Mistake | undefined {
  if (text) return mistakeIn(text, KEY);
  return isIn(apiKey, TOKEN) ? "in the wrong header" : "missing";
}
