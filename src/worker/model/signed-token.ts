/**
 * Signed tokens: JWTs (RFC 7519) that a tenant's own server signs for one of its panelists, without a call.
 *
 *     header   {"alg":"HS256","kid":"<idea bank>.<account>.<epochs>.<which deployment secret>"}
 *     claims   {"iss":"<idea bank>","sub":"<the tenant's own id>","iat":…,"exp":…,"name":"…","email":"…"}, and more (signed-claims.ts)
 *
 * The secret is derived from a deployment secret and the kid (HKDF-Expand with SHA-256, RFC 5869), and not stored. So a kid that was
 * changed names another secret, and a forged token costs no I/O. The kid also names the account, whose salt and the
 * subject give the panelist (view/panelist-ids.ts).
 * The epoch is the idea bank's (`3`), preceded by the account's once the account has ended all tokens (`1-3`).
 */
import * as z from "zod/mini";
import { digestToBase62 } from "../credentials/base62.ts";
import { type SignedToken, type TokenRefusal, type VerifiedToken, verifyToken } from "../credentials/compound-token.ts";
import { constantTimeEqual } from "../credentials/constant-time-equal.ts";
import { computeHmac, importSigningKey, type SigningKeys } from "../credentials/envelope.ts";
import { databaseDigit, type Identifier } from "../credentials/id.ts";
import { ok, type Result, refuse } from "../credentials/result.ts";
import { type ClaimError, readClaims } from "./signed-claims.ts";

/** Longer texts are refused unread. */
export const MAX_SIGNED_LENGTH = 4_096;

const KID = /^([0-9A-Za-z]{12})\.([0-9A-Za-z]{12})\.(?:([1-9]\d{0,8})-)?([1-9]\d{0,8})\.([0-9A-Za-z]{8})$/;
const JWT = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/;

const Header = z.object({
  alg: z.literal("HS256"),
  kid: z.string().check(z.maxLength(64)),
  crit: z.optional(z.undefined()),
});

type SecretName = { readonly ideaBankId: string; readonly accountId: string } & SigningEpoch;

type SignedTokenRefusal = "malformed" | "forged" | "claims";

const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace("=", "");

const fingerprints = new WeakMap<CryptoKey, string>();

/** Identifies a deployment secret, and reveals nothing about it. */
async function fingerprintOf(key: CryptoKey): Promise<string> {
  const known = fingerprints.get(key);
  if (known !== undefined) return known;
  const fingerprint = digestToBase62(await computeHmac(key, "the name of this secret"), 8);
  fingerprints.set(key, fingerprint);
  return fingerprint;
}

const deriveSecret = async (kid: string, key: CryptoKey): Promise<string> =>
  `ibs_${toBase64Url(await computeHmac(key, `signing secret ${kid}\u0001`))}`;

/** The secret with which a tenant's server signs, derived from the newest deployment secret. */
export async function signingSecretOf(
  { ideaBankId, accountId, accountEpoch, epoch }: SecretName,
  [newest]: SigningKeys,
): Promise<{ readonly kid: string; readonly secret: string }> {
  const epochs = accountEpoch === 0 ? epoch : `${accountEpoch}-${epoch}`;
  const kid = `${ideaBankId}.${accountId}.${epochs}.${await fingerprintOf(newest)}`;
  return { kid, secret: await deriveSecret(kid, newest) };
}

/** Checks the signature and the claims, not the times against a clock: see `isExpired`. No I/O. */
export async function verifySignedToken(
  text: string,
  keys: SigningKeys,
): Promise<Result<SignedToken, SignedTokenRefusal>> {
  const [, head = "", body = "", signature = ""] = (text.length <= MAX_SIGNED_LENGTH && JWT.exec(text)) || [];
  const header = Header.safeParse(parsePart(head));
  if (!header.success) return refuse("malformed");
  const { kid } = header.data;
  const [, ideaBankId = "", accountId = "", accountEpoch = 0, epoch, fingerprint] = KID.exec(kid) ?? [];
  const prints = await Promise.all(keys.map(fingerprintOf));
  const key = keys[prints.indexOf(fingerprint ?? "")];
  if (key === undefined || databaseDigit(ideaBankId) !== databaseDigit(accountId)) return refuse("forged");
  const signing = await importSigningKey(await deriveSecret(kid, key));
  if (!constantTimeEqual(signature, toBase64Url(await computeHmac(signing, `${head}.${body}`))))
    return refuse("forged");

  const read = readClaims(parsePart(body), ideaBankId);
  if ("errors" in read) return refuse("claims");
  const { sub, iat, exp, nbf = iat, name = null, email = null } = read.claims;
  const epochs = { accountEpoch: Number(accountEpoch), epoch: Number(epoch) };
  const signed = { accountId, externalId: sub, name, email, notBefore: nbf, ...epochs };
  return ok({ ideaBankId: ideaBankId as Identifier, issuedAt: iat, expiresAt: exp, signed });
}

/** Which claims break a rule, of a token that was refused for its claims. */
export function claimErrorsOf(text: string, ideaBankId: string): readonly ClaimError[] {
  const read = readClaims(parsePart(text.split(".")[1] ?? ""), ideaBankId);
  return "errors" in read ? read.errors : [];
}

