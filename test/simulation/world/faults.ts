/** Which store is broken, how, and until when; and the way to a store, on which that is felt. */
import type { HistoryEvent, Store } from "../history.ts";
import type { Random } from "./random.ts";
import { between } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/**
 * Of D1 alone: a replica can be `stopped`, a database that is `full` takes no writes, and `sessions-hang` is felt by what is called in a
 * session. Of gates alone: `overloads`, and `late`: the work is done at once, and some answers come seconds later.
 */
export type How =
  | "fails"
  | "hangs"
  | "slow"
  | "loses-answers"
  | "stopped"
  | "full"
  | "sessions-hang"
  | "overloads"
  | "late";
export type DatabasePart = "primary" | "replica";

/** `name` is the key of a gate or the digit of a database; without it all of them. `slowMs` is the most that a slow one takes. */
export type Fault = {
  readonly store: Store;
  readonly how: How;
  readonly until: number;
  readonly part?: DatabasePart;
  readonly name?: string;
  readonly slowMs?: { readonly least: number; readonly most: number };
};

export type Target = {
  readonly store: Store;
  readonly name: string;
  readonly part?: DatabasePart;
  readonly inSession?: boolean;
};

/** The platform marks it: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const OVERLOADED = "Durable Object is overloaded. Too many requests queued.";

/** How often an answer is late. */
const LATE = 0.3;

/** A call that never answers. One for each, or the first would keep all that wait. */
const silence = () => new Promise<never>(() => {});

export class Faults {
  readonly #timeline: Timeline;
  readonly #record: (event: HistoryEvent) => void;
  readonly #active = new Map<number, Fault>();
  #begun = 0;

  constructor(timeline: Timeline, record: (event: HistoryEvent) => void) {
    this.#timeline = timeline;
    this.#record = record;
  }

  begin(fault: Fault): void {
    const { store, how, part, name, until } = fault;
    const id = ++this.#begun;
    this.#active.set(id, fault);
    this.#record({
      kind: "fault-began",
      at: this.#timeline.now,
      fault: id,
      store,
      how,
      ...(part && { part }),
      ...(name !== undefined && { name }),
    });
    this.#timeline.at(until, () => {
      this.#active.delete(id);
      this.#record({ kind: "fault-ended", at: this.#timeline.now, fault: id });
    });
  }

  of({ store, name, part, inSession }: Target): Fault | undefined {
    for (const fault of this.#active.values()) {
      if (fault.store !== store || (fault.name !== undefined && fault.name !== name)) continue;
      if (fault.part !== undefined && fault.part !== part) continue;
      if (fault.how === "sessions-hang" && !inSession) continue;
      return fault;
    }
    return undefined;
  }

  /**
   * A call: the way there, the work, the way back, each way taking `way()` milliseconds. `lost` makes the error of a call whose answer
   * does not arrive.
   */
  async call<Answer>(
    target: Target,
    random: Random,
    way: () => number,
    lost: () => Error,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const timeline = this.#timeline;
    await timeline.sleep(way());
    const fault = this.of(target);
    if (fault === undefined || fault.how === "stopped" || fault.how === "full") {
      const answer = await work();
      await timeline.sleep(way());
      return answer;
    }
    const { how, until, slowMs = { least: 200, most: 4_000 } } = fault;
    if (how === "fails" || how === "overloads") {
      await timeline.sleep(way());
      throw how === "fails" ? lost() : Object.assign(new Error(OVERLOADED), { overloaded: true });
    }
    if (how === "hangs" || how === "sessions-hang") {
      // What waits there is done when the hang is over, or is gone.
      const isDone = random.next() < 0.5;
      await timeline.sleep(until - timeline.now + between(random, 0, 500));
      if (!isDone) return silence();
      const answer = await work();
      await timeline.sleep(way());
      return answer;
    }
    if (how === "slow") {
      const takes = between(random, slowMs.least, slowMs.most);
      const before = takes * random.next();
      await timeline.sleep(before);
      const answer = await work();
      await timeline.sleep(takes - before + way());
      return answer;
    }
    if (how === "late") {
      const answer = await work();
      await timeline.sleep(random.next() < LATE ? between(random, slowMs.least, slowMs.most) : way());
      return answer;
    }
    const never = random.next() < 0.4;
    await work();
    if (never) return silence();
    await timeline.sleep(way());
    throw lost();
  }
}
