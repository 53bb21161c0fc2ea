/**
 * The alarm of a Durable Object that has several things due: the earliest decides. It is not moved to a later time, since each
 * setting is billed as a row written: an alarm that comes early finds nothing to do, and sets the next.
 */
export class EarliestAlarm {
  readonly #context: DurableObjectState;
  /** Its time in Unix milliseconds, if it is known. */
  #at: number | undefined;

  constructor(context: DurableObjectState) {
    this.#context = context;
  }

  /** The alarm has come. */
  came(): void {
    this.#at = undefined;
  }

  /** Sees to it that it comes at `due` or before; also when one was set far ahead, by a clock that has stepped back since. */
  setBy(due: number): void {
    if (due === Number.POSITIVE_INFINITY || this.#isSetBy(due)) return;
    const set = async () => {
      this.#at ??= (await this.#context.storage.getAlarm()) ?? undefined;
      if (this.#isSetBy(due)) return;
      this.#at = due;
      await this.#context.storage.setAlarm(due);
    };
    this.#context.waitUntil(set());
  }

  #isSetBy(due: number): boolean {
    return this.#at !== undefined && this.#at <= due;
  }
}
