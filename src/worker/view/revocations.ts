/**
 * The token revocations that an isolate knows: each account's newest 2,000, and those that were made through this isolate, which
 * it enforces at once. So are ends of all tokens, and of signing secrets.
 *
 * A list that was cut is still complete for the tokens that we have issued after the newest revocation that it lacks: nobody gets a
 * token while inactive, and an earlier revocation does not end a later token. A tenant's server can sign for anybody at any time,
 * so D1 is asked about the panelist of a signed token that such a list lacks.
 */

import { type ListedRevocation, MAX_LISTED, type TokenRevocation } from "../database/idea-banks/idea-bank-view.ts";
import type { EndOfTokens } from "../database/tokens/end-of-tokens.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { compareEpoch, isEpochGood, type SigningEpoch, type SigningEpochs } from "../model/signed-token.ts";

/**
 * The list of one account, in the order of `seq`. Revocations that it lacks were recorded at or before `cutAt` (Unix
 * milliseconds); -1 when it lacks none.
 */
type AccountList = {
  readonly byPanelist: Map<string, ListedRevocation>;
  readonly seq: number;
  readonly cutAt: number;
};

/** A token. `issuedAt` is in Unix seconds. */
type Dated = { readonly issuedAt: number; readonly signed?: unknown };

/** Bytes, approximately. */
const LIST_BYTES = 256;
const REVOCATION_BYTES = 112;
/** An account with 2,000 revocations takes 220 kB. */
export const MEMORY_BYTES = 16 * 1024 * 1024;
const MAX_OWN = 10_000;
/** D1's clock dates revocations and tokens. It may step back by this much, in milliseconds. */
const CLOCK_MS = 60_000;

/** Earlier than the first token, and than the first revocation. */
const NEVER = -1;

/** The later of two revocations of one panelist. Each change of a panelist gets a higher `seq`. */
function laterOf<Revocation extends TokenRevocation>(
  left: Revocation | undefined,
  right: Revocation | undefined,
): Revocation | undefined {
  return (left?.seq ?? -1) > (right?.seq ?? -1) ? left : right;
}

export class Revocations {
  readonly #own = new BoundedMap<TokenRevocation>({ max: MAX_OWN });
  readonly #ends = new BoundedMap<EndOfTokens>({ max: MAX_OWN });
  /** By idea bank. */
  readonly #epochs = new BoundedMap<SigningEpochs>({ max: MAX_OWN });
  readonly #lists = new BoundedMap<AccountList>({
    max: MEMORY_BYTES,
    weigh: ({ byPanelist }) => LIST_BYTES + REVOCATION_BYTES * byPanelist.size,
  });

  /** A revocation that was made through this isolate. */
  note(revocation: TokenRevocation): void {
    const { panelistId } = revocation;
    this.#own.set(panelistId, laterOf(this.#own.peek(panelistId), revocation) ?? revocation);
  }

  /** The end of all tokens of an account, which was made through this isolate. */
  noteEnd(accountId: string, end: EndOfTokens): void {
    if (end.accountEpoch > (this.#ends.peek(accountId)?.accountEpoch ?? 0)) this.#ends.set(accountId, end);
  }

  /** The epochs of an idea bank's secret after a rotation or a leak, which was made through this isolate. */
  noteEpochs(ideaBankId: string, epochs: SigningEpochs): void {
    const known = this.#epochs.peek(ideaBankId);
    const newest = { accountEpoch: epochs.accountEpoch, epoch: epochs.signingEpoch };
    const order = known === undefined ? 1 : compareEpoch(newest, known);
    if (order < 0) return;
    // An earlier secret that has ended stays so, whichever of two answers comes last.
    const earlierEpochs =
      known === undefined || order > 0
        ? epochs.earlierEpochs
        : epochs.earlierEpochs.filter(([epoch]) => known.earlierEpochs.some(([other]) => other === epoch));
    this.#epochs.set(ideaBankId, { ...epochs, earlierEpochs });
  }

  /** Whether a secret was ended through this isolate. `now` is in Unix milliseconds. */
  isSecretEnded(ideaBankId: string, secret: SigningEpoch, now: number): boolean {
    const own = this.#epochs.peek(ideaBankId);
    return own !== undefined && compareEpoch(secret, own) < 0 && !isEpochGood(secret, own, now);
  }

  /** The idea bank as it is after an end of tokens that the view does not know yet. */
  withEnd(ideaBank: IdeaBankState): IdeaBankState {
    const end = this.#ends.peek(ideaBank.accountId);
    return end === undefined || end.accountEpoch <= ideaBank.accountEpoch
      ? ideaBank
      : { ...ideaBank, ...end, earlierEpochs: [] };
  }

  /** Whether the account's list is known. */
  has(accountId: string): boolean {
    return this.#lists.get(accountId) !== undefined;
  }

  /** The last `seq` that is known of the account: a read lists the revocations after it. */
  seqOf(accountId: string | undefined): number {
    return (accountId === undefined ? undefined : this.#lists.peek(accountId)?.seq) ?? 0;
  }

  /**
   * Adds the revocations that a read has listed after `seq`, newest first. If memory has dropped the list since, they are
   * ignored, and the next read lists all.
   */
  add(accountId: string, seq: number, listed: readonly ListedRevocation[]): void {
    const known = this.#lists.peek(accountId);
    if (seq > (known?.seq ?? 0)) return;
    const newest = listed[0]?.seq ?? 0;
    // The read has left some out. A list that is as new as the read has those of them that it needs.
    const isCut = listed.length > MAX_LISTED;
    if (isCut && newest <= (known?.seq ?? 0)) return;
    const byPanelist = (isCut ? undefined : known?.byPanelist) ?? new Map<string, ListedRevocation>();
    for (const each of listed.toReversed()) {
      if (laterOf(byPanelist.get(each.panelistId), each) !== each) continue;
      byPanelist.delete(each.panelistId);
      byPanelist.set(each.panelistId, each);
    }
    let cutAt = known?.cutAt ?? NEVER;
    for (const [panelistId, { recordedAt }] of byPanelist) {
      if (byPanelist.size <= MAX_LISTED) break;
      byPanelist.delete(panelistId);
      cutAt = Math.max(cutAt, recordedAt);
    }
    this.#lists.set(accountId, { byPanelist, seq: Math.max(known?.seq ?? 0, newest), cutAt });
  }

  /**
   * When the panelist's tokens were last revoked: Unix milliseconds, or -1 for never. Undefined when the account's list is
   * unknown, or lacks what could concern this token.
   */
  revokedAt(accountId: string, panelistId: string, { issuedAt, signed }: Dated): number | undefined {
    const list = this.#lists.peek(accountId);
    if (list === undefined) return undefined;
    const listed = list.byPanelist.get(panelistId);
    const isComplete = list.cutAt === NEVER || (signed === undefined && issuedAt * 1000 > list.cutAt + CLOCK_MS);
    return listed !== undefined || isComplete ? this.latest(panelistId, listed) : undefined;
  }

  /** When the panelist's tokens were last revoked, with `read` from D1, which was just asked about this panelist. */
  latest(panelistId: string, read: TokenRevocation | undefined): number {
    return laterOf(this.#own.peek(panelistId), read)?.revokedAt ?? NEVER;
  }
}
