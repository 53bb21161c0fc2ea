/**
 * When a gate writes its state, so that many requests share a write.
 *
 * - At once when a tenth of the limit has been admitted since the last write, or when the limit is reached.
 * - Else within five seconds of the last request, and once a minute while there are requests.
 *
 * So fewer than a tenth of the limit's admissions are unwritten at any time, and none when the limit is below 20.
 */

/** Admissions between two writes: at most this share of the limit. */
const SHARE = 1 / 10;
/** A tick without a request is quiet: what is unwritten is written then. */
const TICK_MS = 2_500;
/** Or after as many ticks, which make a minute. */
const MAX_TICKS = 24;

export class WriteBehind {
  readonly #write: () => void;
  #unwrittenAdmissions = 0;
  #full = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticks = 0;
  #quiet = true;

  /** `write` stores the state, and calls nothing of this object. */
  constructor(write: () => void) {
    this.#write = write;
  }

  /** The window has decided: `admissions` were granted, `remaining` of `limit` are left. Writes now, or later. */
  decided(admissions: number, remaining: number, limit: number): void {
    this.#unwrittenAdmissions += admissions;
    // Write when the window becomes full, not while it stays full.
    const becameFull = remaining === 0 && !this.#full;
    this.#full = remaining === 0;
    const share = Math.max(1, Math.floor(limit * SHARE));
    if (this.#unwrittenAdmissions > 0 && (becameFull || this.#unwrittenAdmissions >= share)) this.writeNow();
    else this.#writeWhenQuiet();
  }

  writeNow(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ticks = 0;
    this.#unwrittenAdmissions = 0;
    this.#write();
  }

  #writeWhenQuiet(): void {
    this.#quiet = false;
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#quiet || this.#ticks >= MAX_TICKS) {
      this.writeNow();
      return;
    }
    this.#quiet = true;
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }
}
