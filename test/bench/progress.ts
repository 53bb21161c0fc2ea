/** A progress line: rewritten in place on a terminal, a new one at each step and each tenth elsewhere. */

export class Progress {
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #lastLine = "";

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
    else {
      const tenth = `${step} ${Math.floor(share * 10)}`;
      if (tenth !== this.#lastLine) process.stderr.write(`${line}\n`);
      this.#lastLine = tenth;
    }
  }

  finish(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  }
}
