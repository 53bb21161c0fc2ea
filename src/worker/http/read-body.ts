/**
 * Reads bodies: at most 64 KiB unless the caller allows more, and not a byte further. Call it once the sender is admitted: from then on
 * a body has ten seconds to arrive, and its sender's share of the isolate's memory to arrive in (body-shares.ts).
 */
import type { Context } from "hono";
import { clientOf } from "../model/address.ts";
import { Problem, type ProblemOptions } from "../problem.ts";
import { answerWithin, DeadlineExceeded } from "../store/deadline.ts";
import type { AppEnv } from "./app-env.ts";
import { type BodySender, type BodyShare, replaced } from "./body-shares.ts";
import { invalid } from "./invalid-request.ts";

const MAX_BYTES = 64 * 1024;
const FIRST_BYTES = 4 * 1024;
const ARRIVES_WITHIN_MS = 10_000;
export const JSON_TYPE = "application/json";

/** The body's text and its JSON value. Throws as `readBytes` does, and `invalid-request` if it is not JSON. */
export async function readJsonBody<E extends AppEnv>(c: Context<E>): Promise<{ text: string; value: unknown }> {
  const json = parseJson(await readBytes(c, { expectedType: JSON_TYPE }));
  if (PROTO.test(json.text.replace(ESCAPED, decode)))
    throw invalid([{ path: "__proto__", message: "is no name that is kept" }]);
  return json;
}

/**
 * The schemas silently drop this name, while they report every other unknown one. So it is refused here. A quote inside a text
 * has a backslash, so this matches names only.
 */
const PROTO = /"__proto__"\s*:/;
/** The characters of that name, written as escapes. */
const ESCAPED = /\\u00(5f|6f|7[024])/gi;
const decode = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));

/** Throws `invalid-request`. */
export function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  const text = decodeUtf8(bytes);
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw invalid([{ path: "", message: `must be valid JSON: ${describeFault(text, error)}` }]);
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid([{ path: "", message: "must be in UTF-8" }]);
  }
}

/** V8's message, which names the line and the column, or quotes the few characters where the text breaks. */
const describeFault = (text: string, error: unknown): string =>
  text.trim() === "" || !(error instanceof Error) ? "it is empty" : error.message;

/** RFC 9110, section 15.5.16: the header names the encodings that are understood. */
const compressed = () =>
  new Problem("unsupported-media-type", {
    detail: "The request body must not be compressed: send it without `Content-Encoding`.",
    headers: { "Accept-Encoding": "identity" },
  });

const FORM = "application/x-www-form-urlencoded";

/** The fields of a form. Throws as `readBytes` does. */
export async function readForm<E extends AppEnv>(
  c: Context<E>,
  options: Omit<ReadOptions, "expectedType" | "unsupported"> = {},
): Promise<URLSearchParams> {
  const detail = `The request body must be a form, with the header \`Content-Type: ${FORM}\`.`;
  const bytes = await readBytes(c, { ...options, expectedType: FORM, unsupported: { detail } });
  const fields = new URLSearchParams(new TextDecoder().decode(bytes));
  c.set("form", fields);
  return fields;
}

/** `unsupported` names the expected content when it is not JSON. */
type ReadOptions = {
  readonly expectedType: string;
  readonly maxBytes?: number | undefined;
  readonly unsupported?: ProblemOptions | undefined;
  /** What the body arrives in, in place of a share of its sender. */
  readonly slot?: BodyShare | undefined;
};

/** Throws `unsupported-media-type`, `payload-too-large`, `request-timeout`, and `service-unavailable` while the sender's share is full. */
export async function readBytes<E extends AppEnv>(
  c: Context<E>,
  { expectedType, maxBytes = MAX_BYTES, unsupported, slot }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = c.req.raw;
  const mediaType = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== expectedType) throw new Problem("unsupported-media-type", unsupported);
  if ((headers.get("Content-Encoding") ?? "identity").toLowerCase() !== "identity") throw compressed();
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => {});
  const began = Date.now();
  const share = slot ?? c.get("bodyShares").open(senderOf(c), began);
  share.ended.addEventListener("abort", giveUp);
  try {
    const bytes = await answerWithin(ARRIVES_WITHIN_MS, receive(reader, maxBytes, share));
    if (share.ended.aborted) throw slot === undefined ? replaced() : new Problem("request-timeout");
    return bytes;
  } catch (error) {
    // Frees the bytes that have arrived, and ends the read that still waits.
    giveUp();
    throw error instanceof DeadlineExceeded ? new Problem("request-timeout") : error;
  } finally {
    c.get("budget").waitedOutside(Date.now() - began);
    share.release();
    share.ended.removeEventListener("abort", giveUp);
  }
}

/** A sender without a credential is its address. A sender without people is one. */
function senderOf<E extends AppEnv>(c: Context<E>): BodySender {
  const sender = c.get("sender") ?? clientOf(c.req.header("CF-Connecting-IP") ?? "");
  return { sender, person: c.get("person") ?? sender };
}

/** Copies each piece at once, because thousands of small ones weigh much more than their bytes. */
async function receive(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  share: BodyShare,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    const end = length + value.byteLength;
    if (end > maxBytes)
      throw new Problem("payload-too-large", { detail: `The request body exceeds ${maxBytes / 1024} KiB.` });
    if (end > bytes.length) {
      const size = Math.min(maxBytes, Math.max(end, 2 * bytes.length, FIRST_BYTES));
      share.take(size - bytes.length);
      const larger = new Uint8Array(size);
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(value, length);
    length = end;
  }
}
