/**
 * Slots for the bodies of requests whose sender is not known yet. A body holds its slot for ten seconds at most. At most two are of
 * one address, and while all are taken, a new one takes the slot of the oldest: so slow bodies do not keep quick ones out, from however
 * many addresses they come.
 */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { clientOf } from "../model/address.ts";
import { Problem } from "../problem.ts";

const SLOTS = 16;
const PER_ADDRESS = 2;
/** A body that has come for less than this keeps its slot: those of a report arrive within it. */
const KEEPS_SLOT_MS = 1_000;

type Slot = { readonly address: string; readonly since: number; readonly end: AbortController };

export class UnsignedBodies {
  /** The oldest first. */
  readonly #slots = new Set<Slot>();

  /** The result of `read`, which reads the body within the slot. Throws `service-unavailable` while there is no slot for it. */
  async read<Body>(c: Context<AppEnv>, read: (slot: AbortSignal) => Promise<Body>): Promise<Body> {
    const slot = {
      address: clientOf(c.req.header("CF-Connecting-IP") ?? ""),
      since: Date.now(),
      end: new AbortController(),
    };
    this.#makeRoom(slot);
    this.#slots.add(slot);
    try {
      return await read(slot.end.signal);
    } finally {
      this.#slots.delete(slot);
    }
  }

  #makeRoom({ address, since }: Slot): void {
    const own = [...this.#slots].filter((slot) => slot.address === address);
    const [oldest] = this.#slots;
    const mayTake = oldest !== undefined && since - oldest.since >= KEEPS_SLOT_MS;
    if (own.length >= PER_ADDRESS || (this.#slots.size >= SLOTS && !mayTake))
      throw new Problem("service-unavailable", { headers: { "Retry-After": "5" }, cause: "too many bodies at a time" });
    if (this.#slots.size < SLOTS || oldest === undefined) return;
    this.#slots.delete(oldest);
    oldest.end.abort();
  }
}
