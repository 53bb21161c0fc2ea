/**
 * Why requests were refused: a line for each cause, at most one a second in an isolate, with how many it leaves out.
 * A flood of forgeries costs no I/O; it should cost no log either.
 */

const INTERVAL_MS = 1_000;

type Line = { readonly requestId: string; readonly problem: string; readonly cause: unknown };

/** By problem and cause. The code names both, so they are a handful; causes that are objects are one, whatever a client put into them. */
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
