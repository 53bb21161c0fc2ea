/**
 * An isolate's views of idea banks (view.ts). A view is everything that the requests of an idea bank's panelists depend on, for all
 * panelists at once, but for the revocations of tokens, which are kept by account beside it.
 *
 * One D1 batch reads a view; kept.ts has the rules of its age and of an outage. Where there is no idea bank, and where its account
 * has too many revocations for a list, each request asks D1.
 *
 * Memory is bounded in bytes, and no account takes more than its share. Only what panelists have read is in it.
 */
import { isYoungToken } from "../credentials/compound-token.ts";
import { INACTIVE, type TokenRevocation } from "../database/idea-bank-view.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { capabilitiesOf, hasCapability } from "../model/capabilities.ts";
import type { Capability } from "../model/idea-bank.ts";
import { isEpochGood } from "../model/signed-token.ts";
import { laterOf } from "../store/anchors.ts";
import type { Database } from "../store/databases.ts";
import { DeadlineExceeded, type WaitUntil } from "../store/deadline.ts";
import { Kept, OUTAGE_MS } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import { Revocations } from "./revocations.ts";
import { type ChangelogStore, StoredChangelogs } from "./stored-changelogs.ts";
import { type Reach, readView, type View } from "./view.ts";

/** The content of a verified token. `issuedAt` is in Unix seconds; `panelistId` is null for a visitor. */
type Claims = {
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly issuedAt: number;
  readonly signed?: { readonly epoch: number };
};

/** `isRevoked`: the token is not valid. */
export type OpenedIdeaBank = Pick<View, "ideaBank" | "changelog"> & { readonly isRevoked: boolean };

/**
 * How a request opens an idea bank. `freshMs`: how old the view may be. A token that was issued less than `youngMs` ago is
 * refused only when the primary says so. `floor`: what the view includes at least. `capability`: what the token is refused without;
 * null: any capability. `store` where the changelog is wanted.
 */
export type OpenTerms = {
  readonly database: Database;
  readonly store: ChangelogStore | undefined;
  readonly freshMs: number;
  readonly youngMs: number;
  readonly floor: D1SessionBookmark | undefined;
  readonly capability: Capability | null;
  readonly waitUntil: WaitUntil;
};

/** `isFinal`: a revocation is for good, but a panelist who is inactive may be active again. */
type Found = { readonly opened: OpenedIdeaBank; readonly isFinal: boolean };

const MIB = 1024 * 1024;
export const MEMORY_BYTES = { views: 32 * MIB, share: 6 * MIB } as const;
/** With the identifiers of the proposals in its changelog. */
const VIEW_BYTES = 4_096;
/** Idea banks and panelists that were written to. */
const MAX_WRITTEN = 10_000;
/** A view is read anew after an answer when it is this old, in milliseconds. */
const RENEW_MS = 1_000;

