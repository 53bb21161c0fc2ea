/**
 * An isolate's views of idea banks (view.ts): all that their panelists' requests depend on, for all panelists at once.
 *
 * One value is kept for each idea bank, and one D1 batch reads all of it; kept-value.ts has the rules of its age and of an outage.
 * The revocations of an account are kept once beside its views. Of an account with many, and where there is no idea bank, the
 * token's panelist is kept on its own, and read by the same batch.
 *
 * Memory is bounded in bytes, and no account takes more than its share. Only what panelists have read is in it.
 */
import { isYoungToken } from "../credentials/compound-token.ts";
import { laterOf } from "../database/anchors.ts";
import type { Database } from "../database/databases.ts";
import { INACTIVE, type TokenRevocation } from "../database/idea-bank-view.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { answerWithin, DEADLINE_MS, type WaitUntil } from "../memory/deadline.ts";
import { type Kept, KeptValue, type KeptValueOptions, type ReadTerms } from "../memory/kept-value.ts";
import { capabilitiesOf, hasCapability } from "../model/capabilities.ts";
import type { Capability } from "../model/idea-bank.ts";
import { AccountMemory } from "./account-memory.ts";
import { type Found, foundAlone, foundIn, laterOwn, NEVER_REVOKED, type OwnRevocation } from "./own-revocation.ts";
import { StoredChangelogs } from "./stored-changelogs.ts";
import { type Reach, readView, type View } from "./view.ts";

/** The content of a verified token. `issuedAt` is in Unix seconds. */
type Claims = { readonly ideaBankId: string; readonly panelistId: string; readonly issuedAt: number };

/** `isRevoked`: the token is not valid. */
export type OpenedIdeaBank = Pick<View, "ideaBank" | "changelog"> & { readonly isRevoked: boolean };

/**
 * How a request opens an idea bank. `freshMs`: how old the view may be. `doubtMs`: a token that was issued less than this ago is
 * refused only when the primary says so. `floor`: what the view includes at least. `capability`: what the token is refused without;
 * null: any capability. `kv` where the changelog is wanted.
 */
export type OpenTerms = {
  readonly database: Database;
  readonly kv: KVNamespace | undefined;
  readonly freshMs: number;
  readonly doubtMs: number;
  readonly floor: D1SessionBookmark | undefined;
  readonly capability: Capability | null;
  readonly waitUntil: WaitUntil;
};

type SaidBy = "primary" | "memory";

const MIB = 1024 * 1024;
export const MEMORY_BYTES = { views: 32 * MIB, share: 6 * MIB } as const;
const VIEW_BYTES = 1_024;
/** Panelists who are kept on their own, idea banks whose refusals are doubted, idea banks that were written to. */
const MAX = { panelists: 10_000, doubts: 1_000, written: 10_000 } as const;
/** A view is read anew after an answer when it is this old, in milliseconds. */
const RENEW_MS = 1_000;
const NEVER = Number.NEGATIVE_INFINITY;

const laterView = (next: View, kept: View): View => ({
  ...(next.bookmark >= kept.bookmark ? next : kept),
  primaryAt: Math.max(next.primaryAt, kept.primaryAt),
});

