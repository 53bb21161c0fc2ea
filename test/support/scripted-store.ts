/** A store with one value, in virtual time: it answers, is slow, hangs or fails as a test tells it, and remembers each read. */
import { vi } from "vitest";
import { Kept, type KeptOptions, type Terms } from "../../src/worker/store/kept.ts";

/**
 * How a read goes: at once; after 1.5 s; after 5 s, past the shorter deadline; never; it fails at once; it fails after 1.5 s; it
 * meets a defect of our own.
 */
export type Way = "ok" | "slow" | "crawl" | "hang" | "fail" | "lost" | "defect";

export class Outage extends Error {}
export class Defect extends Error {}

/** `began` is in virtual milliseconds; `version` is what the store had then. */
export type Read = { readonly version: number; readonly began: number };

const DELAY: Record<Way, number> = { ok: 1, slow: 1_500, crawl: 5_000, hang: 0, fail: 1, lost: 1_500, defect: 1 };

export class ScriptedStore {
  way: Way = "ok";
  version = 0;
  readonly reads: Read[] = [];
  /** How far the clock is ahead of virtual time, which never steps. */
  skew = 0;

  readonly now = (): number => Date.now() + this.skew;

  readonly load = async (): Promise<Read> => {
    const { way, version } = this;
    const read: Read = { version, began: Date.now() };
    this.reads.push(read);
    if (way === "hang") await new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, DELAY[way]));
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
export async function readOnce(options: Partial<KeptOptions<Read>> = {}) {
  freezeTime();
  const store = new ScriptedStore();
  const kept = new Kept<Read>({ now: store.now, isOutage: ScriptedStore.isOutage, ...options });
  const get = (terms: Partial<Terms<Read>> = {}) => kept.get({ load: store.load, freshMs: FRESH_MS, ...terms });
  const first = get();
  await pass(1);
  await first;
  await pass(FRESH_MS - 1);
  return { store, kept, get };
}

/** What a request has been answered by now: its version, the name of its error, or that it waits. */
export const outcomeOf = (request: Promise<Read>): Promise<number | string> =>
  Promise.race([
    request.then(
      ({ version }) => version,
      (error: unknown) => (error instanceof Error ? error.constructor.name : "no error"),
    ),
    pass(0).then(() => "waiting"),
  ]);
