/**
 * For whom code runs: a request in an isolate, a call of a gate, the scheduled job. As workerd does it, what was begun for a request
 * ends with it: its timers do not fire, and answers of stores do not arrive, so that its promises never settle for anybody.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { between, type Random, type Source } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** A machine's clock: how far it is ahead of the true one, in milliseconds. */
export type Clock = { ahead: number };

/** The place of D1's primary. Others have a replica, when there is one. */
export const HOME = 0;

export type Origin = {
  readonly timeline: Timeline;
  readonly clock: Clock;
  readonly source: Source;
  readonly place: number;
  readonly call?: number | undefined;
  readonly isolate?: string | undefined;
};

const running = new AsyncLocalStorage<Context>();

export class Context {
  readonly timeline: Timeline;
  readonly clock: Clock;
  readonly place: number;
  readonly call: number | undefined;
  readonly isolate: string | undefined;
  readonly random: Random;
  readonly bytes: (length: number) => Uint8Array;
  #ended = false;

  constructor({ timeline, clock, source, place, call, isolate }: Origin) {
    this.timeline = timeline;
    this.clock = clock;
    this.place = place;
    this.call = call;
    this.isolate = isolate;
    this.random = source.numbers();
    this.bytes = source.bytes();
  }

  get isAlive(): boolean {
    return !this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  /** Something begins that keeps a gate from being idle. Returns what ends it. */
  protected begin(): () => void {
    return () => {};
  }

  /** Runs code in this context, now or when the gate lets it in; not at all when the context has ended. */
  deliver(run: () => void): void {
    if (this.isAlive) running.run(this, run);
  }

  /** Work of a store: it goes on when this context ends, and then nobody hears of it. */
  io<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return;
      const end = this.begin();
      running.exit(() => {
        work().then(
          (answer) => {
            end();
            this.deliver(() => resolve(answer));
          },
          (error: unknown) => {
            end();
            this.deliver(() => reject(error));
          },
        );
      });
    });
  }

  setTimeout(callback: () => void, milliseconds: number): number {
    const end = this.begin();
    const timer = this.timeline.after(milliseconds, () => {
      this.#timers.delete(timer);
      end();
      this.deliver(callback);
    });
    this.#timers.set(timer, end);
    return timer;
  }

  clearTimeout(timer: number): void {
    const end = this.#timers.get(timer);
    if (end === undefined) return;
    this.#timers.delete(timer);
    this.timeline.cancel(timer);
    end();
  }

  readonly #timers = new Map<number, () => void>();

  latency(least: number, most: number): number {
    return between(this.random, least, most);
  }
}

/** The context of the code that asks. */
export function currentContext(): Context {
  const context = running.getStore();
  if (context === undefined) throw new Error("the application runs outside of any request");
  return context;
}
