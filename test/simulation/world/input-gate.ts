/** What lets one event after the other into an object, and none while a storage operation is awaited. */
import type { Timeline } from "./timeline.ts";

export class InputGate {
  readonly #timeline: Timeline;
  #closed = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  enter(event: () => void): void {
    if (this.#closed > 0 || this.#waiting.length > 0) this.#waiting.push(event);
    else event();
  }

  close(): void {
    this.#closed += 1;
  }

  /** What follows the operation runs first. */
  open(): void {
    this.#timeline.after(0, () => {
      this.#closed -= 1;
      this.#next();
    });
  }

  #next(): void {
    if (this.#closed > 0) return;
    const event = this.#waiting.shift();
    if (event === undefined) return;
    event();
    this.#timeline.after(0, () => this.#next());
  }
}
