/** The changelog's bytes (contract, changelog rules 1, 2 and 6). Pure. */
import type { Changelog, ChangelogEntry } from "../model/changelog.ts";

/** The response body and its strong validator, a hash of the body alone: it tells nothing that the body does not. */
export type RenderedChangelog = { readonly bytes: Uint8Array<ArrayBuffer>; readonly etag: string };

/** Exactly the three documented fields; `lastModified` is in Unix seconds. */
export async function renderChangelog(entries: readonly ChangelogEntry[]): Promise<RenderedChangelog> {
  const items = entries.map(({ title, description, lastActivityAt }) => ({
    title,
    description,
    lastModified: Math.floor(lastActivityAt / 1000),
  }));
  const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify({ items } satisfies Changelog)));
  return { bytes, etag: await etagOf(bytes) };
}

export async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `"${btoa(String.fromCharCode(...digest.subarray(0, 16)))}"`;
}
