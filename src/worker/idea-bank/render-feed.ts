/** The changelog as feeds: Atom (RFC 4287) and JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
import type { Changelog } from "../model/changelog.ts";

/** `url` is the address that the reader requested. Identifiers are `urn:uuid:…`. */
export type Feed = {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly entries: readonly (Changelog["items"][number] & { readonly id: string })[];
};

/**
 * The identifier of an entry, or of the feed itself: a UUID of version 8 (RFC 9562), made of a hash of the idea bank's and the
 * proposal's identifiers. It never changes, and the 65 random bits of an identifier cannot be found from it.
 */
export async function feedIdOf(...identifiers: readonly string[]): Promise<string> {
  const hashed = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`feed ${identifiers.join(" ")}`));
  const bytes = new Uint8Array(hashed).subarray(0, 16);
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x80], 6);
  bytes.set([((bytes[8] ?? 0) & 0x3f) | 0x80], 8);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

export const renderJsonFeed = ({ title, url, entries }: Feed): string =>
  JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    feed_url: url,
    items: entries.map((entry) => ({
      id: entry.id,
      title: entry.title,
      content_text: entry.description,
      date_modified: dateOf(entry.lastModified),
    })),
  });

/** An empty feed is dated 1970, because Atom requires a date. */
export const renderAtom = ({ id, title, url, entries }: Feed): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${id}</id><title>${escapeXml(title)}</title><link rel="self" type="application/atom+xml" href="${escapeXml(url)}"/>` +
  `<updated>${dateOf(entries[0]?.lastModified ?? 0)}</updated><author><name>${escapeXml(title)}</name></author>${entries.map(renderEntry).join("")}</feed>`;

const renderEntry = ({ id, title, description, lastModified }: Feed["entries"][number]): string =>
  `<entry><id>${id}</id><title>${escapeXml(title)}</title><updated>${dateOf(lastModified)}</updated><content type="text">${escapeXml(description)}</content></entry>`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/** XML 1.0 cannot express most of these characters. */
const NOT_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, "")
    .replace(/[&<>"\r]/g, (character) => ENTITIES[character] ?? "");
