/**
 * An isolate's view of idea banks: what their panelists' requests need to know, for all panelists at once.
 *
 * A snapshot answers from memory while it is younger than the freshness window, and is refreshed ahead in the window's second
 * half; then one D1 round trip replaces it. Through an outage it serves for at most five minutes (kept-value.ts). Each idea bank
 * has a snapshot of its own, so that its failures are no other's.
 *
 * Memory is bounded in bytes. Only what panelists have read is in it: a tenant's writes add nothing.
 */

import type { Database } from "../database/databases.ts";
import { type Alongside, type LoadedSnapshot, loadIdeaBankSnapshot } from "../database/idea-bank-snapshots.ts";
import { isDatabaseOutage } from "../database/outage.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { JOIN_MS, type Later, type WaitUntil } from "../memory/deadline.ts";
import { KeptValue } from "../memory/kept-value.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { TokenRevocations } from "./token-revocations.ts";

/** What is read to go with it must not be older than its bookmark. */
type IdeaBankAsOf = { readonly ideaBank: IdeaBankState | null; readonly bookmark: D1SessionBookmark };

/** An idea bank (null when there is none) as of one read, and the revocations of its account. */
type Snapshot = IdeaBankAsOf & {
  readonly revocations: TokenRevocations;
  /** The one panelist who was looked up with it. */
  readonly own: { readonly panelistId: string; readonly revokedAt: number | null };
};

/** `tokensRevokedAt`: the panelist's tokens issued at or before this time (Unix milliseconds) are not valid; null for none. */
export type OpenedIdeaBank = IdeaBankAsOf & { readonly tokensRevokedAt: number | null };

/** At most `freshMs` old. `waitUntil` takes what is done after the answer. */
export type SnapshotTerms = {
  readonly freshMs: number;
  readonly waitUntil: WaitUntil;
  readonly alongside?: Alongside | undefined;
};

/** The idea bank and the panelist that a token names. */
type Names = { readonly ideaBankId: string; readonly panelistId: string };

type LoadOptions = {
  readonly previous: Snapshot | undefined;
  readonly isAhead: boolean;
  readonly alongside: Alongside | undefined;
};

export const MEMORY_BYTES = 32 * 1024 * 1024;
const SNAPSHOT_BYTES = 1_024;
const REVOCATION_BYTES = 96;
/** Snapshots of single panelists. */
const MAX_SINGLE = 5_000;

/**
 * Whether each panelist has a snapshot: the account has many revocations, or the idea bank is missing, and with it the way to the
 * account's list. A revoked token is refused there too, so that nothing tells a deleted idea bank from a closed one.
 */
const isPerPanelist = ({ ideaBank, revocations }: Snapshot): boolean => ideaBank === null || revocations.many;

const sizeOf = (kept: KeptValue<Snapshot>): number =>
  SNAPSHOT_BYTES + REVOCATION_BYTES * (kept.kept?.value.revocations.size ?? 0);

