/**
 * Logs why requests were refused: at most one line a second for each cause and isolate, with the number of lines left out.
 * So a flood of invalid credentials costs few log lines.
 */

const INTERVAL_MS = 1_000;

type Line = { readonly requestId: string; readonly problem: string; readonly cause: unknown };

/** By problem and cause. Both are fixed texts of the code, so there are few. All causes that are objects have the same key. */
const logged = new Map<string, { at: number; unlogged: number }>();

/** `now` is in Unix milliseconds. */
export function logRefusal(line: Line, now: number): void {
  const key = `${line.problem} ${line.cause}`;
  const last = logged.get(key);
  if (last !== undefined && now - last.at < INTERVAL_MS) {
    last.unlogged += 1;
    return;
  }
  logged.set(key, { at: now, unlogged: 0 });
  console.debug({ ...line, unlogged: last?.unlogged ?? 0 });
}
