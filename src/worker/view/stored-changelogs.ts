/**
 * Rendered changelogs in KV. Each idea bank has one entry under `changelog/1/<idea bank id>`; its value is the body, its metadata
 * `{ version, etag }`. The 1 is the format's number: raise it when the rendering changes.
 *
 * KV is a cache: it may be stale, empty or down. The entries come from D1 with the view in any case. A stored changelog spares
 * their rendering, if KV answers before D1 and with the current version. No answer waits for KV.
 */
import * as z from "zod/mini";
import { logWarning } from "../log.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { StoreCalls } from "../store/databases.ts";
import { answerWithin, isWithin } from "../store/deadline.ts";
import { etagOf, type RenderedChangelog } from "./render-changelog.ts";

/** A rendered changelog, with the version of the idea bank's changelog that it shows. */
export type VersionedChangelog = RenderedChangelog & { readonly version: number };

/** `calls` counts a request's calls to KV. */
export type ChangelogStore = { readonly kv: KVNamespace; readonly calls?: StoreCalls | undefined };

const Metadata = z.object({ version: z.int(), etag: z.string() });

/** Entries that are not written again expire after this many seconds: so nothing that was deleted stays longer. */
const TIME_TO_LIVE_SECONDS = 86_400;
/**
 * An isolate stores an idea bank's changelog at most once in this time, in milliseconds, because a write to KV costs as much as
 * ten answers.
 */
const STORE_INTERVAL_MS = 10_000;
/** The times of this many idea banks are remembered. */
const MAX_TIMES = 10_000;
/** A call to KV may take this long, in milliseconds. */
const DEADLINE_MS = 1_000;

const keyOf = (ideaBankId: string) => `changelog/1/${ideaBankId}`;

export class StoredChangelogs {
  /** When each was last stored, in Unix milliseconds. */
  readonly #storedAt = new BoundedMap<number>({ max: MAX_TIMES });
  /** When each was last read, in Unix milliseconds. */
  readonly #readAt = new BoundedMap<number>({ max: MAX_TIMES });

  /**
   * The entry in KV, of any version. Undefined when it is missing or broken (its ETag does not fit its body), and when KV does
   * not answer in time. Never rejects.
   */
  async read({ kv, calls }: ChangelogStore, ideaBankId: string): Promise<VersionedChangelog | undefined> {
    const now = Date.now();
    const readAt = this.#readAt.get(ideaBankId);
    // A request that reads a slow D1 for the second time has already asked KV.
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
      logWarning("KV does not answer; rendering the changelog from D1", error);
      return undefined;
    }
  }

  /**
   * Stores a rendered changelog, unless KV is known to have this version or a newer one (`stored`, or the entry that is read here), or
   * this isolate has just stored one. An older one that comes late does no harm: readers compare its version with D1's. Never rejects:
   * if it fails, the next isolate renders and stores it.
   */
  async write(
    store: ChangelogStore,
    {
      ideaBankId,
      changelog: { bytes, version, etag },
      stored,
    }: {
      readonly ideaBankId: string;
      readonly changelog: VersionedChangelog;
      readonly stored: Promise<VersionedChangelog | undefined> | undefined;
    },
  ): Promise<void> {
    const now = Date.now();
    const storedAt = this.#storedAt.get(ideaBankId);
    if (storedAt !== undefined && isWithin(storedAt, now, STORE_INTERVAL_MS)) return;
    this.#storedAt.set(ideaBankId, now);
    const present = await (stored ?? this.read(store, ideaBankId));
    if (present !== undefined && present.version >= version) return;
    try {
      const metadata = { version, etag } satisfies z.infer<typeof Metadata>;
      if (store.calls !== undefined) store.calls.kv += 1;
      const put = store.kv.put(keyOf(ideaBankId), bytes, { metadata, expirationTtl: TIME_TO_LIVE_SECONDS });
      await answerWithin(DEADLINE_MS, put);
    } catch (error) {
      logWarning("KV did not take a rendered changelog", error);
    }
  }
}
