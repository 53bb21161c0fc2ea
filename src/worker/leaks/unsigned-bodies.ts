/**
 * Slots for the bodies of requests whose sender is not known yet. A body holds its slot for ten seconds at most, and at most two are of
 * one address. A new body always gets one: while all are taken, that of the body that comes the slowest. So a report, which arrives
 * within moments, is read whatever else comes slowly, from however many addresses.
 */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import type { BodyShare } from "../http/body-shares.ts";
import { clientOf } from "../model/address.ts";
import { Problem } from "../problem.ts";

const SLOTS = 16;
const PER_ADDRESS = 2;
/** A body counts as if so many bytes had come when it began, because the first ones of a new body are still on their way. */
const AHEAD_BYTES = 16 * 1024;

type Slot = { readonly address: string; readonly since: number; readonly end: AbortController; bytes: number };

/** In bytes for each millisecond. */
const speedOf = ({ since, bytes }: Slot, now: number): number => (AHEAD_BYTES + bytes) / (now - since + 1);

export class UnsignedBodies {
  /** The oldest first. */
  readonly #slots = new Set<Slot>();

  /** The result of `read`, which reads the body within the slot. Throws `service-unavailable` when its address has two already. */
  async read<Body>(c: Context<AppEnv>, read: (slot: BodyShare) => Promise<Body>): Promise<Body> {
    const address = clientOf(c.req.header("CF-Connecting-IP") ?? "");
    const slot: Slot = { address, since: Date.now(), end: new AbortController(), bytes: 0 };
    const own = [...this.#slots].filter((each) => each.address === address);
    if (own.length >= PER_ADDRESS)
      throw new Problem("service-unavailable", { headers: { "Retry-After": "5" }, cause: "too many bodies at a time" });
    if (this.#slots.size >= SLOTS) this.#endSlowest(slot.since);
    this.#slots.add(slot);
    const release = () => void this.#slots.delete(slot);
    const take = (bytes: number) => {
      slot.bytes += bytes;
    };
    try {
      return await read({ take, release, ended: slot.end.signal });
    } finally {
      release();
    }
  }

  #endSlowest(now: number): void {
    const [first, ...others] = this.#slots;
    if (first === undefined) return;
    const slowest = others.reduce((slow, each) => (speedOf(each, now) < speedOf(slow, now) ? each : slow), first);
    this.#slots.delete(slowest);
    slowest.end.abort();
  }
}
