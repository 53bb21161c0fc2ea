/** What holds of every history, whatever it is about. */
import type { Oracle } from "./history.ts";

const calls = (found: string, promise: string) => (call: number, at: number) => ({ promise, at, found, calls: [call] });

const FAILED = "Every answer is a success or a stated refusal.";

const statedRefusals: Oracle = {
  name: "stated-refusals",
  promise: FAILED,
  check: ({ events }) =>
    events.flatMap((event) =>
      event.kind === "answered" && event.status >= 500 && event.status !== 503
        ? [calls(`answered ${event.status}: ${JSON.stringify(event.body)}`, FAILED)(event.call, event.at)]
        : [],
    ),
};

const ENDS = "Every request is answered within 12 seconds, or its connection ends.";
/** Ten seconds without an answer of a store count as down; the rest is the way. */
const LONGEST_MS = 12_000;

const answersInTime: Oracle = {
  name: "answers-in-time",
  promise: ENDS,
  check: ({ events }) => {
    const sent = new Map(events.flatMap((event) => (event.kind === "sent" ? [[event.call, event] as const] : [])));
    return events.flatMap((event) => {
      if (event.kind !== "answered" && event.kind !== "abandoned") return [];
      const begun = sent.get(event.call);
      const took = event.at - (begun?.at ?? event.at);
      return took <= LONGEST_MS
        ? []
        : [calls(`${begun?.operation} took ${Math.round(took)} ms`, ENDS)(event.call, event.at)];
    });
  },
};

export const CHECKS: readonly Oracle[] = [statedRefusals, answersInTime];
