/**
 * What an isolate has seen of a key's requests, and has not told its gate yet. A request costs a count and a reference: its facts are
 * read when they are told.
 */
import { type Answered, type SeenRefusal, type Sender, type StatusClass, toSeen } from "../model/seen.ts";
import type { Sightings } from "./reports.ts";

export class Untold {
  #used: Sender | undefined;
  #refused: { readonly sender: Sender; readonly reason: SeenRefusal["reason"] } | undefined;
  #answered = new Map<string, Answered>();
  #told = new Map<string, Answered>();

  get isEmpty(): boolean {
    return this.#used === undefined && this.#refused === undefined && this.#told.size === 0;
  }

  /** A request was admitted. */
  admitted(sender: Sender, status: StatusClass): void {
    this.#used = sender;
    count(this.#answered, sender.operation, status);
  }

  limited(sender: Sender): void {
    this.#refused = { sender, reason: "limited" };
    count(this.#answered, sender.operation, "4xx");
  }

  refused(sender: Sender): void {
    this.#refused = { sender, reason: "address" };
  }

  /** A request that was counted as untold was answered with `status`. */
  tell(operation: string, status: StatusClass): void {
    count(this.#told, operation, status);
  }

  take(): Sightings | undefined {
    if (this.isEmpty) return undefined;
    const refused = this.#refused && { ...toSeen(this.#refused.sender), reason: this.#refused.reason };
    const sightings = {
      used: this.#used && toSeen(this.#used),
      refused,
      answered: [...this.#answered.values()],
      told: [...this.#told.values()],
    };
    this.#used = undefined;
    this.#refused = undefined;
    this.#answered = new Map();
    this.#told = new Map();
    return sightings;
  }
}

function count(counts: Map<string, Answered>, operation: string, status: StatusClass): void {
  const key = `${status} ${operation}`;
  counts.set(key, [operation, status, (counts.get(key)?.[2] ?? 0) + 1]);
}
