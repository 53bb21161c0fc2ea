/** A Durable Object class in the world: its own D1 at its own distance, its timers and its alarm by the world's clock, its writes and its time awake counted. */
import type { DurableObject } from "cloudflare:workers";
import type { Counts } from "../counts.ts";
import { clock, type Where, where } from "./clock.ts";
import { homeOf } from "./stores.ts";

type ObjectClass<E> = new (state: DurableObjectState, env: E) => DurableObject<E>;

/** The methods that the world adds: `wake` fires a timer inside the object, `ring` its alarm. */
type Reached = { wakeInWorld(timer: number): Promise<void>; ringInWorld(): Promise<void> };

/** Adds up how long an object cannot sleep. */
function awake(counts: Counts): (by: 1 | -1) => void {
  let [open, since] = [0, 0];
  return (by) => {
    if (open === 0) since = clock.now;
    open += by;
    if (open === 0) counts.objectMs += clock.now - since;
  };
}

/** `adapt` gives the object its bindings; `binding` is the namespace's own name. */
export function worldObject<E extends Env>(
  Base: ObjectClass<E>,
  binding: string,
  adapt: (env: E) => E,
  counts: Counts,
): ObjectClass<E> {
  const places = new WeakMap<object, Where>();

  /** Runs a call that has arrived: its way here is over, and its way back begins when it has ended. */
  const arrive = async (object: object, call: () => unknown): Promise<unknown> => {
    const here = places.get(object);
    if (here === undefined || where.getStore() === here) return call();
    clock.end();
    here.keepAwake?.(1);
    try {
      return await where.run(here, async () => call());
    } finally {
      here.keepAwake?.(-1);
      clock.begin();
    }
  };

  class InWorld extends Base {
    constructor(state: DurableObjectState, env: E) {
      const reach = () => {
        const objects = Reflect.get(env, binding) as DurableObjectNamespace;
        return objects.get(state.id) as DurableObjectStub & Reached;
      };
      const here: Where = {
        place: homeOf(state.id),
        keepAwake: awake(counts),
        wake: (timer) => clock.real(async () => reach().wakeInWorld(timer)),
      };
      const { kv } = state.storage;
      const put = kv.put.bind(kv);
      kv.put = (key, value) => {
        counts.rowsWritten += 1;
        put(key, value);
      };
      let alarm: number | null = null;
      state.storage.getAlarm = async () => alarm;
      state.storage.deleteAlarm = async () => {
        alarm = null;
      };
      state.storage.setAlarm = async (time) => {
        counts.rowsWritten += 1;
        const due = Number(time);
        alarm = due;
        clock.at(due, () => {
          if (alarm !== due) return;
          alarm = null;
          counts.objectRequests += 1;
          void clock.real(async () => reach().ringInWorld());
        });
      };
      super(state, adapt(env));
      places.set(this, here);
    }

    async wakeInWorld(timer: number): Promise<void> {
      await arrive(this, () => clock.wake(timer));
    }

    async ringInWorld(): Promise<void> {
      await arrive(this, () => super.alarm?.());
    }
  }

  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Base.prototype))) {
    if (typeof value !== "function" || name === "constructor") continue;
    Object.defineProperty(InWorld.prototype, name, {
      value(this: object, ...args: unknown[]) {
        return arrive(this, () => Reflect.apply(value, this, args));
      },
    });
  }
  return InWorld;
}
