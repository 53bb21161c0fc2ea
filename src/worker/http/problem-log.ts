/**
 * Logs the causes of problems: at most one line a second for each cause and isolate, with the number of lines left out. So a
 * flood of invalid credentials, or an outage, costs few log lines.
 */
import { textOfError } from "../log.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Problem } from "../problem.ts";

const INTERVAL_MS = 1_000;
/** Bounded, because an error's message can hold anything. The causes of refusals are fixed texts. */
const MAX_CAUSES = 200;

/** Identifies the log lines of a request. */
type LineIds = { readonly requestId: string; readonly traceId?: string | undefined };

export class ProblemLog {
  readonly #logged = new BoundedMap<{ readonly at: number; unlogged: number }>({ max: MAX_CAUSES });

  /** `ids` begin the line. `now` is in Unix milliseconds. A problem without a cause is the client's fault, and is not logged. */
  add(ids: LineIds, { code, status, cause }: Problem, now: number): void {
    if (cause === undefined && status < 500) return;
    const key = `${code} ${cause}`;
    const last = this.#logged.get(key);
    if (last !== undefined && now >= last.at && now - last.at < INTERVAL_MS) {
      last.unlogged += 1;
      return;
    }
    this.#logged.set(key, { at: now, unlogged: 0 });
    const text = cause === undefined ? undefined : textOfError(cause);
    const line = { ...ids, problem: code, cause: text, unlogged: last?.unlogged ?? 0 };
    if (status >= 500) console.error(line);
    else console.debug(line);
  }
}
