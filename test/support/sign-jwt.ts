/** Signs a JWT as a tenant's server would, with whatever header and claims. Fields that are undefined are left out. */
export const now = () => Math.floor(Date.now() / 1000);

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export async function signJwt(header: object, claims: object, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const parts = [header, claims].map((part) => toBase64Url(encoder.encode(JSON.stringify(part))));
  const signed = parts.join(".");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}
