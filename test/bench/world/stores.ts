/** KV and the way to Durable Objects, with their distances. */

import type { Random } from "../../support/random.ts";
import type { Counts } from "../counts.ts";
import { clock, where } from "./clock.ts";
import { KV_CACHED_MS, KV_COLD, KV_HOT, OBJECT_SERVICE, PRIMARY, roundTrip } from "./latencies.ts";

const placeNow = () => where.getStore()?.place ?? PRIMARY;

/** Real KV behind each location's copy, which may be a minute old. */
export function distantStore(store: KVNamespace, random: Random, counts: Counts): KVNamespace {
  const copies = new Map<string, { readonly value: unknown; readonly until: number }>();
  const read = (method: "get" | "getWithMetadata") => async (key: string, type: unknown) => {
    counts.kvReads += 1;
    const name = `${placeNow()} ${method} ${key}`;
    const copy = copies.get(name);
    if (copy !== undefined && clock.now < copy.until) {
      await clock.sleep(random.latency(KV_HOT));
      return copy.value;
    }
    const way = random.latency(KV_COLD) / 2;
    await clock.sleep(way);
    const value: unknown = await clock.real(() => Reflect.apply(store[method], store, [key, type]));
    await clock.sleep(way);
    copies.set(name, { value, until: clock.now + KV_CACHED_MS });
    return value;
  };
  const write =
    (method: "put" | "delete") =>
    async (key: string, ...rest: unknown[]) => {
      counts.kvWrites += 1;
      const way = random.latency(KV_COLD) / 2;
      await clock.sleep(way);
      await clock.real(() => Reflect.apply(store[method], store, [key, ...rest]));
      // Where it was written it shows at once.
      for (const name of ["get", "getWithMetadata"]) copies.delete(`${placeNow()} ${name} ${key}`);
      await clock.sleep(way);
    };
  const own: Record<string, unknown> = {
    get: read("get"),
    getWithMetadata: read("getWithMetadata"),
    put: write("put"),
    delete: write("delete"),
  };
  return new Proxy(store, {
    get: (target, name) => (typeof name === "string" && own[name]) || Reflect.get(target, name),
  });
}

/** Where each object lives, by its id: where it was first used. */
const homes = new Map<string, number>();

/** How often each was called, by its id. */
export const objectCalls = new Map<string, number>();

export const homeOf = (id: DurableObjectId): number => homes.get(id.toString()) ?? PRIMARY;

/** What a stub has besides the object's own methods. */
const OWN = new Set(["id", "name", "then", "fetch", "connect"]);

/** The way to an object: a call is the distance, what the object adds, and the real call. */
export function distantObjects<N extends Pick<DurableObjectNamespace, "idFromName">>(
  objects: N,
  random: Random,
  counts: Counts,
): N {
  const distant = (stub: DurableObjectStub): DurableObjectStub =>
    new Proxy(stub, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof name !== "string" || OWN.has(name) || typeof member !== "function") return member;
        return async (...args: unknown[]) => {
          counts.objectRequests += 1;
          const from = placeNow();
          const id = target.id.toString();
          objectCalls.set(id, (objectCalls.get(id) ?? 0) + 1);
          if (!homes.has(id)) homes.set(id, from);
          const way = random.latency(roundTrip(from, homeOf(target.id))) / 2;
          await clock.sleep(way + random.latency(OBJECT_SERVICE));
          const answer: unknown = await clock.real(async () => Reflect.apply(member, target, args));
          await clock.sleep(way);
          return answer;
        };
      },
    });
  return new Proxy(objects, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      return name === "get" || name === "getByName"
        ? (...args: unknown[]) => distant(call(...args) as DurableObjectStub)
        : call;
    },
  });
}
