/** GitHub's secret scanning: publishes a key, and signs its reports with it. */
import { env } from "cloudflare:workers";
import type { Isolate } from "./isolate.ts";

const IDENTIFIER = "a".repeat(64);

const toBase64 = (bytes: ArrayBuffer | Uint8Array) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** The signature of WebCrypto as DER. */
export function toDer(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  const integers = [raw.subarray(0, half), raw.subarray(half)].flatMap((digits) => {
    const start = digits.findIndex((digit) => digit !== 0);
    const short = [...digits.subarray(start)];
    const positive = (short[0] ?? 0) > 127 ? [0, ...short] : short;
    return [2, positive.length, ...positive];
  });
  return Uint8Array.from([0x30, integers.length, ...integers]);
}

export async function createGitHub(namedCurve = "P-256") {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const spki = (await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer;
  const key = `-----BEGIN PUBLIC KEY-----\n${toBase64(spki)}\n-----END PUBLIC KEY-----\n`;
  const published = JSON.stringify({ public_keys: [{ key_identifier: IDENTIFIER, key, is_current: true }] });
  const sign = async (body: string) => {
    const bytes = new TextEncoder().encode(body);
    return toBase64(
      toDer(new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, bytes))),
    );
  };
  return {
    key,
    published,
    bindings: { ...env, GITHUB_KEYS_URL: `data:application/json,${encodeURIComponent(published)}` },
    sign,
    report: async (isolate: Pick<Isolate, "request">, body: unknown, headers: Record<string, string> = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return isolate.request("/leaks/github", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "Github-Public-Key-Identifier": IDENTIFIER,
          "Github-Public-Key-Signature": await sign(text),
          ...headers,
        },
        body: text,
      });
    },
  };
}
