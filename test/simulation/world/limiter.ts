/** The rate-limiting binding: fixed windows, counted in each place by itself. */
import type { HistoryEvent } from "../history.ts";
import { currentContext } from "./context.ts";
import type { Faults } from "./faults.ts";
import { skewed } from "./random.ts";
import type { Timeline } from "./timeline.ts";

const PERIOD_MS = 60_000;

export function createLimiter(
  name: string,
  limit: number,
  timeline: Timeline,
  faults: Faults,
  record: (event: HistoryEvent) => void,
) {
  const counts = new Map<string, number>();
  return {
    limit: ({ key }: { readonly key: string }): Promise<{ success: boolean }> => {
      const context = currentContext();
      const { random, place, call, isolate } = context;
      record({
        kind: "store-called",
        at: timeline.now,
        store: "limiter",
        name,
        ...(call !== undefined && { call }),
        ...(isolate !== undefined && { isolate }),
      });
      const way = () => skewed(random, 0.1, 3);
      const lost = () => new Error("internal error");
      return context.io(() =>
        faults.call({ store: "limiter", name }, random, way, lost, () => {
          const window = `${place} ${Math.floor(timeline.now / PERIOD_MS)} ${key}`;
          const count = (counts.get(window) ?? 0) + 1;
          counts.set(window, count);
          return { success: count <= limit };
        }),
      );
    },
  };
}
