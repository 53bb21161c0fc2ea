/**
 * An isolate's views of idea banks (read-view.ts). A view holds everything that the requests of an idea bank's panelists depend on,
 * for all panelists at once. Only the revocations of tokens are kept beside it, by account.
 *
 * One D1 batch reads a view; kept.ts has the rules for its age and for an outage. For an idea bank that does not exist, and for
 * a panelist who may be in the part that was cut from a long list of revocations, each request asks D1.
 *
 * Memory is bounded in bytes, and no account takes more than its share. It holds only idea banks that panelists have read.
 */
import { isIssuedAfter, isYoungToken, type VerifiedToken } from "../credentials/compound-token.ts";
import { INACTIVE, type TokenRevocation } from "../database/idea-banks/idea-bank-view.ts";
import type { EndOfTokens } from "../database/tokens/end-of-tokens.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { capabilitiesOf, hasCapability } from "../model/capabilities.ts";
import type { Capability, IdeaBankState } from "../model/idea-bank.ts";
import {
  type AnyToken,
  compareEpoch,
  isEpochGood,
  type SigningEpoch,
  type SigningEpochs,
} from "../model/signed-token.ts";
import { laterOf } from "../store/anchors.ts";
import type { Database } from "../store/databases.ts";
import type { WaitUntil } from "../store/deadline.ts";
import { Kept, OUTAGE_MS } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import { PanelistIds } from "./panelist-ids.ts";
import { readView, type View, type ViewReadOptions } from "./read-view.ts";
import { RenderedFeeds } from "./rendered-feeds.ts";
import { Revocations } from "./revocations.ts";
import { type ChangelogStore, StoredChangelogs } from "./stored-changelogs.ts";

/** The content of a verified token. `issuedAt` is in Unix seconds; `panelistId` is null for a visitor. */
type Claims = {
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly issuedAt: number;
  readonly signed?: SigningEpoch;
};

/**
 * `isRevoked`: the token is no longer valid. `isFinal`: that is permanent, as a secret's end is. An inactive panelist, in contrast, may
 * become active again.
 */
export type OpenedIdeaBank = Pick<View, "ideaBank" | "changelog"> & {
  readonly isRevoked: boolean;
  readonly isFinal: boolean;
};

/**
 * The conditions under which a request opens an idea bank.
 *
 * - `freshMs`: the maximum age of the view.
 * - `since`: when the request began, in Unix milliseconds. What it has read itself is fresh.
 * - `youngMs`: a token that was issued less than this ago is refused only if the primary confirms it.
 * - `floor`: the bookmark that the view includes at least.
 * - `capability`: the token is refused without it; null accepts any capability.
 * - `admitLookup`: called before D1 is asked for this one request, although the view is fresh, and before a refusal. It rejects when
 *   the sender has sent too many such requests. The first call of a request counts.
 * - `store`: KV, for a request that shows the changelog. Without it KV is neither read nor written.
 */
export type OpenTerms = {
  readonly database: Database;
  readonly store: ChangelogStore | undefined;
  readonly freshMs: number;
  readonly since?: number;
  readonly youngMs: number;
  readonly floor: D1SessionBookmark | undefined;
  readonly capability: Capability | null;
  readonly admitLookup: () => Promise<void>;
  readonly waitUntil: WaitUntil;
};

/** `view`: the one that was read for it. */
type Asked = { readonly opened: OpenedIdeaBank; readonly view: View };

const MIB = 1024 * 1024;
export const MEMORY_BYTES = { views: 32 * MIB, share: 6 * MIB } as const;
/** Includes the identifiers of the proposals in its changelog. */
const VIEW_BYTES = 4_096;
/** The number of idea banks and panelists whose last write is remembered. */
const MAX_WRITTEN = 10_000;
/** A view that is this old, in milliseconds, is refreshed after an answer. */
const RENEW_MS = 1_000;

