/** A progress line: rewritten in place on a terminal, one line a step elsewhere. */

export class Progress {
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #lastStep = "";

  /** `total` in whatever unit `advance` counts. */
  constructor(total: number) {
    this.#total = total;
  }

  advance(step: string, amount = 1): void {
    this.#done += amount;
    const share = Math.min(1, this.#done / this.#total);
    const seconds = Math.round((performance.now() - this.#startedAt) / 1000);
    const line = `${String(Math.round(share * 100)).padStart(3)} %  ${String(seconds).padStart(4)} s  ${step}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line}`);
    else if (step !== this.#lastStep) process.stderr.write(`${line}\n`);
    this.#lastStep = step;
  }

  finish(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  }
}
