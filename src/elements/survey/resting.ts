/** The surveys that this person wants to see later. They rest on this device, and come back when they are opened. */
import { recall, remember } from "../shared/storage.ts";
import { hashOf } from "./draft.ts";

/** At most 20 surveys of an idea bank are open. */
const KEPT = 40;

export class Resting {
  readonly #key: string;

  constructor(who: string) {
    this.#key = `idea-bank-survey-resting:${hashOf(who)}`;
  }

  get #ids(): readonly string[] {
    return recall(this.#key)?.split(" ") ?? [];
  }

  has = (id: string): boolean => this.#ids.includes(id);

  set(id: string, rests: boolean): void {
    const others = this.#ids.filter((each) => each !== id);
    remember(this.#key, [...(rests ? [id] : []), ...others].slice(0, KEPT).join(" "));
  }
}
