/**
 * Finds this deployment's secrets in a text and in what it decodes to. Keys and tokens have a tag, so theirs are certain without I/O;
 * a webhook's and a signing secret only look like one, and the database knows.
 */
import { type ApiKeyCredential, findApiKeys, verifyApiKey } from "../credentials/api-key.ts";
import { COMPOUND_TOKEN, VISITOR_TOKEN } from "../credentials/compound-token.ts";
import { decodingsOf } from "../credentials/decodings.ts";
import type { EnvelopeKind, SigningKeys } from "../credentials/envelope.ts";
import { type AnyToken, verifyAnyToken } from "../model/signed-token.ts";

export type FoundSecrets = {
  readonly keys: readonly ApiKeyCredential[];
  readonly tokens: readonly AnyToken[];
  readonly webhookSecrets: readonly string[];
  readonly signingSecrets: readonly string[];
};

/** So many of each kind are taken from one text. */
const MOST = 20;
/** So many that look like a token are verified. */
const MOST_VERIFIED = 200;
/** Nothing is looked for after so many characters. */
const READ_LENGTH = 64 * 1024;

const within = ({ pattern }: EnvelopeKind) => pattern.source.slice(1, -1);
const TOKENS = new RegExp(
  `${within(COMPOUND_TOKEN)}|${within(VISITOR_TOKEN)}|ey[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{43}(?![\\w-])`,
  "g",
);
const WEBHOOK_SECRETS = /whsec_[A-Za-z0-9+/]{32}(?![A-Za-z0-9+/])/g;
const SIGNING_SECRETS = /ibs_[\w-]{43}(?![\w-])/g;

export async function findSecrets(text: string, signingKeys: SigningKeys): Promise<FoundSecrets> {
  const texts = decodingsOf(text.slice(0, READ_LENGTH));
  const alike = (pattern: RegExp) => [...new Set(texts.flatMap((each) => each.match(pattern) ?? []))];
  const keys = (await findApiKeys(texts, signingKeys)).slice(0, MOST);
  const tokens = alike(TOKENS).slice(0, MOST_VERIFIED);
  return {
    keys: okOf(await Promise.all(keys.map((key) => verifyApiKey(key, signingKeys)))),
    tokens: okOf(await Promise.all(tokens.map((token) => verifyAnyToken(token, signingKeys)))).slice(0, MOST),
    webhookSecrets: alike(WEBHOOK_SECRETS).slice(0, MOST),
    signingSecrets: alike(SIGNING_SECRETS).slice(0, MOST),
  };
}

type Verified<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false };
const okOf = <Value>(results: readonly Verified<Value>[]): Value[] =>
  results.flatMap((result) => (result.ok ? [result.value] : []));
