/**
 * The alarm of a Durable Object in which several things may be due: it is set for the earliest. It is never moved to a later
 * time, because each setting is billed as a row written. An alarm that comes early finds nothing to do, and sets the next.
 */
export class EarliestAlarm {
  readonly #context: DurableObjectState;
  /** In Unix milliseconds; undefined when not known. */
  #at: number | undefined;

  constructor(context: DurableObjectState) {
    this.#context = context;
  }

  /** Call it when the alarm runs. */
  came(): void {
    this.#at = undefined;
  }

  /**
   * Makes the alarm come at `due` or before. This also moves an alarm that was set too late by a clock that has stepped back
   * since.
   */
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
