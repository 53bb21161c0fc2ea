/**
 * Rendered changelogs in KV: one entry per idea bank, `changelog/1/<idea bank id>`, the body as its value and
 * `{ version, etag }` as its metadata. The 1 is the format's: raise it when the rendering changes.
 *
 * KV is a cache. It may be stale, empty or down; the version tells, and the answer comes from D1 instead.
 */
import * as z from "zod/mini";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { StoreCalls } from "../store/calls.ts";
import { answerWithin, isWithin } from "../store/deadline.ts";
import { etagOf, type RenderedChangelog } from "./render-changelog.ts";

/** A rendered changelog, and the version of the idea bank's changelog that it is. */
export type VersionedChangelog = RenderedChangelog & { readonly version: number };

/** KV, and where the calls of a request are counted. */
export type ChangelogStore = { readonly kv: KVNamespace; readonly calls?: StoreCalls | undefined };

const Metadata = z.object({ version: z.int(), etag: z.string() });

/** Entries that nobody refreshes, such as those of deleted idea banks, go after this many seconds. */
const TIME_TO_LIVE_SECONDS = 30 * 86_400;
/** An isolate stores an idea bank's changelog at most this often, in milliseconds: a write to KV costs as much as ten answers. */
const STORE_INTERVAL_MS = 10_000;
/** Idea banks whose times are remembered. */
const MAX_TIMES = 10_000;
/** How long a call waits for KV, in milliseconds: rendering from D1 is the alternative. */
const DEADLINE_MS = 1_000;

const keyOf = (ideaBankId: string) => `changelog/1/${ideaBankId}`;

export class StoredChangelogs {
  /** When each was last stored, in Unix milliseconds. */
  readonly #storedAt = new BoundedMap<number>({ max: MAX_TIMES });
  /** When each was last read, in Unix milliseconds. */
  readonly #readAt = new BoundedMap<number>({ max: MAX_TIMES });

  /**
   * The entry that KV holds, of any version; undefined when it holds nothing usable or does not answer in time. A body that is not the
   * one of its ETag is not used. Never rejects.
   */
  async read({ kv, calls }: ChangelogStore, ideaBankId: string): Promise<VersionedChangelog | undefined> {
    const now = Date.now();
    const readAt = this.#readAt.get(ideaBankId);
    // A request that reads D1 again while it is slow has asked KV already.
    if (readAt !== undefined && isWithin(readAt, now, DEADLINE_MS)) return undefined;
    this.#readAt.set(ideaBankId, now);
    try {
      if (calls !== undefined) calls.kv += 1;
      const read = kv.getWithMetadata(keyOf(ideaBankId), "arrayBuffer");
      const { value, metadata } = await answerWithin(DEADLINE_MS, read);
      const parsed = Metadata.safeParse(metadata);
      if (value === null || !parsed.success) return undefined;
      const bytes = new Uint8Array(value);
      return (await etagOf(bytes)) === parsed.data.etag ? { bytes, ...parsed.data } : undefined;
    } catch (error) {
      console.warn("KV does not answer; rendering the changelog from D1", error);
      return undefined;
    }
  }

  /**
   * Stores a rendered changelog, unless KV holds a newer one (`stored`, or what is read here), or this isolate has stored one a moment
   * ago. Never rejects: the next isolate renders it again.
   */
  async write(
    store: ChangelogStore,
    ideaBankId: string,
    { bytes, version, etag }: VersionedChangelog,
    stored: Promise<VersionedChangelog | undefined> | undefined,
  ): Promise<void> {
    const now = Date.now();
    const storedAt = this.#storedAt.get(ideaBankId);
    if (storedAt !== undefined && isWithin(storedAt, now, STORE_INTERVAL_MS)) return;
    this.#storedAt.set(ideaBankId, now);
    const held = await (stored ?? this.read(store, ideaBankId));
    if (held !== undefined && held.version >= version) return;
    try {
      const metadata = { version, etag } satisfies z.infer<typeof Metadata>;
      if (store.calls !== undefined) store.calls.kv += 1;
      const put = store.kv.put(keyOf(ideaBankId), bytes, { metadata, expirationTtl: TIME_TO_LIVE_SECONDS });
      await answerWithin(DEADLINE_MS, put);
    } catch (error) {
      console.warn("KV did not take a rendered changelog", error);
    }
  }
}
