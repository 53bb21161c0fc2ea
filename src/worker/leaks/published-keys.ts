/**
 * The keys with which GitHub signs its reports: it publishes them at a URL, by identifier. An isolate asks for them once an hour, and
 * KV keeps them with their age for isolates to come, because GitHub answers 60 requests an hour for an address, and Workers share
 * addresses. With the secret GITHUB_KEYS_TOKEN GitHub counts only that token's requests.
 *
 * While GitHub refuses, known keys stay in use for 90 days. A withdrawn key does no harm: anyone with a leaked secret can
 * end it by the form, too.
 */
import * as z from "zod/mini";
import { logWarning } from "../log.ts";
import { answerWithin, isWithin, type WaitUntil } from "../store/deadline.ts";
import { Kept } from "../store/kept.ts";

const Stored = z.object({
  url: z.string(),
  askedAt: z.int(),
  etag: z.nullable(z.string()),
  keys: z.record(z.string(), z.string()),
});
type Published = z.infer<typeof Stored>;

const FRESH_MS = 3_600_000;
const LASTS_MS = 90 * 86_400_000;
/** Anybody can send an unknown identifier. So for unknown identifiers GitHub is asked at most this often. */
const ASK_AGAIN_MS = 600_000;
const ASK_AGAIN_AFTER_FAILURE_MS = { least: 60_000, most: 3_600_000 };
const DEADLINE_MS = { github: 5_000, kv: 1_000 };
/** A key in the namespace of the rendered changelogs. */
const KEY = "leaks/1/published-keys";

/** GitHub cannot be asked before `until`, in Unix milliseconds. */
export class KeysUnavailable extends Error {
  readonly until: number;

  constructor(until: number, cause: unknown) {
    super(`GitHub does not say its keys: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.until = until;
  }
}

/** `token` is a token of GitHub. */
type Source = {
  readonly url: string;
  readonly token?: string | undefined;
  readonly kv: KVNamespace;
  readonly waitUntil: WaitUntil;
};

const knows = ({ keys }: Published, identifier: string): boolean => Object.hasOwn(keys, identifier);
const isFresh = (published: Published, identifier: string): boolean =>
  isWithin(published.askedAt, Date.now(), knows(published, identifier) ? FRESH_MS : ASK_AGAIN_MS);

export class PublishedKeys {
  readonly #kept = new Kept<Published>({ now: () => Date.now(), isOutage: () => true });
  #failure: KeysUnavailable | undefined;

  /** The key in PEM; undefined when GitHub does not publish it. Throws `KeysUnavailable` when that is not known. */
  async find(source: Source, identifier: string): Promise<string | undefined> {
    const accepts = (published: Published) => published.url === source.url && isFresh(published, identifier);
    const published = await this.#kept.get({
      load: () => this.#load(source, accepts),
      freshMs: Number.POSITIVE_INFINITY,
      accepts,
      servesOutage: false,
    });
    if (knows(published, identifier)) return published.keys[identifier];
    if (accepts(published)) return undefined;
    throw this.#failure ?? new KeysUnavailable(Date.now() + ASK_AGAIN_AFTER_FAILURE_MS.least, "not known");
  }

  /** The newest that there is. GitHub is asked when neither memory nor KV is accepted. Rejects when nothing is known at all. */
  async #load(source: Source, accepts: (published: Published) => boolean): Promise<Published> {
    const kept = this.#kept.last?.value;
    const stored = kept === undefined || !accepts(kept) ? await readStored(source) : undefined;
    const known = [stored, kept].find((each) => each?.url === source.url);
    if (known !== undefined && accepts(known)) return known;
    try {
      return await this.#ask(source, known);
    } catch (error) {
      if (known !== undefined && isWithin(known.askedAt, Date.now(), LASTS_MS)) return known;
      throw error;
    }
  }

  async #ask(source: Source, known: Published | undefined): Promise<Published> {
    const now = Date.now();
    if (
      this.#failure !== undefined &&
      now < this.#failure.until &&
      now >= this.#failure.until - ASK_AGAIN_AFTER_FAILURE_MS.most
    )
      throw this.#failure;
    try {
      const published = await fetchKeys(source, known);
      this.#failure = undefined;
      source.waitUntil(store(source.kv, published));
      return published;
    } catch (error) {
      const waitMs = error instanceof Refused ? error.waitMs : 0;
      const { least, most } = ASK_AGAIN_AFTER_FAILURE_MS;
      this.#failure = new KeysUnavailable(now + Math.min(most, Math.max(least, waitMs)), error);
      throw this.#failure;
    }
  }
}

/** Undefined when KV has nothing of this form, or does not answer in time. */
async function readStored({ kv }: Source): Promise<Published | undefined> {
  try {
    const read = Stored.safeParse(await answerWithin(DEADLINE_MS.kv, kv.get(KEY, "json")));
    return read.success ? read.data : undefined;
  } catch (error) {
    logWarning("KV does not answer; GitHub is asked for its keys", error);
    return undefined;
  }
}

async function store(kv: KVNamespace, published: Published): Promise<void> {
  try {
    const put = kv.put(KEY, JSON.stringify(published), { expirationTtl: LASTS_MS / 1_000 });
    await answerWithin(DEADLINE_MS.kv, put);
  } catch (error) {
    logWarning("KV did not take GitHub's keys", error);
  }
}

/** `waitMs`: for so long GitHub refuses by its own words. */
class Refused extends Error {
  readonly waitMs: number;

  constructor({ status, headers }: Response) {
    super(`GitHub's keys: ${status}`);
    const [after, reset] = [headers.get("Retry-After"), headers.get("X-RateLimit-Reset")].map(Number);
    this.waitMs = after
      ? after * 1_000
      : reset && headers.get("X-RateLimit-Remaining") === "0"
        ? reset * 1_000 - Date.now()
        : 0;
  }
}

async function fetchKeys({ url, token }: Source, last: Published | undefined): Promise<Published> {
  const askedAt = Date.now();
  const answer = await fetch(url, {
    headers: {
      Accept: "application/json",
      "User-Agent": "edge-access-api",
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(last?.etag && { "If-None-Match": last.etag }),
    },
    redirect: "manual",
    signal: AbortSignal.timeout(DEADLINE_MS.github),
  });
  if (answer.status === 304 && last !== undefined) return { ...last, askedAt };
  if (!answer.ok) throw new Refused(answer);
  const { public_keys: published } = await answer.json<{ public_keys: { key_identifier: string; key: string }[] }>();
  const keys = Object.fromEntries(published.map(({ key_identifier, key }) => [key_identifier, key]));
  return { url, etag: answer.headers.get("ETag"), keys, askedAt };
}
