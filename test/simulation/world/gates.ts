/**
 * Durable Objects, one of a name: input gates (a storage operation that is awaited lets nothing else in), output gates (what leaves
 * waits until everything written before is durable), alarms that may come twice, eviction after ten idle seconds, crashes.
 */

import type { GateEnded, HistoryEvent } from "../history.ts";
import { type Clock, Context, currentContext, HOME, type Origin } from "./context.ts";
import type { Faults } from "./faults.ts";
import { EPOCH } from "./globals.ts";
import { between, type Random, type Source, skewed } from "./random.ts";
import type { Timeline } from "./timeline.ts";

const IDLE_MS = 10_000;
const ALARM = "\0alarm";
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

type Writes = { readonly entries: Map<string, unknown>; readonly durable: Promise<void>; settle: () => void };

class GateContext extends Context {
  readonly #run: Run;

  constructor(origin: Origin, run: Run) {
    super(origin);
    this.#run = run;
  }

  override get isAlive(): boolean {
    return this.#run.isRunning;
  }

  override deliver(code: () => void): void {
    this.#run.enter(() => super.deliver(code));
  }

  /** What leaves the object waits, too. */
  override io<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return super.io(() => this.#run.durable().then(work));
  }

  protected override begin(): () => void {
    return this.#run.begin();
  }
}

const lostObject = (message: string, more: object): Error =>
  Object.assign(new Error(message), { remote: true, ...more });