export class IdeaBankViews {
  readonly #stored = new StoredChangelogs();
  readonly #views = new BoundedMap<KeptValue<View>>({
    max: MEMORY_BYTES.views,
    weigh: (view) => VIEW_BYTES + (view.kept?.value.changelog?.bytes.byteLength ?? 0),
    share: { max: MEMORY_BYTES.share, ownerOf: (view) => view.kept?.value.ideaBank?.accountId ?? "" },
    // Read anew, it is not older than it was.
    onDrop: ({ kept }, ideaBankId) => kept && this.noteWrite(ideaBankId, kept.value.bookmark),
  });
  readonly #accounts = new AccountMemory();
  readonly #panelists = new BoundedMap<KeptValue<OwnRevocation>>({ max: MAX.panelists });
  /** Who was asked about a refusal, by idea bank. What was said is in the views. */
  readonly #doubts = new BoundedMap<KeptValue<SaidBy>>({ max: MAX.doubts });
  /** Where D1 stood when this isolate wrote to an idea bank or to people of an account, or read a view that was dropped since. */
  readonly #written = new BoundedMap<D1SessionBookmark>({ max: MAX.written });

  /** From memory, when that is young enough and refuses nothing. What is due is read after the answer. */
  openFromMemory(claims: Claims, terms: OpenTerms, renews = true): OpenedIdeaBank | undefined {
    const found = this.#find(claims, terms, renews);
    if (found === undefined) return undefined;
    const opened = this.#open(claims, found);
    return isRefused(opened, terms.capability) ? undefined : opened;
  }

  /**
   * The idea bank of a token as its panelist may see it now. Rejects as D1 does when it does not answer and memory holds nothing
   * that may be used.
   */
  async open(claims: Claims, terms: OpenTerms): Promise<OpenedIdeaBank> {
    const began = Date.now();
    const confirmedAt = this.#views.peek(claims.ideaBankId)?.kept?.value.primaryAt ?? NEVER;
    const found = this.#find(claims, terms) ?? (await answerWithin(DEADLINE_MS.without, this.#read(claims, terms)));
    const opened = this.#open(claims, found);
    // A revocation is for good. Who is inactive, and what is closed or missing, may have been so before the token was issued: so may
    // what the primary has said since, to a read that began before this request.
    const saidAt = opened.isRevoked ? found.askedAt : found.view.primaryAt;
    const isConfirmed = saidAt > confirmedAt && saidAt >= began;
    const isFinal = (opened.isRevoked && found.revokedAt !== INACTIVE) || isConfirmed;
    if (isFinal || !isRefused(opened, terms.capability) || !isYoungToken(claims, terms.doubtMs, Date.now()))
      return opened;
    const { ideaBankId, panelistId } = claims;
    // One question answers for all panelists; but not who is inactive, where each is looked up alone.
    const isOwn = opened.isRevoked && this.#listed(found.view) === undefined;
    const name = isOwn ? `${ideaBankId} ${panelistId}` : ideaBankId;
    const doubt = this.#doubts.getOrSet(name, () => newKept<SaidBy>(terms.database, { paced: true }));
    const load = async () => {
      await this.#load(claims, terms, { atPrimary: true });
      return "primary" as const;
    };
    // Another read, however old, may bring what refuses nothing.
    const atAnyAge = { ...terms, freshMs: Number.POSITIVE_INFINITY };
    const instead = () => this.openFromMemory(claims, atAnyAge, false) && ("memory" as const);
    const { waitUntil } = terms;
    const ask = async (): Promise<OpenedIdeaBank> => {
      const saidBy = await doubt.read({ load, instead, freshMs: 0, since: began, servesOutage: false, waitUntil });
      // What the primary has said is in memory, and young enough for whoever waited for it.
      const said = this.#open(claims, await this.#read(claims, terms, began));
      return saidBy === "primary" || !isRefused(said, terms.capability) ? said : ask();
    };
    return answerWithin(DEADLINE_MS.without, ask());
  }

  /** The idea bank, or people of the account, were written through this isolate, up to `bookmark`: what is read later includes that, while D1 answers. */
  noteWrite(id: string, bookmark: D1SessionBookmark): void {
    this.#written.set(id, laterOf(this.#written.peek(id), bookmark));
  }

  /** Where D1 stood when this isolate wrote people of the account: names that lists show. */
  writtenOf(accountId: string): D1SessionBookmark {
    return this.#written.peek(accountId) ?? "";
  }

  /** A panelist's tokens were revoked through this isolate: it refuses them from now on, also while D1 does not answer. */
  noteRevocation(
    accountId: string,
    revocation: TokenRevocation,
    bookmark: D1SessionBookmark,
    database: Database,
  ): void {
    this.#accounts.of(accountId).revocations.add(revocation);
    this.#ownOf(revocation.panelistId, database).offer({ ...revocation, bookmark, primaryAt: NEVER }, Date.now());
  }

  /** What a list must include for this panelist: what this isolate has revoked, and what tenants have changed through it. */
  floorOf(panelistId: string, ideaBankId: string): D1SessionBookmark {
    return laterOf(this.#panelists.peek(panelistId)?.kept?.value.bookmark, this.#written.peek(ideaBankId));
  }

  /** The account was suspended or resumed through this isolate. */
  noteSuspension(accountId: string, isSuspended: boolean, bookmark: D1SessionBookmark): void {
    const account = this.#accounts.of(accountId);
    if (bookmark >= (account.suspension?.bookmark ?? "")) account.suspension = { isSuspended, bookmark };
  }

  /** What memory holds, if it is young enough. */
  #find(claims: Claims, terms: OpenTerms, renews = true): Found | undefined {
    const kept = this.#views.get(claims.ideaBankId);
    const known = kept?.kept?.value;
    if (kept === undefined || known === undefined) return undefined;
    const listed = this.#listed(known);
    // One read brings both, the panelist's and the view: one of them is renewed, and none while the other has to be read.
    const view = kept.young(this.#viewTerms(claims, terms, renews && listed !== undefined));
    if (view === undefined) return undefined;
    const own = listed
      ? undefined
      : this.#panelists.get(claims.panelistId)?.young(this.#ownTerms(claims, terms, renews));
    return listed ? foundIn(listed, claims.panelistId, view) : own && foundAlone(own, view);
  }

  async #read(claims: Claims, terms: OpenTerms, since = Date.now()): Promise<Found> {
    // One read may bring both, the panelist's and the view.
    const kept = this.#viewOf(claims.ideaBankId, terms.database);
    const readOwn = () =>
      this.#ownOf(claims.panelistId, terms.database).read({ ...this.#ownTerms(claims, terms, false), since });
    const known = kept.kept?.value;
    if (known !== undefined && this.#listed(known) === undefined) await readOwn();
    const view = await kept.read({ ...this.#viewTerms(claims, terms, true), since });
    const listed = this.#listed(view);
    return listed ? foundIn(listed, claims.panelistId, view) : foundAlone(await readOwn(), view);
  }

  /** The account's revocations, unless they are too many or not read, or there is no idea bank and so no account. */
  #listed({ ideaBank }: View) {
    const revocations = ideaBank === null ? undefined : this.#accounts.peek(ideaBank.accountId)?.revocations;
    return revocations?.isRead && !revocations.many ? revocations : undefined;
  }

  #open({ issuedAt }: Claims, { view: { ideaBank, changelog, bookmark }, revokedAt }: Found): OpenedIdeaBank {
    const isRevoked = issuedAt * 1000 <= revokedAt;
    const suspended = ideaBank !== null && this.#accounts.isSuspendedAfter(ideaBank.accountId, bookmark);
    return { ideaBank: suspended ? { ...ideaBank, accountSuspended: true } : ideaBank, changelog, isRevoked };
  }

  #viewTerms(claims: Claims, terms: OpenTerms, renews: boolean): ReadTerms<View> {
    const { freshMs, waitUntil, floor = "" } = terms;
    const written = this.#written.peek(claims.ideaBankId) ?? "";
    return {
      load: async (isAhead) => (await this.#load(claims, terms, { isAhead })).view,
      accepts: ({ bookmark, ideaBank }) =>
        bookmark >= floor &&
        bookmark >= written &&
        (ideaBank === null || this.#accounts.accepts(ideaBank.accountId, bookmark)),
      freshMs,
      waitUntil,
      ...(renews && { renewMs: RENEW_MS }),
    };
  }

  #ownTerms(claims: Claims, terms: OpenTerms, renews: boolean): ReadTerms<OwnRevocation> {
    const { freshMs, waitUntil, floor = "" } = terms;
    return {
      load: async (isAhead) => (await this.#load(claims, terms, { isAhead })).own,
      accepts: ({ bookmark }) => bookmark >= floor,
      freshMs,
      waitUntil,
      ...(renews && { renewMs: RENEW_MS }),
    };
  }

  /** One D1 batch. What it brings is kept, whoever asked for it. */
  async #load(
    claims: Claims,
    terms: OpenTerms,
    reach: Reach,
  ): Promise<{ readonly view: View; readonly own: OwnRevocation }> {
    const { ideaBankId, panelistId } = claims;
    const { database, kv, waitUntil } = terms;
    const readAt = Date.now();
    const previous = this.#viewOf(ideaBankId, database).kept?.value;
    const accountId = previous?.ideaBank?.accountId;
    const accounts = this.#accounts.known(accountId);
    const seqs = Object.fromEntries([...accounts].map(([id, { revocations }]) => [id, revocations.seq]));
    const resumed = accountId === undefined ? "" : this.#accounts.floorOf(accountId);
    const floor = [terms.floor, this.#written.peek(ideaBankId), resumed].reduce<D1SessionBookmark>(laterOf, "");
    const sources = { database, kv, stored: this.#stored, waitUntil };
    const read = await readView(sources, ideaBankId, { panelistId, seqs }, previous, { ...reach, floor });
    const { view, loaded, bookmark, primaryAt } = read;
    if (loaded.ideaBank !== null) this.#accounts.add(loaded.ideaBank.accountId, accounts, loaded.revocations);
    const { seq = 0, revokedAt = NEVER_REVOKED } = loaded.own ?? {};
    const own = { seq, revokedAt, bookmark, primaryAt };
    // Memory may have dropped the view meanwhile, and read it anew.
    const kept = this.#viewOf(ideaBankId, database);
    kept.offer(view, readAt);
    this.#views.set(ideaBankId, kept);
    if (this.#listed(view) === undefined) this.#ownOf(panelistId, database).offer(own, readAt);
    return { view: kept.kept?.value ?? view, own };
  }

  #viewOf(ideaBankId: string, database: Database): KeptValue<View> {
    return this.#views.getOrSet(ideaBankId, () =>
      newKept<View>(database, { newer: laterView, trueAt: trueAt(database) }),
    );
  }

  #ownOf(panelistId: string, database: Database): KeptValue<OwnRevocation> {
    return this.#panelists.getOrSet(panelistId, () =>
      newKept<OwnRevocation>(database, { newer: laterOwn, trueAt: trueAt(database) }),
    );
  }
}

const newKept = <Value>(database: Database, options: Partial<KeptValueOptions<Value>>) =>
  new KeptValue<Value>({
    now: () => Date.now(),
    ...database.outages("an idea bank is served from memory"),
    ...options,
  });

/** Since when a value may be another. What a replica gave was true some seconds before it was read. */
const trueAt =
  (database: Database) =>
  ({ value, readAt }: Kept<{ readonly primaryAt: number }>): number =>
    value.primaryAt >= readAt ? readAt : readAt - database.anchorMs;

/** `capability` null: it is refused when nothing is open. */
const isRefused = ({ ideaBank, isRevoked }: OpenedIdeaBank, capability: Capability | null): boolean => {
  if (isRevoked || ideaBank === null) return true;
  return capability === null
    ? !Object.values(capabilitiesOf(ideaBank)).includes(true)
    : !hasCapability(ideaBank, capability);
};
