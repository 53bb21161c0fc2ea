/**
 * Verifies the signature of GitHub's secret scanning: ECDSA over P-256 with SHA-256, of the raw body, in DER and base64. GitHub
 * publishes the public keys at a URL, by identifier. They are kept for an hour, then requested with `If-None-Match`.
 * https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partner-program
 */
import { isWithin } from "../store/deadline.ts";
import { Kept } from "../store/kept.ts";

type Published = { readonly etag: string | null; readonly keys: ReadonlyMap<string, string>; readonly askedAt: number };

const FRESH_MS = 3_600_000;
/** While new keys cannot be fetched, known keys are used for this long. */
const LASTS_MS = 24 * 3_600_000;
/**
 * Anybody can send an unknown identifier, and GitHub answers 60 requests an hour for an address. So for unknown identifiers an
 * isolate asks at most this often.
 */
const ASK_AGAIN_MS = 600_000;
const ASK_AGAIN_AFTER_FAILURE_MS = 60_000;
const DEADLINE_MS = 5_000;
const COORDINATE_BYTES = 32;

export class PublishedKeys {
  readonly #kept = new Kept<Published>({ now: () => Date.now(), isOutage: () => true, lastsMs: LASTS_MS });
  #failure: { readonly at: number; readonly error: unknown } | undefined;

  /** The key in PEM; undefined when GitHub does not publish it. Rejects when it is not known and the keys cannot be fetched. */
  async find(url: string, identifier: string): Promise<string | undefined> {
    const { keys } = await this.#kept.get({
      load: () => this.#ask(url),
      freshMs: FRESH_MS,
      ...(!this.#kept.last?.value.keys.has(identifier) && { servesOutage: false }),
      accepts: ({ keys, askedAt }) => keys.has(identifier) || Date.now() - askedAt < ASK_AGAIN_MS,
    });
    return keys.get(identifier);
  }

  async #ask(url: string): Promise<Published> {
    const failure = this.#failure;
    if (failure !== undefined && isWithin(failure.at, Date.now(), ASK_AGAIN_AFTER_FAILURE_MS)) throw failure.error;
    try {
      return await fetchKeys(url, this.#kept.last?.value);
    } catch (error) {
      this.#failure = { at: Date.now(), error };
      throw error;
    }
  }
}

async function fetchKeys(url: string, last: Published | undefined): Promise<Published> {
  const askedAt = Date.now();
  const headers = { Accept: "application/json", "User-Agent": "edge-access-api" };
  const answer = await fetch(url, {
    headers: last?.etag ? { ...headers, "If-None-Match": last.etag } : headers,
    redirect: "manual",
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (answer.status === 304 && last !== undefined) return { ...last, askedAt };
  if (!answer.ok) throw new Error(`the published keys: ${answer.status}`);
  const { public_keys: published } = await answer.json<{ public_keys: { key_identifier: string; key: string }[] }>();
  const keys = new Map(published.map(({ key_identifier, key }) => [key_identifier, key]));
  return { etag: answer.headers.get("ETag"), keys, askedAt };
}

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
