/** The world's one true clock. Time stands still while code runs, and then moves on to what happens next. */
import { Timers } from "./timers.ts";

/** A real timer: the simulated ones are of the application's own. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class Timeline {
  /** Milliseconds from the beginning of the history. */
  now = 0;
  readonly #timers = new Timers();

  at(due: number, fire: () => void): number {
    return this.#timers.add(Math.max(due, this.now), fire);
  }

  after(milliseconds: number, fire: () => void): number {
    return this.at(this.now + Math.max(0, milliseconds), fire);
  }

  cancel(timer: number): void {
    this.#timers.cancel(timer);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /**
   * Lets things happen until `isOver`, which is asked between any two. Every promise that needs no time is settled in between: nothing
   * in the simulation waits for the machine.
   */
  async run(isOver: () => boolean): Promise<void> {
    await turn();
    while (!isOver()) {
      const next = this.#timers.take();
      if (next === undefined) throw new Error("the world has stopped: nothing is left to happen");
      this.now = Math.max(this.now, next.due);
      next.fire();
      await turn();
    }
  }
}
