/**
 * An isolate's rendered feeds. A feed is rendered once for a version of a changelog, and again when the idea bank's name or
 * address changes. Only its own address is filled in for each request.
 */
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Changelog } from "../model/changelog.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import type { ViewedChangelog } from "./read-view.ts";
import { etagOf } from "./render-changelog.ts";
import { type FeedFormat, feedIdOf } from "./render-feed.ts";

const MIB = 1024 * 1024;
export const MEMORY_BYTES = { feeds: 16 * MIB, share: 4 * MIB } as const;
/** The strings of an entry of the map. */
const ENTRY_BYTES = 4_096;

type FeedSource = {
  readonly format: FeedFormat;
  readonly ideaBankId: string;
  readonly ideaBank: Pick<IdeaBankState, "accountId" | "name" | "url">;
  readonly changelog: ViewedChangelog;
};

type RenderedFeed = {
  readonly accountId: string;
  /** Identifies what the feed was rendered from. */
  readonly source: string;
  readonly etag: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
};

export class RenderedFeeds {
  readonly #feeds = new BoundedMap<RenderedFeed>({
    max: MEMORY_BYTES.feeds,
    weigh: ({ before, after }) => ENTRY_BYTES + before.byteLength + after.byteLength,
    share: { max: MEMORY_BYTES.share, ownerOf: ({ accountId }) => accountId },
  });

  /** The feed. Its ETag is that of everything but the address at which it is read. */
  async open({ format, ideaBankId, ideaBank, changelog }: FeedSource): Promise<RenderedFeed> {
    const key = `${ideaBankId} ${format.contentType}`;
    const source = JSON.stringify([changelog.version, changelog.etag, ideaBank.name, ideaBank.url]);
    const known = this.#feeds.get(key);
    if (known?.source === source) return known;
    const { items }: Changelog = JSON.parse(new TextDecoder().decode(changelog.bytes));
    const entries = items.map(async (item, index) => {
      const { id = "", publishedAt = 0 } = changelog.origins[index] ?? {};
      return { ...item, id: await feedIdOf(ideaBankId, id), published: Math.floor(publishedAt / 1000) };
    });
    const id = await feedIdOf(ideaBankId);
    const text = format.render({ id, title: ideaBank.name, link: ideaBank.url, entries: await Promise.all(entries) });
    const encoder = new TextEncoder();
    const rendered = {
      ...{ accountId: ideaBank.accountId, source },
      etag: await etagOf(encoder.encode(`${text.before}\n${text.after}`)),
      ...{ before: encoder.encode(text.before), after: encoder.encode(text.after) },
    };
    this.#feeds.set(key, rendered);
    return rendered;
  }
}

/** The whole feed, with its own address. */
export function fillIn({ before, after }: RenderedFeed, url: string): Uint8Array<ArrayBuffer> {
  const between = new TextEncoder().encode(url);
  const bytes = new Uint8Array(before.byteLength + between.byteLength + after.byteLength);
  bytes.set(before);
  bytes.set(between, before.byteLength);
  bytes.set(after, before.byteLength + between.byteLength);
  return bytes;
}
