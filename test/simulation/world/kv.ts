/** KV: one truth, and in each place a copy of what was read there, a miss included, which may be a minute old. */
import type { HistoryEvent } from "../history.ts";
import { currentContext } from "./context.ts";
import type { Faults } from "./faults.ts";
import { skewed } from "./random.ts";
import type { Timeline } from "./timeline.ts";

type Entry = { readonly bytes: Uint8Array; readonly metadata: unknown };
type Copy = { readonly entry: Entry | undefined; readonly until: number };

const CACHED_MS = 60_000;
const MISS = { value: null, metadata: null, cacheStatus: null };
const encoder = new TextEncoder();

const toBytes = (value: string | ArrayBuffer | ArrayBufferView): Uint8Array =>
  typeof value === "string"
    ? encoder.encode(value)
    : ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
      : new Uint8Array(value).slice();

const typeOf = (options: unknown): unknown =>
  typeof options === "object" && options !== null ? Reflect.get(options, "type") : options;

function fromBytes(bytes: Uint8Array, type: unknown): unknown {
  if (type === "arrayBuffer") return bytes.slice().buffer;
  const text = new TextDecoder().decode(bytes);
  return type === "json" ? JSON.parse(text) : text;
}

export function createKv(timeline: Timeline, faults: Faults, record: (event: HistoryEvent) => void) {
  const entries = new Map<string, Entry>();
  const copies = new Map<string, Copy>();

  const call = <Answer>(work: (place: number) => Answer | Promise<Answer>): Promise<Answer> => {
    const { random, place, call: asker, isolate, io } = bound();
    record({
      kind: "store-called",
      at: timeline.now,
      store: "kv",
      name: "CHANGELOGS",
      ...(asker !== undefined && { call: asker }),
      ...(isolate !== undefined && { isolate }),
    });
    const way = () => skewed(random, 0.5, 30);
    const lost = () => new Error("KV GET failed: 500 Internal Server Error");
    return io(() => faults.call({ store: "kv", name: "CHANGELOGS" }, random, way, lost, () => work(place)));
  };
  const read = (key: string) =>
    call((place) => {
      const name = `${place} ${key}`;
      const copy = copies.get(name);
      if (copy !== undefined && timeline.now < copy.until) return copy.entry;
      const entry = entries.get(key);
      copies.set(name, { entry, until: timeline.now + CACHED_MS });
      return entry;
    });
  const write = (key: string, entry: Entry | undefined) =>
    call((place) => {
      if (entry === undefined) entries.delete(key);
      else entries.set(key, entry);
      copies.delete(`${place} ${key}`);
    });

  return {
    get: async (key: string, options?: unknown) => {
      const entry = await read(key);
      return entry === undefined ? null : fromBytes(entry.bytes, typeOf(options));
    },
    getWithMetadata: async (key: string, options?: unknown) => {
      const entry = await read(key);
      if (entry === undefined) return MISS;
      return { ...MISS, value: fromBytes(entry.bytes, typeOf(options)), metadata: structuredClone(entry.metadata) };
    },
    put: (key: string, value: string | ArrayBuffer | ArrayBufferView, options?: { readonly metadata?: unknown }) =>
      write(key, { bytes: toBytes(value), metadata: structuredClone(options?.metadata ?? null) }),
    delete: (key: string) => write(key, undefined),
  };
}

function bound() {
  const context = currentContext();
  const { random, place, call, isolate } = context;
  return { random, place, call, isolate, io: context.io.bind(context) };
}