/** An object in memory, from its start to its end. */
class Run {
  isRunning = true;
  readonly #gate: Gate;
  readonly #memory: Map<string, unknown>;
  readonly #writes: Writes[] = [];
  #open: Writes | undefined;
  #blocked = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #calls = new Set<(error: Error) => void>();
  #busy = 0;
  #busySince = 0;
  #idles = 0;
  #instance: object | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
    this.#memory = new Map(gate.disk);
  }

  start(): void {
    const { objectClass: ObjectClass, env } = this.#gate.options;
    this.context(undefined).deliver(() => {
      this.#instance = new ObjectClass(this.#state(), env());
    });
  }

  context(call: number | undefined): GateContext {
    const { timeline } = this.#gate.options;
    const { clock, source } = this.#gate;
    return new GateContext({ timeline, clock, source: source.of(this.#gate.contexts++), place: HOME, call }, this);
  }

  /** The input gate. */
  enter(event: () => void): void {
    if (this.#blocked > 0 || this.#waiting.length > 0) this.#waiting.push(event);
    else event();
  }

  #drain(): void {
    if (this.#blocked > 0) return;
    const event = this.#waiting.shift();
    if (event === undefined) return;
    event();
    this.#gate.options.timeline.after(0, () => this.#drain());
  }

  begin(): () => void {
    const { timeline } = this.#gate.options;
    if (this.#busy === 0) this.#busySince = timeline.now;
    this.#busy += 1;
    this.#idles += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#busy -= 1;
      if (this.#busy > 0 || !this.isRunning) return;
      this.#gate.busyMs += timeline.now - this.#busySince;
      const idles = this.#idles;
      timeline.after(IDLE_MS, () => {
        if (this.isRunning && this.#idles === idles) this.#gate.end("eviction");
      });
    };
  }

  /** Resolves when what was written until now is durable. */
  durable(): Promise<void> {
    return this.#writes.at(-1)?.durable ?? Promise.resolve();
  }

  #put(key: string, value: unknown): void {
    this.#memory.set(key, value);
    this.#openWrites().entries.set(key, value);
  }

  /** What is written at one moment is durable as a whole, or lost as a whole. */
  #openWrites(): Writes {
    if (this.#open !== undefined) return this.#open;
    const { timeline } = this.#gate.options;
    const { promise: durable, resolve: settle } = Promise.withResolvers<void>();
    const writes: Writes = { entries: new Map(), durable, settle };
    this.#open = writes;
    this.#writes.push(writes);
    timeline.after(0, () => {
      this.#open = undefined;
      const due = Math.max(this.#gate.durableAt, timeline.now + skewed(this.#gate.random, 0.5, 15));
      this.#gate.durableAt = due;
      timeline.at(due, () => {
        if (!this.isRunning) return;
        for (const [key, value] of writes.entries) this.#gate.disk.set(key, value);
        this.#writes.splice(this.#writes.indexOf(writes), 1);
        settle();
      });
    });
    return writes;
  }

  /** An asynchronous storage operation closes the input gate until it has ended. */
  #operation<Answer>(work: () => Answer): Promise<Answer> {
    this.#blocked += 1;
    const answer = work();
    return new Promise((resolve) => {
      const { timeline } = this.#gate.options;
      timeline.after(between(this.#gate.random, 0, 2), () => {
        if (!this.isRunning) return;
        resolve(answer);
        timeline.after(0, () => {
          this.#blocked -= 1;
          this.#drain();
        });
      });
    });
  }

  get alarm(): number | null {
    return (this.#memory.get(ALARM) as number | null | undefined) ?? null;
  }

  #state(): object {
    const { name } = this.#gate;
    const kv = {
      get: (key: string) => structuredClone(this.#memory.get(key)),
      put: (key: string, value: unknown) => this.#put(key, structuredClone(value)),
      delete: (key: string) => {
        const had = this.#memory.get(key) !== undefined;
        this.#put(key, undefined);
        return had;
      },
    };
    const storage = {
      kv,
      get: (key: string) => this.#operation(() => kv.get(key)),
      put: (key: string, value: unknown) => this.#operation(() => kv.put(key, value)),
      delete: (key: string) => this.#operation(() => kv.delete(key)),
      getAlarm: () => this.#operation(() => this.alarm),
      setAlarm: (time: number | Date) =>
        this.#operation(() => {
          this.#put(ALARM, Number(time));
          this.#gate.ringAt(Number(time));
        }),
      deleteAlarm: () => this.#operation(() => this.#put(ALARM, null)),
      sync: () => this.durable(),
      transactionSync: <Answer>(work: () => Answer) => work(),
    };
    return {
      id: { name, toString: () => name, equals: (other: { readonly name?: string }) => other.name === name },
      storage,
      waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}),
      blockConcurrencyWhile: async <Answer>(work: () => Promise<Answer>) => {
        this.#blocked += 1;
        try {
          return await work();
        } finally {
          this.#blocked -= 1;
          this.#gate.options.timeline.after(0, () => this.#drain());
        }
      },
    };
  }

  /** One call, from its arrival until its answer may leave. */
  call(method: string, args: readonly unknown[], call: number | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = this.begin();
      this.#calls.add(reject);
      const leave = async (settle: () => void) => {
        await this.durable();
        if (!this.isRunning) return;
        this.#calls.delete(reject);
        end();
        settle();
      };
      this.context(call).deliver(() => {
        this.#invoke(method, args).then(
          (answer) => void leave(() => resolve(structuredClone(answer))),
          (error: unknown) => void leave(() => reject(error)),
        );
      });
    });
  }

  async #invoke(method: string, args: readonly unknown[]): Promise<unknown> {
    const member: unknown = this.#instance && Reflect.get(this.#instance, method);
    if (typeof member !== "function") throw new TypeError(`The RPC receiver does not implement "${method}".`);
    return Reflect.apply(member, this.#instance, args);
  }

  /** The alarm that is due. While it runs there is none. */
  async ring(): Promise<void> {
    this.#memory.set(ALARM, null);
    await this.call("alarm", [{ retryCount: 0, isRetry: false }], undefined);
    if (this.alarm === null) this.#put(ALARM, null);
  }

  end(how: GateEnded["how"]): void {
    this.isRunning = false;
    if (this.#busy > 0) this.#gate.busyMs += this.#gate.options.timeline.now - this.#busySince;
    for (const reject of this.#calls) {
      reject(
        how === "deploy"
          ? lostObject("Durable Object reset because its code was updated.", {
              durableObjectReset: true,
              retryable: true,
            })
          : lostObject("Network connection lost.", { retryable: true }),
      );
    }
  }
}

/** An object with its storage, whether it is in memory or not. */
class Gate {
  readonly options: GatesOptions;
  readonly name: string;
  readonly clock: Clock;
  readonly source: Source;
  readonly random: Random;
  readonly disk = new Map<string, unknown>();
  durableAt = 0;
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
    const alarm = this.disk.get(ALARM);
    if (typeof alarm === "number") this.ringAt(Math.max(alarm, EPOCH + timeline.now + ALARM_RETRY_MS), alarm);
  }

  /** At that Unix time, if the alarm is still the one of `alarm` then. */
  ringAt(unix: number, alarm = unix): void {
    const { timeline } = this.options;
    timeline.at(unix - EPOCH + skewed(this.random, 0, 300), () => {
      const planned = this.#run === undefined ? this.disk.get(ALARM) : this.#run.alarm;
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
      if (this.#retries >= ALARM_RETRIES || this.disk.get(ALARM) !== alarm) return;
      this.#retries += 1;
      timeline.after(ALARM_RETRY_MS * 2 ** this.#retries, () => {
        if (this.disk.get(ALARM) === alarm) void this.#ring(alarm);
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
