/** What a long command says while it runs: in place on a terminal, now and then elsewhere. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createProgress, tellWhileWaiting } from "../../src/commands/command-line/progress.ts";
import type { WranglerResult } from "../../src/commands/command-line/run-wrangler.ts";
import { Wrangler } from "../../src/commands/deployment/cloudflare/wrangler.ts";

const [shown, complained]: [string[], string[]] = [[], []];
const complain = (line: string) => void complained.push(line);
const terminal = { complain, showProgress: (line: string) => void shown.push(line) };
beforeEach(() => {
  vi.useFakeTimers();
  shown.length = 0;
  complained.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

it("on a terminal every line is written over the one before", () => {
  const tell = createProgress(terminal);
  for (const line of ["1", "2", "3"]) tell(line);
  expect([shown, complained]).toEqual([["1", "2", "3"], []]);
});

it("in a pipe a line comes every 30 seconds at most, and none of a short command", () => {
  const tell = createProgress({ complain });
  for (let second = 0; second <= 95; second++) {
    tell(`${second} s`);
    vi.advanceTimersByTime(1_000);
  }
  expect(complained).toEqual(["30 s", "60 s", "90 s"]);
});

it("says what it waits for after 10 seconds, until that has ended", () => {
  const stop = tellWhileWaiting(terminal, "wrangler d1 export");
  vi.advanceTimersByTime(9_000);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(3_000);
  expect(shown.at(-1)).toBe("Still waiting for wrangler d1 export: 12 s");
  stop();
  vi.advanceTimersByTime(60_000);
  expect(shown).toHaveLength(3);
});

it("in a pipe it says so, too, now and then", () => {
  const stop = tellWhileWaiting({ complain }, "wrangler d1 export");
  vi.advanceTimersByTime(70_000);
  stop();
  expect(complained).toEqual([30, 60].map((seconds) => `Still waiting for wrangler d1 export: ${seconds} s`));
});

it("a call of wrangler that takes long is told, without its arguments, until it has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<WranglerResult>();
  const context = { ...terminal, folder: ".", variables: {}, print: complain, runWrangler: () => promise };
  const run = new Wrangler(context, "").try(["d1", "export", "DB", "--remote"]);
  vi.advanceTimersByTime(20_000);
  resolve({ ok: true, stdout: "", stderr: "" });
  await run;
  vi.advanceTimersByTime(60_000);
  expect(shown.at(-1)).toBe("Still waiting for wrangler d1 export: 20 s");
});
