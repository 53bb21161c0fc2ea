/**
 * Verifies the signature of GitHub's secret scanning: ECDSA over P-256 with SHA-256, of the raw body, in DER and base64.
 * https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partner-program
 */

const COORDINATE_BYTES = 32;

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** False for any other text, and for a key of another curve. */
export async function isSignedBy(pem: string, signature: string, body: Uint8Array): Promise<boolean> {
  try {
    const spki = fromBase64(pem.replace(/-----[A-Z ]+-----/g, ""));
    const key = await crypto.subtle.importKey("spki", spki, ECDSA, false, ["verify"]);
    return await crypto.subtle.verify(ECDSA, key, toRaw(fromBase64(signature)), body);
  } catch {
    return false;
  }
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Converts a SEQUENCE of two INTEGERs to the form of WebCrypto: one after the other, 32 bytes each. Throws for any other input. */
function toRaw(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(2 * COORDINATE_BYTES);
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw new TypeError("no DER sequence");
  let at = 2;
  for (const end of [COORDINATE_BYTES, 2 * COORDINATE_BYTES]) {
    const [tag, length = 0] = der.subarray(at, at + 2);
    const integer = der.subarray(at + 2, at + 2 + length);
    // A leading zero only marks the number as positive.
    const digits = integer[0] === 0 ? integer.subarray(1) : integer;
    if (tag !== 2) throw new TypeError("no DER integer");
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  if (at !== der.length) throw new TypeError("more than two integers");
  return raw;
}
