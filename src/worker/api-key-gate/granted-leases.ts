/**
 * Which leases of a gate may still be in use, so that a revocation can wait for them (the lease rule of Gray and Cheriton, 1989).
 *
 * - While the gate runs, timers tell: a clock that steps forward ends no lease early.
 * - After a crash, storage tells: before a lease leaves the gate, a time that it does not outlast is durable. It is written
 *   four seconds ahead, because a row written costs as much as seven gate calls. So a revocation right after a crash can wait four
 *   seconds longer. The revocation of an idle key waits for nothing.
 */
import { wait } from "../memory/deadline.ts";
import { MAX_LEASE_MS } from "../rate-limit/leased-window.ts";

/** Until when leases may be in use, in Unix milliseconds. */
type Store = { readonly get: () => unknown; readonly put: (until: number) => void };

/** How long after a lease's end the durable time is. With the longest lease it stays below what `allEnded` waits at most. */
const AHEAD_MS = 4_000;

export class GrantedLeases {
  readonly #store: Store;
  /** Leases of another run of the gate have other ids. */
  readonly #run: string;
  /** Each until its end. */
  readonly #out = new Map<string, Promise<void>>();
  /** Of the runs before this one. */
  readonly #earlierUntil: number;
  #durableUntil: number;
  #count = 0;

  constructor(store: Store, run: string) {
    this.#store = store;
    this.#run = run;
    const stored = store.get() ?? 0;
    // What cannot be read may stand for a lease: `allEnded` then waits for the longest.
    this.#earlierUntil = Number.isFinite(stored) ? Number(stored) : Number.POSITIVE_INFINITY;
    this.#durableUntil = this.#earlierUntil;
  }

  nextId(): string {
    this.#count += 1;
    return `${this.#run}-${this.#count}`;
  }

  /** Whether this run of the gate has granted it. */
  isOwn(id: string): boolean {
    return id.startsWith(this.#run);
  }

  /** Notes a lease that is granted at `now`. The answer that carries it leaves after the write (output gate). */
  add(id: string, forMs: number, now: number): void {
    this.#out.set(
      id,
      wait(forMs).then(() => void this.#out.delete(id)),
    );
    if (now + forMs <= this.#durableUntil && this.#durableUntil <= now + 2 * MAX_LEASE_MS) return;
    this.#durableUntil = now + forMs + AHEAD_MS;
    this.#store.put(this.#durableUntil);
  }

  /** Its isolate does not use it any more. */
  end(id: string): void {
    this.#out.delete(id);
  }

  /** Resolves when every lease that was granted before the call has ended. */
  async allEnded(now: number): Promise<void> {
    const earlierMs = Math.min(this.#earlierUntil - now, 2 * MAX_LEASE_MS);
    await Promise.all([...this.#out.values(), earlierMs > 0 ? wait(earlierMs) : undefined]);
  }
}
