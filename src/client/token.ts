/** Tokens that a tenant's own server signs for its panelists: JWT with HS256, without a call. */
import type { SigningSecret } from "./tenant-types.ts";

type Panelist = {
  readonly ideaBankId: string;
  /** Your own id for the person. */
  readonly externalId: string;
  readonly name?: string;
  /** Only your team sees it. */
  readonly email?: string;
  /** At most, and by default, an hour. */
  readonly seconds?: number;
};

/** `secret` is the answer of `getSigningSecret`: read it when your server starts, and once a day. */
export async function signToken(
  { kid, secret }: Pick<SigningSecret, "kid" | "secret">,
  { ideaBankId, externalId, name, email, seconds = 3_600 }: Panelist,
  now = Date.now(),
): Promise<string> {
  const iat = Math.floor(now / 1_000);
  const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
  const parts = [
    { alg: "HS256", kid },
    { iss: ideaBankId, sub: externalId, name, email, iat, exp: iat + seconds },
  ];
  const signed = parts.map((part) => toBase64Url(bytes(JSON.stringify(part)))).join(".");
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, bytes(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

const toBase64Url = (bytes: Uint8Array<ArrayBuffer>): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
