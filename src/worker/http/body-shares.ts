/**
 * How much of an isolate's memory request bodies may use while they arrive. An isolate has 128 MB for all tenants, and a body of 64 KiB
 * may take ten seconds: a key with the highest limit could hold 625 MiB in bodies.
 *
 * - **A sender has 2 MiB**, which is 32 of the largest bodies at once. The panelists of an idea bank are one sender, and share its 2 MiB by
 *   person: when they are full, the person with the most gives up the oldest body, if that is more than the newcomer has. When nobody has
 *   more than one body's worth, the oldest body goes that has come for a second. So slow bodies do not keep quick ones out.
 * - **All senders together have 32 MiB.** Then a sender with more than 64 KiB gets more only from a sender that has more still. So many
 *   senders cannot fill the isolate either: the 32 MiB take 16 of them, and the next 32 MiB 500 others.
 */
import { Problem } from "../problem.ts";

const SENDER_BYTES = 2 * 1024 * 1024;
const PLENTY_BYTES = 32 * 1024 * 1024;
/** One body's worth: nobody with less gives way to somebody with more. */
const BODY_BYTES = 64 * 1024;
/** A body that has come for less than this, in milliseconds, is not replaced for being slow. */
const KEEPS_PLACE_MS = 1_000;

const unavailable = (detail: string, cause: string) => () =>
  new Problem("service-unavailable", { detail, headers: { "Retry-After": "1" }, cause });
const tooMuch = unavailable(
  "You are sending too many request bodies at once. Send fewer in parallel.",
  "a sender's share of request bodies is full",
);
/** For a body that had to give up its place to another one. */
export const replaced = unavailable(
  "The request body arrived too slowly and was dropped to make room. Nothing was changed. Send it again.",
  "a slow request body was replaced",
);

/** `person` is who shares the sender's bytes with others. */
export type BodySender = { readonly sender: string; readonly person: string };

type Body = BodySender & { readonly since: number; readonly end: AbortController; bytes: number };

export type BodyShare = {
  /** Throws `service-unavailable` when the sender holds too much. */
  take(bytes: number): void;
  release(): void;
  /** Aborted when another body got the place of this one. */
  readonly ended: AbortSignal;
};

export class BodyShares {
  /** The oldest first. */
  readonly #bodies = new Set<Body>();
  readonly #held = new Map<string, number>();
  #total = 0;

  /** The bytes that one body holds, from `since` (Unix milliseconds). Release them when it has arrived, or is given up. */
  open(of: BodySender, since: number): BodyShare {
    const body: Body = { ...of, since, end: new AbortController(), bytes: 0 };
    this.#bodies.add(body);
    return {
      take: (bytes) => {
        if (!this.#bodies.has(body)) return;
        while (this.#heldBy(body.sender) + bytes > SENDER_BYTES) this.#replace(this.#besideIn(body, bytes));
        while (this.#total + bytes > PLENTY_BYTES && this.#heldBy(body.sender) + bytes > BODY_BYTES)
          this.#replace(this.#ofLargestSender(body, bytes));
        this.#add(body, bytes);
      },
      release: () => this.#remove(body),
      ended: body.end.signal,
    };
  }

  #heldBy(sender: string): number {
    return this.#held.get(sender) ?? 0;
  }

  #add(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#total += bytes;
    const held = this.#heldBy(body.sender) + bytes;
    if (held === 0) this.#held.delete(body.sender);
    else this.#held.set(body.sender, held);
  }

  #remove(body: Body): void {
    if (this.#bodies.delete(body)) this.#add(body, -body.bytes);
  }

  /** Throws when there is none to replace. */
  #replace(body: Body | undefined): void {
    if (body === undefined) throw tooMuch();
    this.#remove(body);
    body.end.abort();
  }

  /** A body of the same sender and another person, which gives up its place for `bytes` of this one. */
  #besideIn({ sender, person, since }: Body, bytes: number): Body | undefined {
    const all = [...this.#bodies].filter((body) => body.sender === sender && body.bytes > 0);
    const byPerson = sumByPerson(all);
    const own = (byPerson.get(person) ?? 0) + bytes;
    const others = all.filter((body) => body.person !== person);
    const [largest, most] = largestOf(byPerson);
    if (most > Math.max(own, BODY_BYTES)) return others.find((body) => body.person === largest);
    return own > BODY_BYTES ? undefined : others.find((body) => since - body.since >= KEEPS_PLACE_MS);
  }

  #ofLargestSender({ sender }: Body, bytes: number): Body | undefined {
    const [largest, most] = largestOf(this.#held);
    if (most <= this.#heldBy(sender) + bytes) return undefined;
    return [...this.#bodies].find((body) => body.sender === largest && body.bytes > 0);
  }
}

function sumByPerson(bodies: readonly Body[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { person, bytes } of bodies) sums.set(person, (sums.get(person) ?? 0) + bytes);
  return sums;
}

const largestOf = (sums: ReadonlyMap<string, number>): readonly [name: string, bytes: number] =>
  [...sums].reduce((left, right) => (right[1] > left[1] ? right : left), ["", 0]);
