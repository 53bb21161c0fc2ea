/** A store with one value, in virtual time: it answers, is slow, hangs or fails as a test tells it, and remembers each read. */
import { vi } from "vitest";
import { KeptValue, type KeptValueOptions, type ReadTerms } from "../../src/worker/memory/kept-value.ts";

export const WAYS = ["ok", "slow", "crawl", "hang", "fail", "lost", "defect"] as const;
/**
 * How a read goes: at once; after 1.5 s; after 5 s, past the shorter deadline; never; it fails at once; it fails after 1.5 s
 * though the store had answered; it meets a defect of our own.
 */
export type Way = (typeof WAYS)[number];

export class Outage extends Error {}
export class Defect extends Error {}

/** `began` and `ended` are in real time (virtual milliseconds), `wall` by the clock that may step; `order` counts all events. */
export type Read = {
  readonly version: number;
  readonly way: Way;
  readonly began: number;
  readonly wall: number;
  readonly order: number;
  ended?: number;
};

const DELAY: Record<Way, number> = { ok: 1, slow: 1_500, crawl: 5_000, hang: 0, fail: 1, lost: 1_500, defect: 1 };

export class ScriptedStore {
  way: Way = "ok";
  version = 0;
  readonly reads: Read[] = [];
  /** How far the wall clock is ahead of real time. */
  skew = 0;
  #events = 0;

  /** Virtual time, which timers follow; it never steps. */
  readonly real = (): number => Date.now();
  readonly now = (): number => Date.now() + this.skew;

  /** The next number in the order of all events. */
  next(): number {
    this.#events += 1;
    return this.#events;
  }

  /** The version that the store has when the read begins. */
  readonly load = async (): Promise<Read> => {
    const { way, version } = this;
    const read: Read = { version, way, began: this.real(), wall: this.now(), order: this.next() };
    this.reads.push(read);
    if (way === "hang") await new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, DELAY[way]));
    read.ended = this.real();
    if (way === "fail" || way === "lost") throw new Outage();
    if (way === "defect") throw new Defect();
    return read;
  };

  static readonly isOutage = (error: unknown): boolean => error instanceof Outage;
}

/** Starts virtual time. */
export const freezeTime = (): void => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_900_000_000_000 });
};

/** Lets virtual time pass, timer by timer, and everything between two timers happen. Far quicker than vitest's own. */
export async function pass(milliseconds: number): Promise<void> {
  let arrived = false;
  setTimeout(() => {
    arrived = true;
  }, milliseconds);
  await settle();
  while (!arrived) {
    vi.advanceTimersToNextTimer();
    await settle();
  }
}

/** More turns than any chain of promises here has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await null;
}

export const FRESH_MS = 1_000;

/** A store whose value was read a freshness window ago, and is not fresh any more. */
export async function readOnce(options: Partial<KeptValueOptions<Read>> = {}) {
  freezeTime();
  const store = new ScriptedStore();
  const value = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage, ...options });
  const read = (terms: Partial<ReadTerms<Read>> = {}) => value.read({ load: store.load, freshMs: FRESH_MS, ...terms });
  const first = read();
  await pass(1);
  await first;
  await pass(FRESH_MS);
  return { store, value, read };
}

/** What a request has been answered by now. */
export const answerOf = (request: Promise<Read>) => Promise.race([request, pass(0).then(() => "waiting")]);
