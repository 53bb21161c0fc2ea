/**
 * What the application finds in place of the runtime's own: a clock for each isolate and gate, timers in the world's time, random
 * bytes of the seed, and a WebCrypto that answers without a thread. The bundle's global names are replaced by these (application.ts).
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { currentContext } from "./context.ts";

/** Unix milliseconds of the beginning of every history: an hour has half a minute left. */
export const EPOCH = Date.UTC(2026, 10, 22, 10, 59, 30);

const now = (): number => {
  const { timeline, clock } = currentContext();
  return Math.floor(EPOCH + timeline.now + clock.ahead);
};

const SimulatedDate = class extends Date {
  constructor(...values: [] | [value: number | string | Date]) {
    if (values.length === 0) super(now());
    else super(...values);
  }
  static override now = now;
};

const bytesOf = (data: BufferSource): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const nodeName = (algorithm: string | { readonly name: string }): string =>
  (typeof algorithm === "string" ? algorithm : algorithm.name).replace("-", "").toLowerCase();

class HmacKey {
  readonly type = "secret";
  readonly hash: string;
  readonly bytes: Uint8Array;

  constructor(hash: string, bytes: Uint8Array) {
    this.hash = hash;
    this.bytes = bytes;
  }
}

const hmac = ({ hash, bytes }: HmacKey, data: BufferSource) => createHmac(hash, bytes).update(bytesOf(data)).digest();

const subtle = {
  digest: async (algorithm: string | { readonly name: string }, data: BufferSource) =>
    toArrayBuffer(createHash(nodeName(algorithm)).update(bytesOf(data)).digest()),
  importKey: async (_: "raw", bytes: BufferSource, { hash }: { readonly hash: string | { readonly name: string } }) =>
    new HmacKey(nodeName(hash), bytesOf(bytes)),
  sign: async (_: "HMAC", key: HmacKey, data: BufferSource) => toArrayBuffer(hmac(key, data)),
  verify: async (_: "HMAC", key: HmacKey, signature: BufferSource, data: BufferSource) => {
    const [given, made] = [bytesOf(signature), hmac(key, data)];
    return given.length === made.length && timingSafeEqual(given, made);
  },
  timingSafeEqual: (one: BufferSource, other: BufferSource) => timingSafeEqual(bytesOf(one), bytesOf(other)),
};

const getRandomValues = (array: Uint8Array): Uint8Array => {
  array.set(currentContext().bytes(array.length));
  return array;
};

const randomUUID = (): string => {
  const hex = Buffer.from(currentContext().bytes(16)).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};

const log = (..._: readonly unknown[]): void => {};

export const GLOBALS = {
  Date: SimulatedDate,
  setTimeout: (callback: () => void, milliseconds = 0) => currentContext().setTimeout(callback, milliseconds),
  clearTimeout: (timer: number | null | undefined) => {
    if (typeof timer === "number") currentContext().clearTimeout(timer);
  },
  crypto: { subtle, getRandomValues, randomUUID },
  random: () => currentContext().random.next(),
  console: { log, warn: log, error: log, info: log, debug: log },
};