export class IdeaBankViews {
  readonly #stored = new StoredChangelogs();
  readonly #revocations = new Revocations();
  readonly #views = new BoundedMap<Kept<View>>({
    max: MEMORY_BYTES.views,
    weigh: (view) => VIEW_BYTES + (view.last?.value.changelog?.bytes.byteLength ?? 0),
    share: { max: MEMORY_BYTES.share, ownerOf: (view) => view.last?.value.ideaBank?.accountId ?? "" },
    // When it is read anew, it is not older than it was.
    onDrop: ({ last }, ideaBankId) => last && this.noteWrite(ideaBankId, last.value.bookmark),
  });
  /** Where D1 stood when an idea bank, or a panelist, was written through this isolate. */
  readonly #written = new BoundedMap<D1SessionBookmark>({ max: MAX_WRITTEN });

  /**
   * The idea bank of a token as its panelist may see it now. Rejects as D1 does when it does not answer and memory holds nothing
   * that may be used.
   */
  async open(claims: Claims, terms: OpenTerms): Promise<OpenedIdeaBank> {
    const { opened, isFinal } = await this.#find(claims, terms);
    if (isFinal || !isRefused(opened, terms.capability)) return opened;
    // A secret that the view does not know yet has signed it: the view is too old to refuse it, whatever the signer's clock said.
    const isAhead = (claims.signed?.epoch ?? 0) > (opened.ideaBank?.signingEpoch ?? 0) && opened.ideaBank !== null;
    if (!isAhead && !isYoungToken(claims, terms.youngMs, Date.now())) return opened;
    return (await this.#ask(claims, terms, { atPrimary: true })).opened;
  }

  /**
   * An idea bank or a panelist was written through this isolate, up to `bookmark`. While D1 answers, later reads include that. Without a
   * bookmark, because sessions hang, the view is read anew.
   */
  noteWrite(id: string, bookmark: D1SessionBookmark | undefined): void {
    if (bookmark === undefined) this.#views.peek(id)?.expire();
    else this.#written.set(id, laterOf(this.#written.peek(id), bookmark));
  }

  /** Tokens of a panelist, or of an idea bank's visitors, were revoked through this isolate. It refuses them from now on, also while D1 does not answer. */
  noteRevocation(revocation: TokenRevocation): void {
    this.#revocations.note(revocation);
  }

  /** Every read for the panelist must include this bookmark. */
  floorOf({ panelistId, ideaBankId }: Pick<Claims, "panelistId" | "ideaBankId">): D1SessionBookmark {
    return laterOf(this.#written.peek(panelistId ?? ideaBankId), this.#written.peek(ideaBankId));
  }

  async #find(claims: Claims, terms: OpenTerms): Promise<Found> {
    const kept = this.#viewOf(claims.ideaBankId, terms.database);
    const isLookedUp = kept.last !== undefined && this.#isLookedUp(kept.last.value, claims);
    if (isLookedUp) return this.#ask(claims, terms, {});
    let asked: Found | undefined;
    const floor = laterOf(terms.floor, this.floorOf(claims));
    const view = await kept.get({
      load: async (isAhead) => {
        const { view, own } = await this.#read(claims, terms, { isAhead });
        asked = this.#open(claims, view, own);
        return view;
      },
      accepts: ({ bookmark, ideaBank }) =>
        bookmark >= floor && (ideaBank === null || this.#revocations.has(ideaBank.accountId)),
      freshMs: terms.freshMs,
      renewMs: RENEW_MS,
      waitUntil: terms.waitUntil,
    });
    if (this.#isLookedUp(view, claims)) return asked ?? this.#ask(claims, terms, {});
    return this.#open(claims, view, undefined);
  }

  /** The request's own read. */
  async #ask(claims: Claims, terms: OpenTerms, reach: Reach): Promise<Found> {
    const { view, own } = await this.#read(claims, terms, reach);
    return this.#open(claims, view, own);
  }

  /** Whether memory does not know the revocations of the token's panelist. */
  #isLookedUp({ ideaBank }: View, { panelistId }: Claims): boolean {
    if (panelistId === null) return false;
    return ideaBank === null || this.#revocations.revokedAt(ideaBank.accountId, panelistId) === undefined;
  }

  /** `own`: what D1 has just said of the panelist. */
  #open(claims: Claims, { ideaBank, changelog }: View, own: TokenRevocation | undefined): Found {
    const revokedAt = this.#revokedAt(claims, ideaBank, own);
    const isRevoked = claims.issuedAt * 1000 <= revokedAt;
    const isSecretGood =
      claims.signed === undefined || ideaBank === null || isEpochGood(claims.signed.epoch, ideaBank, Date.now());
    return {
      opened: { ideaBank, changelog, isRevoked: isRevoked || !isSecretGood },
      isFinal: isRevoked && revokedAt !== INACTIVE,
    };
  }

  /** The panelist's tokens that were issued until then (Unix milliseconds) are not valid; of a visitor, all visitors' of the idea bank. */
  #revokedAt({ ideaBankId, panelistId }: Claims, ideaBank: View["ideaBank"], own: TokenRevocation | undefined): number {
    if (panelistId === null)
      return Math.max(ideaBank?.visitorTokensEndedAt ?? -1, this.#revocations.latest(ideaBankId, undefined));
    const listed = ideaBank === null ? undefined : this.#revocations.revokedAt(ideaBank.accountId, panelistId);
    return listed ?? this.#revocations.latest(panelistId, own);
  }

  /** One D1 batch. Its view is kept, whoever asked for it. */
  async #read(claims: Claims, terms: OpenTerms, reach: Reach) {
    const { ideaBankId, panelistId } = claims;
    const { database, store, waitUntil } = terms;
    const readAt = Date.now();
    const previous = this.#views.peek(ideaBankId)?.last?.value;
    const seq = this.#revocations.seqOf(previous?.ideaBank?.accountId);
    const floor = laterOf(terms.floor, this.floorOf(claims));
    const sources = { database, store, stored: this.#stored, waitUntil };
    const { view, loaded } = await readView(sources, { ideaBankId, panelistId, seq }, previous, { ...reach, floor });
    if (loaded.ideaBank !== null) this.#revocations.add(loaded.ideaBank.accountId, seq, loaded.revocations);
    const kept = this.#viewOf(ideaBankId, database);
    kept.offer(view, readAt);
    // It weighs more than before, or memory has dropped it meanwhile.
    this.#views.set(ideaBankId, kept);
    return { view, own: loaded.own };
  }

  #viewOf(ideaBankId: string, database: Database): Kept<View> {
    return this.#views.getOrSet(
      ideaBankId,
      () =>
        new Kept<View>({
          now: () => Date.now(),
          isOutage: isDatabaseOutage,
          compare: (next, kept) => Number(next.bookmark > kept.bookmark) - Number(next.bookmark < kept.bookmark),
          // An answer of a replica was true some seconds before it was read.
          lastsMs: OUTAGE_MS - database.anchorMs,
          onOutage: (error, since) => {
            console.warn("D1 does not answer; an idea bank is served from memory", error);
            if (error instanceof DeadlineExceeded) database.missed(since);
          },
        }),
    );
  }
}

/** `capability` null: it is refused when nothing is open. */
const isRefused = ({ ideaBank, isRevoked }: OpenedIdeaBank, capability: Capability | null): boolean => {
  if (isRevoked || ideaBank === null) return true;
  return capability === null
    ? !Object.values(capabilitiesOf(ideaBank)).includes(true)
    : !hasCapability(ideaBank, capability);
};
