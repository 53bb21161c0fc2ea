/**
 * A gate's copy of its key's row, which D1 holds the truth of.
 *
 * It is read again when it is 60 seconds old, and at once after `forget`. A revocation commits in D1 and then calls
 * `forget`: a read that was under way at that moment may have missed it, so its result is dropped (the epoch).
 * When D1 is down, or does not answer soon, a copy serves until it is five minutes old; a forgotten one never does.
 */
import { answerWithin } from "../deadline.ts";
import type { ApiKeyRecord } from "../model/api-key.ts";

/** `record` is null when D1 has no such key. `readAt` is when the read began, in Unix milliseconds. */
export type KeptRecord = { readonly record: ApiKeyRecord | null; readonly readAt: number };

const REFRESH_MS = 60_000;
const OUTAGE_MS = 5 * 60_000;
/** After a failed read, how long the copy serves before D1 is asked again. */
const RETRY_MS = 5_000;
/** How long a request waits for D1: not long when there is a copy to fall back on. */
const PATIENCE_MS = { withCopy: 2_000, without: 10_000 };

export class RecordCache {
  readonly #load: () => Promise<ApiKeyRecord | null>;
  #kept: KeptRecord | undefined;
  #epoch = 0;
  #loading: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(load: () => Promise<ApiKeyRecord | null>, kept?: KeptRecord) {
    this.#load = load;
    this.#kept = kept;
  }

  get kept(): KeptRecord | undefined {
    return this.#kept;
  }

  /** The record as D1 had it at most 60 seconds ago (five minutes while D1 is down). Rejects when D1 is needed and fails. */
  async current(): Promise<ApiKeyRecord | null> {
    for (;;) {
      const now = Date.now();
      const kept = this.#kept;
      if (kept !== undefined && now - kept.readAt < REFRESH_MS) return kept.record;
      const survivesOutage = kept !== undefined && now - kept.readAt < OUTAGE_MS;
      if (survivesOutage && now - this.#failedAt < RETRY_MS) return kept.record;
      try {
        await answerWithin(survivesOutage ? PATIENCE_MS.withCopy : PATIENCE_MS.without, this.#refresh(now));
      } catch (error) {
        this.#failedAt = Date.now();
        // A `forget` during the read takes away the right to use the copy from before it: look again.
        if (kept !== undefined && this.#kept !== kept) continue;
        if (!survivesOutage) throw error;
        return kept.record;
      }
    }
  }

  forget(): void {
    this.#epoch += 1;
    this.#kept = undefined;
    this.#loading = undefined;
  }

  /** One read at a time, shared by every request that waits. */
  #refresh(now: number): Promise<void> {
    const epoch = this.#epoch;
    this.#loading ??= this.#load()
      .then((record) => {
        if (epoch === this.#epoch) this.#kept = { record, readAt: now };
      })
      .finally(() => {
        if (epoch === this.#epoch) this.#loading = undefined;
      });
    return this.#loading;
  }
}
