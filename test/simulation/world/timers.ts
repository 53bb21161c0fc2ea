/** What is to happen, in the order of its time; at the same time, in the order in which it was planned. */
export type Timer = { readonly id: number; readonly due: number; readonly fire: () => void };

export class Timers {
  readonly #heap: Timer[] = [];
  readonly #cancelled = new Set<number>();
  #ids = 0;

  /** Returns what `cancel` takes. */
  add(due: number, fire: () => void): number {
    const timer = { id: ++this.#ids, due, fire };
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent])) break;
      heap[at] = heap[parent] ?? timer;
      heap[parent] = timer;
      at = parent;
    }
    return timer.id;
  }

  /** Only of one that has not fired. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }

  /** The next one that was not cancelled. */
  take(): Timer | undefined {
    for (;;) {
      const [first] = this.#heap;
      const last = this.#heap.pop();
      if (first === undefined || last === undefined) return undefined;
      if (first !== last) this.#sink(last);
      if (!this.#cancelled.delete(first.id)) return first;
    }
  }

  #sink(timer: Timer): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = isBefore(heap[right], heap[left]) ? right : left;
      const least = heap[child];
      if (least === undefined || isBefore(timer, least)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = timer;
  }
}

const isBefore = (one: Timer | undefined, other: Timer | undefined): boolean =>
  one !== undefined && (other === undefined || one.due < other.due || (one.due === other.due && one.id < other.id));
