/**
 * The token revocations of one account, as an isolate knows them: a list that only grows, while they are few. Of an account with
 * many (`many`), each token's panelist is looked up on its own.
 */
import { MAX_LISTED, type TokenRevocation } from "../database/idea-bank-view.ts";

/** Beyond every `seq`: nothing is listed. */
const NOTHING = Number.MAX_SAFE_INTEGER;
/** In bytes of memory, about. */
const LIST_BYTES = 256;
const REVOCATION_BYTES = 96;

/** The later one of what is known of one panelist. Each change of a panelist gets a higher `seq`. */
export const laterRevocation = <Known extends Pick<TokenRevocation, "seq">>(next: Known, known: Known): Known =>
  next.seq >= known.seq ? next : known;

export class TokenRevocations {
  readonly #byPanelist = new Map<string, TokenRevocation>();
  #seq = 0;
  #many = false;
  #isRead = false;

  /** Whether D1 was asked for all of them: what this isolate has written itself is not all. */
  get isRead(): boolean {
    return this.#isRead;
  }

  get many(): boolean {
    return this.#many;
  }

  get bytes(): number {
    return LIST_BYTES + REVOCATION_BYTES * this.#byPanelist.size;
  }

  /** A read asks for what came after this one. */
  get seq(): number {
    return this.#many ? NOTHING : this.#seq;
  }

  /** Takes all that a read has found after `seq`. */
  addListed(listed: readonly TokenRevocation[]): void {
    this.#isRead = true;
    for (const revocation of listed) {
      this.add(revocation);
      this.#seq = Math.max(this.#seq, revocation.seq);
    }
  }

  /** Takes one that this isolate has written. Others before it may not be known yet. */
  add(revocation: TokenRevocation): void {
    if (this.#many) return;
    const known = this.#byPanelist.get(revocation.panelistId);
    this.#byPanelist.set(revocation.panelistId, known === undefined ? revocation : laterRevocation(revocation, known));
    if (this.#byPanelist.size <= MAX_LISTED) return;
    this.#many = true;
    this.#byPanelist.clear();
  }

  /** When the panelist's tokens were last revoked, in Unix milliseconds; null for never. Not known when there are `many`. */
  of(panelistId: string): number | null {
    return this.#byPanelist.get(panelistId)?.revokedAt ?? null;
  }
}
