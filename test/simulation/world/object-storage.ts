/**
 * An object's storage, as one run of it sees it: what it has written is there at once, and durable a moment later. What was written
 * at one moment is durable as a whole, or lost as a whole when the object crashes before.
 */
import type { InputGate } from "./input-gate.ts";
import { between, type Random, skewed } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** What outlives the object. */
export type Disk = { readonly entries: Map<string, unknown>; durableAt: number };

type Writes = { readonly entries: Map<string, unknown>; readonly durable: Promise<void>; readonly settle: () => void };

const ALARM = "\0alarm";

export const alarmOf = ({ entries }: Disk): number | null => (entries.get(ALARM) as number | null | undefined) ?? null;

export class ObjectStorage {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #disk: Disk;
  readonly #gate: InputGate;
  readonly #isRunning: () => boolean;
  readonly #onAlarm: (time: number) => void;
  readonly #memory: Map<string, unknown>;
  readonly #writes: Writes[] = [];
  #open: Writes | undefined;

  /** `onAlarm` is told of each alarm that is set (Unix milliseconds). */
  constructor(
    timeline: Timeline,
    random: Random,
    disk: Disk,
    gate: InputGate,
    isRunning: () => boolean,
    onAlarm: (time: number) => void,
  ) {
    this.#timeline = timeline;
    this.#random = random;
    this.#disk = disk;
    this.#gate = gate;
    this.#isRunning = isRunning;
    this.#onAlarm = onAlarm;
    this.#memory = new Map(disk.entries);
  }

  get alarm(): number | null {
    return (this.#memory.get(ALARM) as number | null | undefined) ?? null;
  }

  /** While an alarm runs there is none; until it has run it stays on the disk. */
  startAlarm(): void {
    this.#memory.set(ALARM, null);
  }

  endAlarm(): void {
    if (this.alarm === null) this.#put(ALARM, null);
  }

  /** Resolves when what was written until now is durable. */
  durable(): Promise<void> {
    return this.#writes.at(-1)?.durable ?? Promise.resolve();
  }

  #put(key: string, value: unknown): void {
    this.#memory.set(key, value);
    this.#openWrites().entries.set(key, value);
  }

  #openWrites(): Writes {
    if (this.#open !== undefined) return this.#open;
    const { promise: durable, resolve: settle } = Promise.withResolvers<void>();
    const writes: Writes = { entries: new Map(), durable, settle };
    this.#open = writes;
    this.#writes.push(writes);
    this.#timeline.after(0, () => {
      this.#open = undefined;
      this.#disk.durableAt = Math.max(this.#disk.durableAt, this.#timeline.now + skewed(this.#random, 0.5, 15));
      this.#timeline.at(this.#disk.durableAt, () => this.#store(writes));
    });
    return writes;
  }

  #store(writes: Writes): void {
    if (!this.#isRunning()) return;
    for (const [key, value] of writes.entries) this.#disk.entries.set(key, value);
    this.#writes.splice(this.#writes.indexOf(writes), 1);
    writes.settle();
  }

  /** An asynchronous operation closes the input gate until it has ended. */
  #operation<Answer>(work: () => Answer): Promise<Answer> {
    this.#gate.close();
    const answer = work();
    return new Promise((resolve) => {
      this.#timeline.after(between(this.#random, 0, 2), () => {
        if (!this.#isRunning()) return;
        resolve(answer);
        this.#gate.open();
      });
    });
  }

  /** `ctx.storage`, as far as the application may use it. */
  get binding(): object {
    const kv = {
      get: (key: string) => structuredClone(this.#memory.get(key)),
      put: (key: string, value: unknown) => this.#put(key, structuredClone(value)),
      delete: (key: string) => {
        const had = this.#memory.get(key) !== undefined;
        this.#put(key, undefined);
        return had;
      },
    };
    return {
      kv,
      get: (key: string) => this.#operation(() => kv.get(key)),
      put: (key: string, value: unknown) => this.#operation(() => kv.put(key, value)),
      delete: (key: string) => this.#operation(() => kv.delete(key)),
      getAlarm: () => this.#operation(() => this.alarm),
      setAlarm: (time: number | Date) =>
        this.#operation(() => {
          this.#put(ALARM, Number(time));
          this.#onAlarm(Number(time));
        }),
      deleteAlarm: () => this.#operation(() => this.#put(ALARM, null)),
      sync: () => this.durable(),
      transactionSync: <Answer>(work: () => Answer) => work(),
    };
  }
}
