/** An object in memory, from its start to its end: its calls and alarms, and the gates around them. */
import type { GateEnded } from "../history.ts";
import { Context, HOME, type Origin } from "./context.ts";
import type { Gate } from "./gates.ts";
import { InputGate } from "./input-gate.ts";
import { ObjectStorage } from "./object-storage.ts";

const IDLE_MS = 10_000;

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
    return super.io(() => this.#run.storage.durable().then(work));
  }

  protected override begin(): () => void {
    return this.#run.begin();
  }
}

export const lostObject = (message: string, more: object): Error =>
  Object.assign(new Error(message), { remote: true, ...more });

export class Run {
  isRunning = true;
  readonly storage: ObjectStorage;
  readonly #gate: Gate;
  readonly #input: InputGate;
  readonly #calls = new Set<(error: Error) => void>();
  #busy = 0;
  #busySince = 0;
  #idles = 0;
  #instance: object | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
    const { timeline } = gate.options;
    this.#input = new InputGate(timeline);
    this.storage = new ObjectStorage(
      timeline,
      gate.random,
      gate.disk,
      this.#input,
      () => this.isRunning,
      (time) => gate.ringAt(time),
    );
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

  enter(event: () => void): void {
    this.#input.enter(event);
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

  #state(): object {
    const { name } = this.#gate;
    return {
      id: { name, toString: () => name, equals: (other: { readonly name?: string }) => other.name === name },
      storage: this.storage.binding,
      waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}),
      blockConcurrencyWhile: async <Answer>(work: () => Promise<Answer>) => {
        this.#input.close();
        try {
          return await work();
        } finally {
          this.#input.open();
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
        await this.storage.durable();
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

  /** The alarm that is due. */
  async ring(): Promise<void> {
    this.storage.startAlarm();
    await this.call("alarm", [{ retryCount: 0, isRetry: false }], undefined);
    this.storage.endAlarm();
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
