/**
 * The token revocations of one account, as an isolate knows them: a list that only grows, while they are few. Of an account with
 * many, each token's panelist is looked up with the idea bank instead (`many`).
 */
import { type LoadedSnapshot, MAX_LISTED } from "../database/idea-bank-snapshots.ts";

export class TokenRevocations {
  readonly #revokedAt = new Map<string, number>();
  #seq = 0;
  #many = false;

  get many(): boolean {
    return this.#many;
  }

  get size(): number {
    return this.#revokedAt.size;
  }

  /** A read asks for what came after this one. */
  get seq(): number {
    return this.#many ? Number.MAX_SAFE_INTEGER : this.#seq;
  }

  /** Takes what a read has found after `seq`. */
  add({ revocations }: Pick<LoadedSnapshot, "revocations">): void {
    for (const { seq, panelistId, revokedAt } of revocations) {
      if (seq <= this.#seq) continue;
      this.#revokedAt.set(panelistId, revokedAt);
      this.#seq = seq;
    }
    if (this.#revokedAt.size <= MAX_LISTED) return;
    this.#many = true;
    this.#revokedAt.clear();
  }

  /** When the panelist's tokens were last revoked, in Unix milliseconds; undefined for never, or when there are `many`. */
  of(panelistId: string): number | undefined {
    return this.#revokedAt.get(panelistId);
  }
}
