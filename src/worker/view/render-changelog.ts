/** Renders the bytes of the changelog (contract, changelog rules 1 to 3). Pure. */
import { type Changelog, type ChangelogEntry, MAX_CHANGELOG_BYTES } from "../model/changelog.ts";

/**
 * The response body and its strong validator. The validator is a hash of only the body, so it reveals nothing that the body does
 * not.
 */
export type RenderedChangelog = { readonly bytes: Uint8Array<ArrayBuffer>; readonly etag: string };

const BEGINNING = '{"items":[';
const END = "]}";

/** Renders exactly the three documented fields; `lastModified` is in Unix seconds. Takes the newest entries, as many as fit. */
export async function renderChangelog(
  entries: readonly Omit<ChangelogEntry, "id" | "publishedAt">[],
): Promise<RenderedChangelog> {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(MAX_CHANGELOG_BYTES);
  let length = encoder.encodeInto(BEGINNING, bytes).written;
  for (const [index, { title, description, lastActivityAt }] of entries.entries()) {
    const item = {
      title,
      description,
      lastModified: Math.floor(lastActivityAt / 1000),
    } satisfies Changelog["items"][0];
    const text = (index === 0 ? "" : ",") + JSON.stringify(item);
    const { read, written } = encoder.encodeInto(text, bytes.subarray(length, MAX_CHANGELOG_BYTES - END.length));
    if (read < text.length) break;
    length += written;
  }
  length += encoder.encodeInto(END, bytes.subarray(length)).written;
  const body = bytes.slice(0, length);
  return { bytes: body, etag: await etagOf(body) };
}

export async function etagOf(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `"${btoa(String.fromCharCode(...digest.subarray(0, 16)))}"`;
}
