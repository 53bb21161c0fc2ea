/**
 * The token revocations that an isolate knows: of an account the whole list, while it is short, and what was revoked through this
 * isolate, which refuses that at once.
 */
import { MAX_LISTED, type TokenRevocation } from "../database/idea-bank-view.ts";
import { BoundedMap } from "../memory/bounded-map.ts";

/** The list of one account grows only. `isLong`: it has more than `MAX_LISTED`, and D1 is asked for each panelist. */
type AccountList = {
  readonly byPanelist: Map<string, TokenRevocation>;
  readonly seq: number;
  readonly isLong: boolean;
};

/** In bytes, about. */
const LIST_BYTES = 256;
const REVOCATION_BYTES = 96;
/** An account of 2,000 revocations has 200 kB. */
export const MEMORY_BYTES = 16 * 1024 * 1024;
const MAX_OWN = 10_000;
/** Beyond every `seq`: a read lists nothing. */
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/** Before the first token. */
const NEVER_REVOKED = -1;

/** The later of two of one panelist. Each change of a panelist gets a higher `seq`. */
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

  /** Whether the account's were read. */
  has(accountId: string): boolean {
    return this.#lists.get(accountId) !== undefined;
  }

  /** A read of the account lists those after this one. */
  seqOf(accountId: string | undefined): number {
    return (accountId === undefined ? undefined : this.#lists.peek(accountId)?.seq) ?? 0;
  }

  /** Adds what a read has listed after `seq`. When memory has dropped the list meanwhile, the next read lists all. */
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
   * When the panelist's tokens were last revoked, in Unix milliseconds, or -1. Undefined when the account's list is not known, or
   * too long.
   */
  revokedAt(accountId: string, panelistId: string): number | undefined {
    const list = this.#lists.peek(accountId);
    return list === undefined || list.isLong ? undefined : this.latest(panelistId, list.byPanelist.get(panelistId));
  }

  /** The same, of what D1 has said of this panelist alone. */
  latest(panelistId: string, read: TokenRevocation | undefined): number {
    return laterOf(this.#own.peek(panelistId), read)?.revokedAt ?? NEVER_REVOKED;
  }
}
