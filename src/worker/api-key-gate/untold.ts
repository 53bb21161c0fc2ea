/**
 * What an isolate has seen of a key's requests, and has not told its gate yet. A request costs a count and a reference: its facts are
 * read when they are told.
 */
import {
  type Answered,
  type SeenRefusal,
  type Sender,
  STATUS_CLASSES,
  type StatusClass,
  toSeen,
} from "../model/seen.ts";
import type { Sightings } from "./reports.ts";

export class Untold {
  #used: Sender | undefined;
  #refused: { readonly sender: Sender; readonly reason: SeenRefusal["reason"] } | undefined;
  #answered = new Map<string, number[]>();
  #told = new Map<string, number[]>();

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
      answered: listed(this.#answered),
      told: listed(this.#told),
    };
    this.#used = undefined;
    this.#refused = undefined;
    this.#answered = new Map();
    this.#told = new Map();
    return sightings;
  }
}

function count(counts: Map<string, number[]>, operation: string, status: StatusClass): void {
  const known = counts.get(operation);
  const of = known ?? STATUS_CLASSES.map(() => 0);
  const place = STATUS_CLASSES.indexOf(status);
  of[place] = (of[place] ?? 0) + 1;
  if (known === undefined) counts.set(operation, of);
}

const listed = (counts: Map<string, number[]>): Answered[] =>
  [...counts].flatMap(([operation, of]) =>
    STATUS_CLASSES.map((status, place): Answered => [operation, status, of[place] ?? 0]).filter(
      ([, , requests]) => requests > 0,
    ),
  );
