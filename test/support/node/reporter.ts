/**
 * The screen of a run: how many files there are, which one has run longest, how long the rest takes; then each failure whole, and the counts.
 * The runtime prints what reads like crashes (workerd says so whenever stores are deleted): it is shown only when a test has failed.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TestCase, TestModule, TestSpecification } from "vitest/node";
import { MinimalReporter } from "vitest/node";

/** How long each file took when it ran last, and how many milliseconds of a run went by for each of these. */
type Times = { readonly files: Readonly<Record<string, number>>; readonly share: number | undefined };

const TIMES = "node_modules/.cache/test-times.json";
/** Without a terminal a line is written at most this often. */
const LINE_EVERY_MS = 5_000;

export default class Reporter extends MinimalReporter {
  #times: Times = { files: {}, share: undefined };
  #waiting = new Set<string>();
  readonly #running = new Set<string>();
  #clock: NodeJS.Timeout | undefined;
  #taken = new Map<string, number>();
  #tests = 0;
  #startedAt = 0;
  #shownAt = 0;
  readonly #held: string[] = [];
  readonly #release: (() => void)[] = [];
  #isPrinting = false;

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#times = readTimes();
    this.#waiting = new Set(specifications.map(({ moduleId }) => this.relative(moduleId)));
    this.#taken = new Map();
    this.#tests = 0;
    this.#startedAt = this.#shownAt = Date.now();
    const left = this.#left();
    this.log(`${this.#waiting.size} files${left && `, ${left}`}`);
    this.#holdRuntimeMessages();
    this.#clock = setInterval(() => this.#show(), LINE_EVERY_MS);
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(this.relative(module.moduleId));
    this.#show();
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#tests += 1;
  }

  override onTestModuleEnd(module: TestModule): void {
    const name = this.relative(module.moduleId);
    this.#waiting.delete(name);
    this.#running.delete(name);
    this.#taken.set(name, module.diagnostic().duration);
    this.#clearLine();
    this.#isPrinting = true;
    super.onTestModuleEnd(module);
    this.#isPrinting = false;
  }

  override async onTestRunEnd(...args: Parameters<MinimalReporter["onTestRunEnd"]>): Promise<void> {
    const [modules, errors, reason] = args;
    clearInterval(this.#clock);
    this.#clearLine();
    this.#releaseRuntimeMessages(reason !== "passed");
    if (reason === "passed") this.#keepTimes();
    await super.onTestRunEnd(...args);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that cannot be loaded has no tests to count.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    this.log(`${count("passed")} passed, ${count("failed") + broken} failed`);
  }

  #show(): void {
    const isDue = this.isTTY || Date.now() - this.#shownAt >= LINE_EVERY_MS;
    if (!isDue) return;
    this.#shownAt = Date.now();
    const done = this.#taken.size;
    const left = this.#left();
    const [longest = ""] = this.#running;
    const line = `${done} of ${done + this.#waiting.size} files, ${this.#tests} tests${left && `, ${left}`}: ${longest}`;
    if (this.isTTY) this.#clearLine();
    this.#print(this.isTTY ? line.slice(0, process.stdout.columns - 1) : `${line}\n`);
  }

  #clearLine(): void {
    if (this.isTTY) this.#print("\r\u001B[K");
  }

  /** "about 40 s left", by what the files took last and how fast that went by; empty where nothing is known yet. */
  #left(): string {
    const known = Object.values(this.#times.files);
    const usual = known.reduce((sum, ms) => sum + ms, 0) / known.length;
    const usualOf = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + (this.#times.files[name] ?? usual), 0);
    const share = this.#times.share ?? (Date.now() - this.#startedAt) / usualOf(this.#taken.keys());
    const seconds = (share * usualOf(this.#waiting)) / 1000;
    return Number.isFinite(seconds) ? `about ${Math.ceil(seconds)} s left` : "";
  }

  #keepTimes(): void {
    const taken = [...this.#taken.values()].reduce((sum, ms) => sum + ms, 0);
    // A few files say little about how many run at once.
    const share = this.#taken.size < 20 ? this.#times.share : (Date.now() - this.#startedAt) / taken;
    const times: Times = { files: { ...this.#times.files, ...Object.fromEntries(this.#taken) }, share };
    mkdirSync(dirname(TIMES), { recursive: true });
    writeFileSync(TIMES, JSON.stringify(times));
  }

  /** While tests run, only this class prints. */
  #holdRuntimeMessages(): void {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      stream.write = (chunk: string | Uint8Array) => {
        if (this.#isPrinting) return write(chunk);
        this.#held.push(String(chunk));
        return true;
      };
      this.#release.push(() => {
        stream.write = write;
      });
    }
  }

  #releaseRuntimeMessages(areShown: boolean): void {
    for (const release of this.#release.splice(0)) release();
    const held = this.#held.splice(0).join("");
    if (areShown) process.stderr.write(held);
  }

  #print(text: string): void {
    this.#isPrinting = true;
    process.stdout.write(text);
    this.#isPrinting = false;
  }
}

function readTimes(): Times {
  try {
    return JSON.parse(readFileSync(TIMES, "utf8"));
  } catch {
    return { files: {}, share: undefined };
  }
}
