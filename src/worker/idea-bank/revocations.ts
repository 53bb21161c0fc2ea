/**
 * The token revocations that an isolate knows: each account's whole list, while it is short, and those that were made through
 * this isolate, which it enforces at once.
 */
import { MAX_LISTED, type TokenRevocation } from "../database/idea-bank-view.ts";
import { BoundedMap } from "../memory/bounded-map.ts";

/**
 * The list of one account; entries are only added. `isLong`: it has more than `MAX_LISTED` entries, so D1 is asked about each
 * panelist.
 */
type AccountList = {
  readonly byPanelist: Map<string, TokenRevocation>;
  readonly seq: number;
  readonly isLong: boolean;
};

/** Bytes, approximately. */
const LIST_BYTES = 256;
const REVOCATION_BYTES = 96;
/** An account with 2,000 revocations takes 200 kB. */
export const MEMORY_BYTES = 16 * 1024 * 1024;
const MAX_OWN = 10_000;
/** Greater than every `seq`, so that a read lists nothing. */
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/** Earlier than the first token. */
const NEVER_REVOKED = -1;

/** The later of two revocations of one panelist. Each change of a panelist gets a higher `seq`. */
const laterOf = (left: TokenRevocation | undefined, right: TokenRevocation | undefined): TokenRevocation | undefined =>
  (left?.seq ?? -1) > (right?.seq ?? -1) ? left : right;

export class Revocations {
  readonly #own = new BoundedMap<TokenRevocation>({ max: MAX_OWN });
  readonly #lists = new BoundedMap<AccountList>({
    max: MEMORY_BYTES,
    weigh: ({ byPanelist }) => LIST_BYTES + REVOCATION_BYTES * byPanelist.size,
  });

  /** A revocation that was made through this isolate. */
  note(revocation: TokenRevocation): void {
    const { panelistId } = revocation;
    this.#own.set(panelistId, laterOf(this.#own.peek(panelistId), revocation) ?? revocation);
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
   * Adds the revocations that a read has listed after `seq`. If memory has dropped the list meanwhile, they are ignored, and the
   * next read lists all.
   */
  add(accountId: string, seq: number, listed: readonly TokenRevocation[]): void {
    const known = this.#lists.peek(accountId);
    if (seq > (known?.seq ?? 0)) return;
    const byPanelist = known?.byPanelist ?? new Map<string, TokenRevocation>();
    for (const each of listed) byPanelist.set(each.panelistId, laterOf(byPanelist.get(each.panelistId), each) ?? each);
    const isLong = known?.isLong === true || byPanelist.size > MAX_LISTED;
    if (isLong) byPanelist.clear();
    const last = isLong ? LAST_SEQ : Math.max(known?.seq ?? 0, listed.at(-1)?.seq ?? 0);
    this.#lists.set(accountId, { byPanelist, seq: last, isLong });
  }

  /**
   * When the panelist's tokens were last revoked: Unix milliseconds, or -1 for never. Undefined when the account's list is
   * unknown or too long.
   */
  revokedAt(accountId: string, panelistId: string): number | undefined {
    const list = this.#lists.peek(accountId);
    return list === undefined || list.isLong ? undefined : this.latest(panelistId, list.byPanelist.get(panelistId));
  }

  /** The same, from `read`, which D1 has just answered about this panelist alone. */
  latest(panelistId: string, read: TokenRevocation | undefined): number {
    return laterOf(this.#own.peek(panelistId), read)?.revokedAt ?? NEVER_REVOKED;
  }
}
