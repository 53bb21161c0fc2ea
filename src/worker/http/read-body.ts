/** Reads bodies: at most 64 KiB unless the caller allows more, and not a byte further. */
import { Problem, type ProblemOptions } from "../problem.ts";
import { invalid } from "./invalid-request.ts";
import { indexOfFault } from "./json-fault.ts";

/** The parts of a request that a reader of its body needs. */
export type Sent = Pick<Request, "headers" | "body">;

const MAX_BYTES = 64 * 1024;
export const JSON_TYPE = "application/json";

/** The body's text and its JSON value. Throws `unsupported-media-type`, `payload-too-large`, or `invalid-request` if it is not JSON. */
export async function readJsonBody(request: Request): Promise<{ text: string; value: unknown }> {
  const json = parseJson(await readBytes(request, { expectedType: JSON_TYPE }));
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
  } catch {
    throw invalid([{ path: "", message: `must be valid JSON: ${describeFault(text)}` }]);
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid([{ path: "", message: "must be in UTF-8" }]);
  }
}

function describeFault(text: string): string {
  if (text.trim() === "") return "it is empty";
  const at = indexOfFault(text) ?? text.length;
  const lines = text.slice(0, at).split("\n");
  const place = `line ${lines.length}, column ${[...(lines.at(-1) ?? "")].length + 1}`;
  return at === text.length ? `it ends too early, at ${place}` : `it breaks at ${place}`;
}

/** RFC 9110, section 15.5.16: the header names the encodings that are understood. */
const compressed = () =>
  new Problem("unsupported-media-type", {
    detail: "The request body must not be compressed: send it without `Content-Encoding`.",
    headers: { "Accept-Encoding": "identity" },
  });

const FORM = "application/x-www-form-urlencoded";

/** The fields of a form. Throws `unsupported-media-type` or `payload-too-large`. */
export async function readForm(request: Sent, maxBytes = MAX_BYTES): Promise<URLSearchParams> {
  const detail = `The request body must be a form, with the header \`Content-Type: ${FORM}\`.`;
  return new URLSearchParams(
    new TextDecoder().decode(await readBytes(request, { expectedType: FORM, maxBytes, unsupported: { detail } })),
  );
}

/** `unsupported` names the expected content when it is not JSON. */
export async function readBytes(
  request: Sent,
  {
    expectedType,
    maxBytes = MAX_BYTES,
    unsupported,
  }: {
    readonly expectedType: string;
    readonly maxBytes?: number | undefined;
    readonly unsupported?: ProblemOptions | undefined;
  },
): Promise<Uint8Array<ArrayBuffer>> {
  const mediaType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== expectedType) throw new Problem("unsupported-media-type", unsupported);
  if ((request.headers.get("Content-Encoding") ?? "identity").toLowerCase() !== "identity") throw compressed();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes)
      throw new Problem("payload-too-large", { detail: `The request body exceeds ${maxBytes / 1024} KiB.` });
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