export class IdeaBankSnapshots {
  readonly #later: Later;
  readonly #kept = new BoundedMap<KeptValue<Snapshot>>({
    max: MEMORY_BYTES,
    weigh: sizeOf,
    onDrop: (kept, ideaBankId) => this.#unlink(ideaBankId, kept),
  });
  readonly #single = new BoundedMap<KeptValue<Snapshot>>({ max: MAX_SINGLE });
  /** By account: its revocations, and which of its idea banks are in memory. */
  readonly #accounts = new Map<string, { revocations: TokenRevocations; readonly ideaBankIds: Set<string> }>();
  /** Being read for the first time: whose they are is not known yet. */
  readonly #unread = new Set<KeptValue<Snapshot>>();

  constructor(later: Later) {
    this.#later = later;
  }

  /** Whether this isolate has read the idea bank, however long ago. */
  has(ideaBankId: string): boolean {
    return this.#kept.peek(ideaBankId)?.kept !== undefined;
  }

  /** Rejects as D1 does when it does not answer and memory holds nothing recent. */
  async read(database: Database, names: Names, terms: SnapshotTerms): Promise<OpenedIdeaBank> {
    const { freshMs, waitUntil, alongside } = terms;
    const { ideaBankId, panelistId } = names;
    const common = this.#keptOf(this.#kept, ideaBankId);
    const known = common.kept?.value;
    const kept = known && isPerPanelist(known) ? this.#keptOf(this.#single, `${ideaBankId} ${panelistId}`) : common;
    const load = (previous: Snapshot | undefined, isAhead: boolean) =>
      this.#load(database, names, { previous, isAhead, alongside }, kept);
    const snapshot = await kept.read(load, freshMs, waitUntil);
    const { ideaBank, bookmark, revocations, own } = snapshot;
    const opened = { ideaBank, bookmark };
    if (!isPerPanelist(snapshot)) return { ...opened, tokensRevokedAt: revocations.of(panelistId) ?? null };
    if (own.panelistId === panelistId) return { ...opened, tokensRevokedAt: own.revokedAt };
    // Another panelist's read has just found out that each panelist needs a snapshot.
    return this.read(database, names, terms);
  }

  /** The idea bank was written through this isolate: the next read goes to D1. What is kept still serves through an outage. */
  expire(ideaBankId: string): void {
    this.#expireAll(new Set([ideaBankId]));
  }

  /** The same for every idea bank of an account that is in memory, or is being read for the first time. */
  expireAccount(accountId: string): void {
    this.#expireAll(this.#accounts.get(accountId)?.ideaBankIds ?? new Set());
    for (const kept of this.#unread) kept.expire();
  }

  /** Idea banks of one account. Its panelists are walked once at most, however many of its idea banks are in memory. */
  #expireAll(ideaBankIds: ReadonlySet<string>): void {
    for (const id of ideaBankIds) this.#kept.peek(id)?.expire();
    const [first] = ideaBankIds;
    if (first === undefined || !this.#kept.peek(first)?.kept?.value.revocations.many) return;
    for (const key of this.#single.keys()) {
      const [ideaBankId = ""] = key.split(" ");
      if (ideaBankIds.has(ideaBankId)) this.#single.peek(key)?.expire();
    }
  }

  #keptOf(cache: BoundedMap<KeptValue<Snapshot>>, key: string): KeptValue<Snapshot> {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const kept = new KeptValue<Snapshot>({
      now: Date.now,
      isOutage: isDatabaseOutage,
      joins: true,
      joinMs: JOIN_MS,
      later: this.#later,
      // Replicas answer out of order: what D1 has seen decides, not when a read began.
      supersedes: (value, current) => value.bookmark >= current.bookmark,
      onOutage: (error) => console.warn("D1 does not answer; an idea bank is served from memory", error),
    });
    cache.set(key, kept);
    return kept;
  }

  async #load(
    database: Database,
    names: Names,
    { previous, isAhead, alongside }: LoadOptions,
    kept: KeptValue<Snapshot>,
  ): Promise<Snapshot> {
    const { ideaBankId, panelistId } = names;
    if (previous === undefined) this.#unread.add(kept);
    try {
      const { revocations = new TokenRevocations() } = previous ?? this.#kept.peek(ideaBankId)?.kept?.value ?? {};
      const { seq } = revocations;
      const load = async (session: D1DatabaseSession) => ({
        ...(await loadIdeaBankSnapshot(session, ideaBankId, panelistId, seq, alongside)),
        bookmark: session.getBookmark() ?? "",
      });
      // A replica may be behind. What it says is closed or missing was perhaps opened or created a moment ago: the primary knows.
      const needsPrimary = ({ ideaBank }: LoadedSnapshot) =>
        previous === undefined && (ideaBank === null || !hasCapability(ideaBank, "canViewChangelog"));
      const loaded = await database.read({ ideaBankId }, load, { isAhead, needsPrimary });
      if (loaded.ideaBank !== null && loaded.alongside !== undefined)
        await alongside?.keep(loaded.alongside, loaded.ideaBank);
      return this.#link(names, loaded, revocations, kept);
    } finally {
      this.#unread.delete(kept);
    }
  }

  /**
   * Remembers whose idea bank it is, and adds what was read to the account's revocations. `before`: the revocations that were known
   * when the read began. It asked for those after them.
   */
  #link(
    { ideaBankId, panelistId }: Names,
    { ideaBank, bookmark, ownRevokedAt, revocations: news }: LoadedSnapshot & { bookmark: D1SessionBookmark },
    before: TokenRevocations,
    kept: KeptValue<Snapshot>,
  ): Snapshot {
    const current = kept.kept?.value;
    const accountId = ideaBank?.accountId ?? current?.ideaBank?.accountId;
    const known = accountId === undefined ? undefined : this.#accounts.get(accountId);
    const account = known ?? { revocations: new TokenRevocations(), ideaBankIds: new Set<string>() };
    // A list that was begun since lacks what this read did not ask for.
    if (account.revocations.seq < before.seq) account.revocations = before;
    account.revocations.add({ revocations: news });
    if (ideaBank === null) {
      // What is older than what is kept is not kept: a replica may not have heard of the idea bank yet.
      if (current === undefined || bookmark >= current.bookmark) this.#unlink(ideaBankId, kept);
    } else if (accountId !== undefined && this.#kept.peek(ideaBankId) === kept) {
      account.ideaBankIds.add(ideaBankId);
      this.#accounts.set(accountId, account);
      this.#kept.set(ideaBankId, kept);
    }
    const own = { panelistId, revokedAt: ownRevokedAt };
    return { ideaBank, bookmark, own, revocations: account.revocations };
  }

  #unlink(ideaBankId: string, kept: KeptValue<Snapshot>): void {
    const accountId = kept.kept?.value.ideaBank?.accountId;
    const account = accountId === undefined ? undefined : this.#accounts.get(accountId);
    account?.ideaBankIds.delete(ideaBankId);
    if (accountId !== undefined && account?.ideaBankIds.size === 0) this.#accounts.delete(accountId);
  }
}
