/**
 * Rendered changelogs in KV: one entry per idea bank, `changelog/1/<idea bank id>`, the body as its value and
 * `{ version, etag }` as its metadata. The 1 is the format's: raise it when the rendering changes.
 *
 * KV is a cache. It may be stale, empty or down; the version tells, and the answer comes from D1 instead.
 */
import * as z from "zod/mini";
import type { RenderedChangelog } from "./render.ts";

/** A rendered changelog, and the version of the idea bank's changelog that it is. */
export type VersionedChangelog = RenderedChangelog & { readonly version: number };

const Metadata = z.object({ version: z.int(), etag: z.string() });

/** Entries that nobody refreshes, such as those of deleted idea banks, go after this many seconds. */
const TIME_TO_LIVE_SECONDS = 30 * 86_400;

const keyOf = (ideaBankId: string) => `changelog/1/${ideaBankId}`;

/** What KV holds, of whatever version; undefined when it holds nothing usable. Never throws. */
export async function readStoredChangelog(
  store: KVNamespace,
  ideaBankId: string,
): Promise<VersionedChangelog | undefined> {
  try {
    const { value, metadata } = await store.getWithMetadata(keyOf(ideaBankId), "arrayBuffer");
    const parsed = Metadata.safeParse(metadata);
    return value !== null && parsed.success ? { bytes: new Uint8Array(value), ...parsed.data } : undefined;
  } catch (error) {
    console.warn("KV does not answer; rendering the changelog from D1", error);
    return undefined;
  }
}

/** Stores a rendered changelog. Never throws: the next isolate renders it again. */
export async function storeChangelog(
  store: KVNamespace,
  ideaBankId: string,
  { bytes, version, etag }: VersionedChangelog,
): Promise<void> {
  try {
    const metadata = { version, etag } satisfies z.infer<typeof Metadata>;
    await store.put(keyOf(ideaBankId), bytes, { metadata, expirationTtl: TIME_TO_LIVE_SECONDS });
  } catch (error) {
    console.warn("KV did not take a rendered changelog", error);
  }
}
