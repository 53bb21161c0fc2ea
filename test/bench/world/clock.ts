/**
 * The world's clock. Time stands still while a real store works or code runs, and then moves on to the next timer: the run is as
 * long as its work, and what is measured is the injected time alone. It replaces the timers and the clock of the whole isolate.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Timers } from "../../simulation/world/timers.ts";

/**
 * Where code runs. A Durable Object's timers must fire in a call of its own: `wake` makes one. `keepAwake` says that a call or a
 * timer of the object begins (1) or ends (-1).
 */
export type Where = {
  readonly place: number;
  readonly wake?: (timer: number) => Promise<void>;
  readonly keepAwake?: (by: 1 | -1) => void;
};

export const where = new AsyncLocalStorage<Where>();

const RealDate = Date;
const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
/** A Durable Object that waits only for the world's time would be taken for hung. */
const KEEP_ALIVE_MS = 3_600_000;

/** Longer than any chain of promises that needs no I/O. */
const TURNS = 500;
/** In case an object's last word was not heard here. */
const POLL_MS = 20;

export class Clock {
  /** Unix milliseconds, from `install` on. */
  now = 0;
  /** Work that is really under way: a call to a local store, a message to an object or from it. */
  #underWay = 0;
  #onIdle = () => {};
  readonly #timers = new Timers();
  /** What a timer of a Durable Object does, once that object was called for it. */
  readonly #inObjects = new Map<number, { readonly fire: () => void; readonly end: () => void }>();

  /** From now on, in this isolate. */
  install(): void {
    const clock = this;
    this.now = RealDate.now();
    globalThis.Date = class extends RealDate {
      constructor(...values: [] | [value: number | string | Date]) {
        if (values.length === 0) super(clock.now);
        else super(...values);
      }
      static override now = () => Math.floor(clock.now);
    } as DateConstructor;
    const setVirtual = (callback: () => void, milliseconds = 0) => clock.#schedule(callback, milliseconds);
    Object.assign(globalThis, {
      setTimeout: setVirtual,
      clearTimeout: (id: number | null) => id !== null && clock.#cancel(id),
    });
  }

  sleep(milliseconds: number): Promise<void> {
    const inObject = where.getStore()?.wake !== undefined;
    const alive = inObject ? realSetTimeout(() => {}, KEEP_ALIVE_MS) : undefined;
    return new Promise((resolve) => {
      this.#schedule(() => {
        if (alive !== undefined) realClearTimeout(alive);
        resolve();
      }, milliseconds);
    });
  }

  /** Real work: time stands still until it has ended. */
  async real<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.begin();
    try {
      return await call();
    } finally {
      this.end();
    }
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onIdle();
  }

  /** At a time of this clock, in no place. */
  at(due: number, fire: () => void): void {
    this.#timers.add(due, fire);
  }

  /** What `Where.wake` brought the object to do. */
  wake(timer: number): void {
    this.#endTimer(timer)?.fire();
  }

  #endTimer(id: number) {
    const timer = this.#inObjects.get(id);
    this.#inObjects.delete(id);
    timer?.end();
    return timer;
  }

  /** Moves time on until the promise is settled. */
  async runUntil<Answer>(answer: Promise<Answer>): Promise<Answer> {
    let settled = false;
    const watched = answer.finally(() => {
      settled = true;
    });
    watched.catch(() => {});
    for (;;) {
      await this.#quiet();
      if (settled) return watched;
      const next = this.#timers.take();
      if (next === undefined) throw new Error("the world has stopped: nothing is left to happen");
      this.now = Math.max(this.now, next.due);
      next.fire();
    }
  }

  /** Until nothing is under way, and all code has run as far as it can without time. */
  async #quiet(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      await null;
      if (this.#underWay === 0) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      const poll = realSetTimeout(resolve, POLL_MS);
      this.#onIdle = resolve;
      await promise;
      // Not in `end`, which an object may have called: a timer belongs to who set it.
      realClearTimeout(poll);
      turn = 0;
    }
  }

  #schedule(callback: () => void, milliseconds: number): number {
    const due = this.now + Math.max(0, milliseconds);
    const current = where.getStore();
    const wake = current?.wake;
    if (wake === undefined) {
      return this.#timers.add(due, () => (current === undefined ? callback() : where.run(current, callback)));
    }
    const id = this.#timers.add(due, () => void wake(id));
    current?.keepAwake?.(1);
    this.#inObjects.set(id, { fire: callback, end: () => current?.keepAwake?.(-1) });
    return id;
  }

  #cancel(id: number): void {
    this.#timers.cancel(id);
    this.#endTimer(id);
  }
}

export const clock = new Clock();
