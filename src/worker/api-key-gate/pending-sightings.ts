/**
 * The facts of a key's requests ("sightings") that an isolate has not reported to its gate yet. A request costs a count and a
 * reference; its facts are read when they are reported.
 */
import { countAdmitted, type Operations, type SeenRefusal, type Sender, toSeen } from "../model/seen.ts";
import type { Sightings } from "./reports.ts";

export class PendingSightings {
  #used: Sender | undefined;
  #refused: { readonly sender: Sender; readonly reason: SeenRefusal["reason"] } | undefined;
  #operations: Operations = {};

  get isEmpty(): boolean {
    return this.#used === undefined && this.#refused === undefined;
  }

  admitted(sender: Sender): void {
    this.#used = sender;
    this.#operations = countAdmitted(this.#operations, { [sender.operation]: 1 });
  }

  refused(sender: Sender, reason: SeenRefusal["reason"]): void {
    this.#refused = { sender, reason };
  }

  take(): Sightings | undefined {
    if (this.isEmpty) return undefined;
    const refused = this.#refused && { ...toSeen(this.#refused.sender), reason: this.#refused.reason };
    const sightings = { used: this.#used && toSeen(this.#used), refused, operations: this.#operations };
    this.#used = undefined;
    this.#refused = undefined;
    this.#operations = {};
    return sightings;
  }
}
