/** The changelog as feeds: Atom (RFC 4287) and JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
import type { Changelog } from "../model/changelog.ts";
import { firstLine } from "../model/light-formatting.ts";

/** `link` is the page that shows the idea bank, if there is one. Identifiers are `urn:uuid:…`. Times are in Unix seconds. */
type Feed = {
  readonly id: string;
  readonly title: string;
  readonly link: string | null;
  readonly entries: readonly (Changelog["items"][number] & { readonly id: string; readonly published: number })[];
};

/**
 * A feed names its own address, which differs from reader to reader. So it is rendered once without it: `before` and `after` are
 * the text around it, which `escape` writes.
 */
type FeedText = { readonly before: string; readonly after: string };
export type FeedFormat = {
  readonly contentType: string;
  readonly render: (feed: Feed) => FeedText;
  readonly escape: (url: string) => string;
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

export const JSON_FEED: FeedFormat = {
  contentType: "application/feed+json",
  render: ({ title, link, entries }) => {
    const home = link === null ? {} : { home_page_url: link };
    const items = entries.map((entry) => ({
      id: entry.id,
      ...(link === null ? {} : { url: link }),
      title: entry.title,
      ...(entry.description && { summary: firstLine(entry.description) }),
      content_text: entry.description,
      date_published: dateOf(entry.published),
      date_modified: dateOf(entry.lastModified),
    }));
    const head = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title, ...home });
    return { before: `${head.slice(0, -1)},"feed_url":`, after: `,"items":${JSON.stringify(items)}}` };
  },
  escape: (url) => JSON.stringify(url),
};

const summaryOf = (description: string): string =>
  description && `<summary type="text">${escapeXml(firstLine(description))}</summary>`;

/** An empty feed is dated 1970, because Atom requires a date. */
export const ATOM: FeedFormat = {
  contentType: "application/atom+xml; charset=utf-8",
  render: ({ id, title, link, entries }) => {
    const name = escapeXml(title);
    const alternate = link === null ? "" : `<link rel="alternate" href="${escapeXml(link)}"/>`;
    const entry = ({ id, title, description, published, lastModified }: Feed["entries"][number]) =>
      `<entry><id>${id}</id><title>${escapeXml(title)}</title>${alternate}<published>${dateOf(published)}</published>` +
      `<updated>${dateOf(lastModified)}</updated>${summaryOf(description)}<content type="text">${escapeXml(description)}</content></entry>`;
    return {
      before:
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">' +
        `<id>${id}</id><title>${name}</title>${alternate}<link rel="self" type="application/atom+xml" href="`,
      after:
        `"/><updated>${dateOf(entries[0]?.lastModified ?? 0)}</updated><author><name>${name}</name></author>` +
        `${entries.map(entry).join("")}</feed>`,
    };
  },
  escape: (url) => escapeXml(url),
};

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
