/**
 * Finds this deployment's secrets in a text and in what it decodes to. Keys and tokens have a tag, so theirs are certain without I/O;
 * a webhook's and a signing secret only look like one, and the database knows.
 */
import { type ApiKeyCredential, findApiKeys, verifyApiKey } from "../credentials/api-key.ts";
import { COMPOUND_TOKEN, VISITOR_TOKEN } from "../credentials/compound-token.ts";
import { decodingsOf, findAlike } from "../credentials/decodings.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { type AnyToken, MAX_SIGNED_LENGTH, verifyAnyToken } from "../model/signed-token.ts";

export type FoundSecrets = {
  readonly keys: readonly ApiKeyCredential[];
  readonly tokens: readonly AnyToken[];
  readonly webhookSecrets: readonly string[];
  readonly signingSecrets: readonly string[];
};

/** So many of each kind are taken from one text. */
const MOST = 20;
/** So many of a text that look like a token of a kind are verified. */
const MOST_VERIFIED = 200;
/** Nothing is looked for after so many characters. */
const READ_LENGTH = 64 * 1024;

const WEBHOOK_SECRETS = /whsec_[A-Za-z0-9+/]{32}(?![A-Za-z0-9+/])/g;
const SIGNING_SECRETS = /ibs_[\w-]{43}(?![\w-])/g;
/** A head with what is glued to it, before claims and a signature. It begins where no head has begun, so that each is read once. */
const SIGNED = /(?<![\w-])([\w-]{12,})(?=(\.[\w-]{10,}\.[\w-]{43})(?![\w-]))/g;

/**
 * What looks like signed tokens. Other letters can stand right before a head, which begins with `ey`: so the first place where it may
 * begin is tried, and the last ones.
 */
function* signedWithin(text: string): Generator<string> {
  for (const [, head = "", rest = ""] of text.matchAll(SIGNED))
    for (const start of startsOf(head.slice(-MAX_SIGNED_LENGTH))) yield start + rest;
}

const LAST_STARTS = 3;

function startsOf(head: string): Set<string> {
  const starts = new Set<string>();
  const first = head.indexOf("ey");
  if (first !== -1) starts.add(head.slice(first));
  let at = head.length;
  for (let each = 0; each < LAST_STARTS && at > first; each += 1) {
    at = head.lastIndexOf("ey", at - 1);
    if (at !== -1) starts.add(head.slice(at));
  }
  return starts;
}

const issuedWithin = function* (text: string): Generator<string> {
  yield* COMPOUND_TOKEN.within(text);
  yield* VISITOR_TOKEN.within(text);
};

/** For each text of a report: the secrets in it. */
export function findSecrets(texts: readonly string[], signingKeys: SigningKeys): Promise<FoundSecrets[]> {
  const decoded = decodingsOf(texts.map((text) => text.slice(0, READ_LENGTH)));
  return Promise.all(decoded.map((each) => findIn(each, signingKeys)));
}

/** `texts`: a text and its decodings. */
async function findIn(texts: readonly string[], signingKeys: SigningKeys): Promise<FoundSecrets> {
  const alike = (pattern: RegExp) => findAlike(texts, (text) => text.match(pattern) ?? [], MOST);
  const keys = (await findApiKeys(texts, signingKeys)).slice(0, MOST);
  const tokens = [issuedWithin, signedWithin].flatMap((find) => findAlike(texts, find, MOST_VERIFIED));
  return {
    keys: okOf(await Promise.all(keys.map((key) => verifyApiKey(key, signingKeys)))),
    tokens: okOf(await Promise.all(tokens.map((token) => verifyAnyToken(token, signingKeys)))).slice(0, MOST),
    webhookSecrets: alike(WEBHOOK_SECRETS),
    signingSecrets: alike(SIGNING_SECRETS),
  };
}

type Verified<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false };
const okOf = <Value>(results: readonly Verified<Value>[]): Value[] =>
  results.flatMap((result) => (result.ok ? [result.value] : []));
