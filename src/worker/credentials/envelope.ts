/**
 * The envelope of every credential: `<prefix>_<body><tag>`, body and tag in base62 of fixed widths.
 *
 * The tag is a truncated HMAC-SHA-256 over everything before it, prefix included, so that a credential of one kind is
 * never accepted as another. No I/O: malformed and forged credentials are refused here.
 */
import { digestToBase62 } from "./base62.ts";
import { constantTimeEqual } from "./constant-time-equal.ts";
import { ok, type Result, refuse } from "./result.ts";

/** One kind of credential. Widths are in base62 digits; `pattern` matches every credential of the kind. */
export type EnvelopeKind = {
  readonly prefix: string;
  readonly bodyWidth: number;
  readonly tagWidth: number;
  readonly pattern: RegExp;
  /** What looks like one in a text, whatever stands around it. */
  within(text: string): Iterable<string>;
};

/** HMAC keys, newest first. The first signs; all of them verify. */
export type SigningKeys = readonly [CryptoKey, ...CryptoKey[]];

export function defineEnvelope(prefix: string, bodyWidth: number, tagWidth: number): EnvelopeKind {
  const source = `${prefix}_[0-9A-Za-z]{${bodyWidth + tagWidth}}`;
  const anywhere = new RegExp(source, "g");
  return {
    prefix,
    bodyWidth,
    tagWidth,
    pattern: new RegExp(`^${source}$`),
    *within(text) {
      for (const [found] of text.matchAll(anywhere)) yield found;
    },
  };
}

/** Imports the deployment's secrets, keeping their order. */
export async function importSigningKeys(secrets: readonly [string, ...string[]]): Promise<SigningKeys> {
  const [newest, ...older] = secrets;
  return [await importSigningKey(newest), ...(await Promise.all(older.map((secret) => importSigningKey(secret))))];
}

/**
 * Signs a body of the kind's width with the newest key. `context` is signed but not included, so the credential is valid only
 * with the same context.
 */
export async function signEnvelope(
  kind: EnvelopeKind,
  {
    body,
    keys,
    context = "",
  }: { readonly body: string; readonly keys: SigningKeys; readonly context?: string | undefined },
): Promise<string> {
  if (body.length !== kind.bodyWidth)
    throw new RangeError(`the body of an ${kind.prefix} has ${kind.bodyWidth} digits`);
  const signed = `${kind.prefix}_${body}`;
  return signed + (await computeTag(kind.tagWidth, signed + context, keys[0]));
}

/** The body of the credential, if one of the keys has signed it. */
export async function verifyEnvelope(
  kind: EnvelopeKind,
  {
    text,
    keys,
    context = "",
  }: { readonly text: string; readonly keys: SigningKeys; readonly context?: string | undefined },
): Promise<Result<string, "malformed" | "forged">> {
  if (!kind.pattern.test(text)) return refuse("malformed");
  const bodyStart = kind.prefix.length + 1;
  const signed = text.slice(0, bodyStart + kind.bodyWidth);
  const tag = text.slice(signed.length);
  for (const key of keys) {
    if (constantTimeEqual(tag, await computeTag(kind.tagWidth, signed + context, key)))
      return ok(signed.slice(bodyStart));
  }
  return refuse("forged");
}

const encoder = new TextEncoder();

export const importSigningKey = (secret: string | Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey(
    "raw",
    typeof secret === "string" ? encoder.encode(secret) : secret,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );

export const computeHmac = (key: CryptoKey, text: string): Promise<ArrayBuffer> =>
  crypto.subtle.sign("HMAC", key, encoder.encode(text));

/** The tag of `signed`, in `width` base62 digits. */
export const computeTag = async (width: number, signed: string, key: CryptoKey): Promise<string> =>
  digestToBase62(await computeHmac(key, signed), width);