export class IdeaBankViews {
  /** The feeds, rendered from views. */
  readonly feeds = new RenderedFeeds();
  readonly panelistIds = new PanelistIds();
  readonly #stored = new StoredChangelogs();
  readonly #revocations = new Revocations();
  readonly #views = new BoundedMap<Kept<View>>({
    max: MEMORY_BYTES.views,
    weigh: (view) => VIEW_BYTES + (view.last?.value.changelog?.bytes.byteLength ?? 0),
    share: { max: MEMORY_BYTES.share, ownerOf: (view) => view.last?.value.ideaBank?.accountId ?? "" },
    // The view is remembered as a bookmark, so the next read does not go back behind it.
    onDrop: ({ last }, ideaBankId) => last && this.noteWrite(ideaBankId, last.value.bookmark),
  });
  /** The bookmark of the last write through this isolate, by idea bank or panelist. */
  readonly #written = new BoundedMap<D1SessionBookmark>({ max: MAX_WRITTEN });

  /** When one was last written through this isolate without a bookmark, in Unix milliseconds. */
  readonly #writtenAt = new BoundedMap<number>({ max: MAX_WRITTEN });

  /** When the idea bank was last written here without a bookmark: what was read before is not shown any more. In Unix milliseconds. */
  writtenAt(ideaBankId: string): number {
    return this.#writtenAt.peek(ideaBankId) ?? 0;
  }

  /**
   * The token with its panelist. In an isolate that has not seen the account of a signed token, the view is read, because it brings
   * the account's salt and is needed next. If the idea bank does not exist, the salt is read by itself.
   */
  async identify(token: AnyToken, terms: Omit<OpenTerms, "floor">): Promise<VerifiedToken> {
    const known = await this.panelistIds.identify(token);
    if (known !== undefined) return known;
    const { ideaBankId, issuedAt } = token;
    await this.#lookUp({ ideaBankId, issuedAt, panelistId: null }, { ...terms, floor: undefined });
    const found = await this.panelistIds.identify(token);
    if (found !== undefined) return found;
    await terms.admitLookup();
    return this.panelistIds.identifyAt(token, terms.database);
  }

  /**
   * The idea bank of a token, as its panelist may see it now. Rejects as D1 does when D1 does not answer and memory has nothing
   * usable.
   */
  async open(claims: Claims, terms: OpenTerms): Promise<OpenedIdeaBank> {
    const opened = await this.#lookUp(claims, terms);
    if (opened.isFinal || !isRefused(opened, terms.capability)) return opened;
    // The token was signed with a secret that the view does not know yet: the view is too old to refuse it, whatever the signer's
    // clock says.
    const hasNewerEpoch =
      claims.signed !== undefined && opened.ideaBank !== null && compareEpoch(claims.signed, opened.ideaBank) > 0;
    const isDoubtful = hasNewerEpoch || isYoungToken(claims, terms.youngMs, Date.now());
    if (opened.isRevoked && !isDoubtful) return opened;
    // Even where memory is certain: otherwise the limit would distinguish a closed idea bank from one that does not exist.
    await terms.admitLookup();
    if (!isDoubtful) return opened;
    return (await this.#ask(claims, terms, { atPrimary: true })).opened;
  }

  /**
   * The idea bank as everybody may see it, without a token. What memory refuses, the primary is asked about, because it may have been
   * switched on a moment ago.
   */
  async openForEverybody(
    ideaBankId: string,
    terms: Omit<OpenTerms, "floor" | "capability" | "youngMs">,
    isOpen: (ideaBank: IdeaBankState) => boolean,
  ): Promise<Pick<View, "ideaBank" | "changelog">> {
    const claims = { ideaBankId, panelistId: null, issuedAt: 0 };
    const asked = { ...terms, floor: undefined, capability: null, youngMs: 0 };
    if (this.#views.peek(ideaBankId)?.last === undefined) await terms.admitLookup();
    const opened = await this.#lookUp(claims, asked);
    if (opened.ideaBank !== null && isOpen(opened.ideaBank)) return opened;
    await terms.admitLookup();
    return (await this.#ask(claims, asked, { atPrimary: true })).opened;
  }

  /**
   * Notes that an idea bank or a panelist was written through this isolate, up to `bookmark`. Later reads include that write
   * while D1 answers. Without a bookmark, because sessions hang, an idea bank's view expires.
   */
  noteWrite(id: string, bookmark: D1SessionBookmark | undefined): void {
    if (bookmark === undefined) {
      this.#views.peek(id)?.expire();
      this.#writtenAt.set(id, Date.now());
    } else this.#written.set(id, laterOf(this.#written.peek(id), bookmark));
  }

  /**
   * Notes that tokens of a panelist, or of an idea bank's visitors, were revoked through this isolate. From now on it refuses
   * them, even while D1 does not answer.
   */
  noteRevocation(revocation: TokenRevocation): void {
    this.#revocations.note(revocation);
  }

  /** Notes that all tokens of an account were ended through this isolate, in the same way. */
  noteEnd(accountId: string, end: EndOfTokens): void {
    this.#revocations.noteEnd(accountId, end);
  }

  /** Notes that a secret for signing tokens was rotated or ended through this isolate, in the same way. */
  noteEpochs(ideaBankId: string, epochs: SigningEpochs): void {
    this.#revocations.noteEpochs(ideaBankId, epochs);
  }

  /** The bookmark that every read for this panelist must include. */
  floorOf({ panelistId, ideaBankId }: Pick<Claims, "panelistId" | "ideaBankId">): D1SessionBookmark {
    return laterOf(this.#written.peek(panelistId ?? ideaBankId), this.#written.peek(ideaBankId));
  }

  /** Whether memory, however old, would refuse the token or lacks the capability for it. No I/O: D1 decides. */
  doubts(claims: Claims, capability: Capability): boolean {
    const view = this.#views.peek(claims.ideaBankId)?.last?.value;
    return view !== undefined && isRefused(this.#open(claims, view, undefined), capability);
  }

  async #lookUp(claims: Claims, terms: OpenTerms): Promise<OpenedIdeaBank> {
    const kept = this.#viewOf(claims.ideaBankId, terms.database);
    const needsLookup = kept.last !== undefined && this.#needsLookup(kept.last.value, claims);
    if (needsLookup) return (await this.#askAgain(claims, terms)).opened;
    let asked: Asked | undefined;
    const floor = laterOf(terms.floor, this.floorOf(claims));
    const view = await kept.get({
      load: async (isBackground) => {
        asked = await this.#ask(claims, { ...terms, database: terms.database.withoutBudget() }, { isBackground });
        return asked.view;
      },
      accepts: ({ bookmark, ideaBank }) =>
        bookmark >= floor && (ideaBank === null || this.#revocations.has(ideaBank.accountId)),
      freshMs: terms.freshMs,
      since: terms.since,
      renewMs: RENEW_MS,
      withinMs: terms.database.within(Number.POSITIVE_INFINITY),
      waitUntil: terms.waitUntil,
    });
    if (this.#needsLookup(view, claims)) return (asked ?? (await this.#askAgain(claims, terms))).opened;
    return this.#open(claims, view, undefined);
  }

  async #askAgain(claims: Claims, terms: OpenTerms): Promise<Asked> {
    await terms.admitLookup();
    return this.#ask(claims, terms, {});
  }

  /** Whether memory lacks the revocations of the token's panelist. */
  #needsLookup({ ideaBank }: View, claims: Claims): boolean {
    const { panelistId } = claims;
    if (panelistId === null) return false;
    return ideaBank === null || this.#revocations.revokedAt(ideaBank.accountId, panelistId, claims) === undefined;
  }

  /** `own`: the panelist's revocation as D1 has just answered it. */
  #open(claims: Claims, { ideaBank: read, changelog }: View, own: TokenRevocation | undefined): OpenedIdeaBank {
    const ideaBank = read && this.#revocations.withEnd(read);
    const { signed } = claims;
    const revokedAt = this.#revokedAt(claims, ideaBank, own);
    const isRevoked = !isIssuedAfter(claims, revokedAt);
    const isEnded = signed === undefined && !isIssuedAfter(claims, ideaBank?.tokensEndedAt ?? -1);
    const isEndedHere = signed !== undefined && this.#revocations.isSecretEnded(claims.ideaBankId, signed, Date.now());
    const isSecretGood =
      signed === undefined || ideaBank === null || (!isEndedHere && isEpochGood(signed, ideaBank, Date.now()));
    const isBehind = signed !== undefined && ideaBank !== null && compareEpoch(signed, ideaBank) < 0;
    return {
      ...{ ideaBank, changelog, isRevoked: isRevoked || isEnded || !isSecretGood },
      isFinal: (isRevoked && revokedAt !== INACTIVE) || isEnded || isEndedHere || (!isSecretGood && isBehind),
    };
  }

  /**
   * Tokens that were issued at or before this time (Unix milliseconds) are not valid. For a visitor's token it is the time of all
   * visitors of the idea bank.
   */
  #revokedAt(claims: Claims, ideaBank: View["ideaBank"], own: TokenRevocation | undefined): number {
    const { panelistId } = claims;
    if (panelistId === null)
      return Math.max(ideaBank?.visitorTokensEndedAt ?? -1, this.#revocations.latest(claims.ideaBankId, undefined));
    const listed = ideaBank === null ? undefined : this.#revocations.revokedAt(ideaBank.accountId, panelistId, claims);
    return listed ?? this.#revocations.latest(panelistId, own);
  }

  /** Reads in one D1 batch, and keeps the view for all requests. */
  async #ask(claims: Claims, terms: OpenTerms, options: ViewReadOptions): Promise<Asked> {
    const { ideaBankId, panelistId } = claims;
    const { database, store, waitUntil } = terms;
    const readAt = Date.now();
    const previous = this.#views.peek(ideaBankId)?.last?.value;
    const seq = this.#revocations.seqOf(previous?.ideaBank?.accountId);
    const floor = laterOf(terms.floor, this.floorOf(claims));
    const sources = { database, store, stored: this.#stored, waitUntil };
    const { view, loaded } = await readView(sources, {
      known: { ideaBankId, panelistId, seq },
      previous,
      options: { ...options, floor },
    });
    if (loaded.ideaBank !== null) {
      const { accountId, panelistSalt } = loaded.ideaBank;
      this.#revocations.add(accountId, seq, loaded.revocations);
      this.panelistIds.note(accountId, panelistSalt);
    }
    const kept = this.#viewOf(ideaBankId, database);
    kept.offer(view, readAt);
    // It may weigh more than before, or memory may have dropped it in the meantime.
    this.#views.set(ideaBankId, kept);
    return { view, opened: this.#open(claims, view, loaded.own) };
  }

  #viewOf(ideaBankId: string, database: Database): Kept<View> {
    return this.#views.getOrSet(
      ideaBankId,
      () =>
        new Kept<View>({
          now: () => Date.now(),
          isOutage: isDatabaseOutage,
          compare: (next, kept) => Number(next.bookmark > kept.bookmark) - Number(next.bookmark < kept.bookmark),
          // A replica's answer may have been true some seconds before the read.
          lastsMs: OUTAGE_MS - database.anchorMs,
          onOutage: (error, since) => database.noteOutage("D1 does not answer for an idea bank's view", error, since),
        }),
    );
  }
}

/** `capability` null: refused when no capability is open. */
const isRefused = ({ ideaBank, isRevoked }: OpenedIdeaBank, capability: Capability | null): boolean => {
  if (isRevoked || ideaBank === null) return true;
  return capability === null
    ? !Object.values(capabilitiesOf(ideaBank)).includes(true)
    : !hasCapability(ideaBank, capability);
};