const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const WHOLE_SECRET = "Sign with the bytes of the whole text `secret`";
/** What libraries and their users take for the key, instead of the text of the secret. */
const WRONG_KEYS: readonly [words: string, keyOf: (secret: string) => string | Uint8Array<ArrayBuffer>][] = [
  [`The key was the secret without \`ibs_\`. ${WHOLE_SECRET}.`, (secret) => secret.slice(4)],
  [`The secret was decoded as base64. ${WHOLE_SECRET}, as they are.`, (secret) => decodeBase64(secret)],
  [
    `The secret was decoded as base64, without \`ibs_\`. ${WHOLE_SECRET}, as they are.`,
    (secret) => decodeBase64(secret.slice(4)),
  ],
  [`The key had a line break after the secret. ${WHOLE_SECRET} alone.`, (secret) => `${secret}\n`],
  [`The key had quotes around the secret. ${WHOLE_SECRET} alone.`, (secret) => `"${secret}"`],
];

/**
 * The mistake in the header or the key of a signed token that was refused as malformed or forged, for the tenant of the idea bank that
 * it names. A fixed text, which repeats nothing of the token. Undefined for a token of ours.
 */
export async function mistakeInSigning(
  text: string,
  accountId: string,
  keys: SigningKeys,
): Promise<string | undefined> {
  if (!text.startsWith("ey")) return undefined;
  const [, head = "", body = "", signature = ""] = /^([^.]*)\.([^.]*)\.([^.]*)$/.exec(text) ?? [];
  const header = z
    .object({ alg: z.optional(z.unknown()), kid: z.optional(z.unknown()), crit: z.optional(z.unknown()) })
    .safeParse(parsePart(head)).data;
  if (header === undefined) return "The header is not JSON in base64url.";
  if (header.alg !== "HS256") return "`alg` in the header must be `HS256`.";
  if (header.kid === undefined)
    return "The header has no `kid`. Put the `kid` into it that you read with the secret: libraries need it as an option.";
  if (header.crit !== undefined) return "The header has `crit`, which is not supported.";
  const kid = typeof header.kid === "string" ? header.kid : "";
  const [, , namedAccountId, , , fingerprint = ""] = KID.exec(kid) ?? [];
  const prints = await Promise.all(keys.map(fingerprintOf));
  const key = keys[prints.indexOf(fingerprint)];
  if (namedAccountId !== accountId || key === undefined)
    return "`kid` in the header is not that of a signing secret of this idea bank. Read the secret again, and send its `kid` unchanged.";
  const secret = await deriveSecret(kid, key);
  for (const [words, keyOf] of WRONG_KEYS) {
    const signing = await importSigningKey(keyOf(secret));
    if (constantTimeEqual(signature, toBase64Url(await computeHmac(signing, `${head}.${body}`)))) return words;
  }
  return "It was not signed with the secret of its `kid`, or it was changed afterwards.";
}

export type AnyTokenRefusal = TokenRefusal | SignedTokenRefusal;

export type AnyToken = VerifiedToken | SignedToken;

/** Verifies a token of any kind: a panelist's, a visitor's, or one that a tenant's server has signed. No I/O. */
export const verifyAnyToken = (
  text: string | undefined,
  keys: SigningKeys,
): Promise<Result<AnyToken, AnyTokenRefusal>> =>
  text?.startsWith("ey") ? verifySignedToken(text, keys) : verifyToken(text, keys);

/** The JSON value of a token's part; undefined when it is not JSON. */
function parsePart(part: string): unknown {
  try {
    const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The idea bank that a token names, of any kind. The name is not verified. */
export function namedIdeaBank(text: string): string | undefined {
  if (/^ib[tv]_/.test(text)) return text.slice(4, 16);
  const [head = "", body = ""] = text.slice(0, MAX_SIGNED_LENGTH).split(".");
  const header = z.object({ kid: z.string() }).safeParse(parsePart(head));
  const claims = z.object({ iss: z.string() }).safeParse(parsePart(body));
  return KID.exec(header.data?.kid ?? "")?.[1] ?? claims.data?.iss;
}

/** Which secret of an idea bank: its own epoch within that of the account, which grows when all tokens are ended. */
export type SigningEpoch = { readonly accountEpoch: number; readonly epoch: number };

/**
 * The newest epochs, and the idea bank's earlier ones within that of the account, each until a time (Unix milliseconds).
 */
export type SigningEpochs = {
  readonly accountEpoch: number;
  readonly signingEpoch: number;
  readonly earlierEpochs: readonly (readonly [epoch: number, until: number])[];
};

/** Positive when the secret is newer than these epochs, negative when it is older. */
export const compareEpoch = (
  secret: SigningEpoch,
  { accountEpoch, signingEpoch }: Pick<SigningEpochs, "accountEpoch" | "signingEpoch">,
): number => secret.accountEpoch - accountEpoch || secret.epoch - signingEpoch;

export const isEpochGood = (secret: SigningEpoch, epochs: SigningEpochs, now: number): boolean =>
  compareEpoch(secret, epochs) === 0 ||
  (secret.accountEpoch === epochs.accountEpoch &&
    epochs.earlierEpochs.some(([earlier, until]) => secret.epoch === earlier && now < until));
