/** Results of the simulated world, for tests of what is made of them. */
import type { WorldResult } from "../../bench/measure/world.ts";
import { PLACES } from "../../bench/world/latencies.ts";
import { type Distribution, type Outcome, SUBJECTS, type SubjectName } from "../../bench/world/outcome.ts";

const all = (value: number): Distribution => ({ requests: 1, p50: value, p95: value, p99: value, max: value });

/** An outcome in which nobody waits. `busiest`: the waits in the first place and in the others, in milliseconds. */
export function outcome(
  subject: SubjectName,
  {
    busiest: [first, others] = [0, 0] as readonly [number, number],
    oldest = 0,
    lastAdmittedMs = 0 as number | null,
    admittedAfter = 0,
    primaryTrips = 0,
    objectCalls = 0,
  } = {},
): Outcome {
  return {
    subject,
    places: PLACES.map(({ name }, place) => ({
      place: name,
      ...all(0),
      busiest: all(place === 0 ? first : others),
      visible: all(oldest),
    })),
    revocation: { answeredMs: 0, admittedAfter, lastAdmittedMs },
    counts: {
      requests: 1_000,
      d1RoundTrips: primaryTrips,
      rowsRead: 0,
      rowsWritten: 0,
      kvReads: 0,
      kvWrites: 0,
      objectRequests: objectCalls,
      logLines: 0,
      objectMs: 0,
    },
    primaryTrips,
    busiestObjectCalls: objectCalls,
    busiestRequests: 1_000,
    realSeconds: 1,
    seconds: 1,
  };
}

/** Every subject's outcome, the given ones among them. A proposal has 500 bytes. */
export const worldResult = (...given: readonly Outcome[]): WorldResult => ({
  outcomes: SUBJECTS.map((subject) => given.find((each) => each.subject === subject) ?? outcome(subject)),
  bytesPerProposal: 500,
});
