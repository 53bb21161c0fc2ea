/**
 * Durable Objects, one of a name: input gates (a storage operation that is awaited lets nothing else in), output gates (what leaves
 * waits until everything written before is durable), alarms that may come twice, eviction after ten idle seconds, crashes.
 */

import type { GateEnded, HistoryEvent } from "../history.ts";
import { type Clock, currentContext, HOME } from "./context.ts";
import type { Faults } from "./faults.ts";
import { EPOCH } from "./globals.ts";
import { alarmOf, type Disk } from "./object-storage.ts";
import { between, type Random, type Source, skewed } from "./random.ts";
import { lostObject, Run } from "./run.ts";
import type { Timeline } from "./timeline.ts";

const ALARM_RETRY_MS = 2_000;
const ALARM_RETRIES = 6;
/** How often an alarm that has run comes again. */
const TWICE = 0.07;

export type ObjectClass = new (state: object, env: object) => object;

export type GatesOptions = {
  readonly objectClass: ObjectClass;
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly source: Source;
  readonly record: (event: HistoryEvent) => void;
  readonly env: () => object;
};

/** An object with its storage, whether it is in memory or not. */
export class Gate {
  readonly options: GatesOptions;
  readonly name: string;
  readonly clock: Clock;
  readonly source: Source;
  readonly random: Random;
  readonly disk: Disk = { entries: new Map(), durableAt: 0 };
  busyMs = 0;
  contexts = 0;
  #run: Run | undefined;
  #retries = 0;

  constructor(options: GatesOptions, name: string, clock: Clock) {
    this.options = options;
    this.name = name;
    this.clock = clock;
    this.source = options.source.of(name);
    this.random = this.source.numbers();
  }

  get running(): Run {
    if (this.#run === undefined) {
      this.#run = new Run(this);
      this.#run.start();
    }
    return this.#run;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  end(how: GateEnded["how"]): void {
    if (this.#run === undefined) return;
    this.#run.end(how);
    this.#run = undefined;
    const { timeline, record } = this.options;
    record({ kind: "gate-ended", at: timeline.now, key: this.name, how });
    const alarm = alarmOf(this.disk);
    if (alarm !== null) this.ringAt(Math.max(alarm, EPOCH + timeline.now + ALARM_RETRY_MS), alarm);
  }

  /** At that Unix time, if the alarm is still the one of `alarm` then. */
  ringAt(unix: number, alarm = unix): void {
    const { timeline } = this.options;
    timeline.at(unix - EPOCH + skewed(this.random, 0, 300), () => {
      const planned = this.#run === undefined ? alarmOf(this.disk) : this.#run.storage.alarm;
      if (planned === alarm) void this.#ring(alarm);
    });
  }

  async #ring(alarm: number): Promise<void> {
    const { timeline } = this.options;
    try {
      await this.running.ring();
      this.#retries = 0;
      if (this.random.next() < TWICE) {
        timeline.after(between(this.random, 1, 3_000), () => void this.running.ring().catch(() => {}));
      }
    } catch {
      // The end of the object plans its alarm anew by itself.
      if (this.#retries >= ALARM_RETRIES || alarmOf(this.disk) !== alarm) return;
      this.#retries += 1;
      timeline.after(ALARM_RETRY_MS * 2 ** this.#retries, () => {
        if (alarmOf(this.disk) === alarm) void this.#ring(alarm);
      });
    }
  }
}

/** What a stub has that is no method of the object. */
const OWN = new Set<string | symbol>(["then", "catch", "finally"]);

export class Gates {
  readonly #options: GatesOptions;
  readonly #gates = new Map<string, Gate>();
  readonly #clocks = new Map<string, Clock>();

  constructor(options: GatesOptions) {
    this.#options = options;
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name);
    if (gate === undefined) {
      gate = new Gate(this.#options, name, this.clockOf(name));
      this.#gates.set(name, gate);
    }
    return gate;
  }

  clockOf(name: string): Clock {
    let clock = this.#clocks.get(name);
    if (clock === undefined) {
      clock = { ahead: 0 };
      this.#clocks.set(name, clock);
    }
    return clock;
  }

  end(name: string, how: "crash" | "deploy"): void {
    this.#gates.get(name)?.end(how);
  }

  /** Milliseconds that objects were billed for: with a call, a timer or other I/O open. */
  get busyMs(): number {
    return [...this.#gates.values()].reduce((sum, { busyMs }) => sum + busyMs, 0);
  }

  readonly binding = {
    idFromName: (name: string) => ({
      name,
      toString: () => name,
      equals: (other: { readonly name?: string }) => other.name === name,
    }),
    get: (id: { readonly name: string }) => this.#stub(id.name),
    getByName: (name: string) => this.#stub(name),
  };

  #stub(name: string): object {
    const id = this.binding.idFromName(name);
    return new Proxy(
      { id, name },
      {
        get: (target, member) => {
          if (member in target) return Reflect.get(target, member);
          if (typeof member !== "string" || OWN.has(member)) return undefined;
          return (...args: readonly unknown[]) => this.#call(name, member, args);
        },
      },
    );
  }

  #call(name: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const context = currentContext();
    const { timeline, faults, record } = this.#options;
    record({
      kind: "store-called",
      at: timeline.now,
      store: "gate",
      name,
      ...(context.call !== undefined && { call: context.call }),
      ...(context.isolate !== undefined && { isolate: context.isolate }),
    });
    const { random, place } = context;
    const way = () => (place === HOME ? skewed(random, 0.5, 8) : skewed(random, 15, 80));
    const lost = () => lostObject("Network connection lost.", { retryable: true });
    const sent = structuredClone(args);
    return context.io(() =>
      faults.call({ store: "gate", name }, random, way, lost, () =>
        this.#gate(name).running.call(method, sent, context.call),
      ),
    );
  }
}
