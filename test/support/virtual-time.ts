/**
 * Time that passes only when nothing else can happen: deadlines, and stores that are slow, without waiting for them.
 * Real calls to the stores go on meanwhile.
 */
import { vi } from "vitest";

export const SLOW_MS = 1_500;
/** Turns without a call under way after which only a timer can be what is waited for. */
const IDLE_TURNS = 3;
const LONGEST_MS = 60_000;
/** The pace at which a gate saves. That timer is real: fired from here, it could not use its object's storage. */
const GATE_TICK_MS = 2_500;

type Timer = { readonly id: number; readonly due: number; readonly fire: () => void };

export class VirtualTime {
  /** Calls to real stores that are under way. */
  #underWay = 0;
  #timers: Timer[] = [];
  #ids = 0;

  /** From now on, until the test ends. */
  constructor(start: number) {
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
    vi.spyOn(globalThis, "setTimeout").mockImplementation((callback: () => void, milliseconds = 0) => {
      if (milliseconds === GATE_TICK_MS) return real.setTimeout(callback, milliseconds);
      this.#ids -= 1;
      this.#timers.push({ id: this.#ids, due: Date.now() + milliseconds, fire: callback });
      return this.#ids;
    });
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((id: number | null) => {
      this.#timers = this.#timers.filter((timer) => timer.id !== id);
      if (id !== null && id > 0) real.clearTimeout(id);
    });
  }

  /** Makes a real call; time stands still until it has ended. */
  async call<Answer>(makeCall: () => Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    try {
      return await makeCall();
    } finally {
      this.#underWay -= 1;
    }
  }

  /** The answer, and how many milliseconds it took. Time passes while it is waited for. */
  async until<Answer>(answer: Promise<Answer>): Promise<{ answer: Answer; elapsedMs: number }> {
    const start = Date.now();
    let end: number | undefined;
    const settled = answer.finally(() => {
      end = Date.now();
    });
    settled.catch(() => {});
    for (let idle = 0; end === undefined; idle = this.#underWay === 0 ? idle + 1 : 0) {
      if (Date.now() - start > LONGEST_MS) throw new Error("no answer within a minute");
      await scheduler.wait(0);
      if (idle < IDLE_TURNS || this.#timers.length === 0) continue;
      this.#advance();
      idle = 0;
    }
    return { answer: await settled, elapsedMs: end - start };
  }

  #advance(): void {
    const due = Math.min(...this.#timers.map((timer) => timer.due));
    const next = this.#timers.filter((timer) => timer.due === due);
    this.#timers = this.#timers.filter((timer) => timer.due !== due);
    vi.setSystemTime(Math.max(Date.now(), due));
    for (const { fire } of next) fire();
  }
}

/** Resolves after virtual time. */
export const virtually = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
