/** Signs a JWT as a tenant's server would, with whatever header and claims. Fields that are undefined are left out. */
export const now = () => Math.floor(Date.now() / 1000);

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export async function signJwt(
  header: object,
  claims: object,
  secret: string | Uint8Array<ArrayBuffer>,
  hash: "SHA-256" | "SHA-512" = "SHA-256",
): Promise<string> {
  const encoder = new TextEncoder();
  const parts = [header, claims].map((part) => toBase64Url(encoder.encode(JSON.stringify(part))));
  const signed = parts.join(".");
  const algorithm = { name: "HMAC", hash };
  const bytes = typeof secret === "string" ? encoder.encode(secret) : secret;
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}
