/**
 * Reads that requests of an isolate share while they are under way, by key. Whoever shares one waits a second for it, then reads
 * alone; `waitUntil` keeps a read under way when its own request ends.
 */
import { hasSettled, hasSettledWithin, JOIN_MS, type WaitUntil } from "../memory/deadline.ts";

export class SharedReads<Value> {
  readonly #underWay = new Map<string, Promise<Value>>();

  /** What the read that is under way gives, or else `load`; it may have begun before the call. Rejects as that read does. */
  async read(key: string, load: () => Promise<Value>, waitUntil: WaitUntil): Promise<Value> {
    const shared = this.#underWay.get(key);
    if (shared !== undefined && (await hasSettledWithin(JOIN_MS, shared))) return shared;
    const answer = load();
    // Of those that have waited in vain, the last is the one to share.
    this.#underWay.set(key, answer);
    const end = () => {
      if (this.#underWay.get(key) === answer) this.#underWay.delete(key);
    };
    waitUntil(hasSettled(answer).then(end));
    return answer;
  }
}
