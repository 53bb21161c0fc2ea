/**
 * How much of an isolate's memory a sender's request bodies may use while they arrive. An isolate has 128 MB for all tenants, and a body
 * of 64 KiB may take ten seconds: a key with the highest limit could hold 625 MiB in bodies. So each sender has 2 MiB, which is 32 of
 * the largest bodies at once. Once all senders hold 32 MiB, a sender with more than 64 KiB gets no more, so that many senders cannot
 * fill the isolate either: 16 senders fill those 32 MiB, and the next 32 MiB take 500 others.
 */
import { Problem } from "../problem.ts";

const SENDER_BYTES = 2 * 1024 * 1024;
const PLENTY_BYTES = 32 * 1024 * 1024;
const BESIDE_PLENTY_BYTES = 64 * 1024;

const tooMuch = () =>
  new Problem("service-unavailable", {
    detail: "You are sending too many request bodies at once. Send fewer in parallel.",
    headers: { "Retry-After": "1" },
    cause: "a sender's share of request bodies is full",
  });

export class BodyShares {
  readonly #held = new Map<string, number>();
  #total = 0;

  /** The bytes that one body of a sender holds. Release them when it has arrived, or is given up. */
  open(sender: string): BodyShare {
    let own = 0;
    const add = (bytes: number) => {
      own += bytes;
      this.#total += bytes;
      const held = (this.#held.get(sender) ?? 0) + bytes;
      if (held === 0) this.#held.delete(sender);
      else this.#held.set(sender, held);
    };
    return {
      take: (bytes) => {
        const most = this.#total + bytes > PLENTY_BYTES ? BESIDE_PLENTY_BYTES : SENDER_BYTES;
        if ((this.#held.get(sender) ?? 0) + bytes > most) throw tooMuch();
        add(bytes);
      },
      release: () => add(-own),
    };
  }
}

export type BodyShare = {
  /** Throws `service-unavailable` when the sender holds too much. */
  take(bytes: number): void;
  release(): void;
};
