/** The report's part on the simulated world, and on growth. */
import { ends, grow, TENANT, tenantsPerDatabase } from "./growth.ts";
import type { WorldPlan, WorldResult } from "./measure/world.ts";
import { type BarGroup, plotBars } from "./plot.ts";
import { dollarsPerMillion } from "./prices.ts";
import { table } from "./table.ts";
import {
  D1_SERVICE,
  ISOLATES,
  KV_COLD,
  KV_HOT,
  type Latency,
  OBJECT_SERVICE,
  PLACES,
  PRIMARY,
  REPLICA_LAG,
  roundTrip,
} from "./world/latencies.ts";
import type { Outcome, SubjectName } from "./world/outcome.ts";

/** An identifier has one character for its database. */
const MOST_DATABASES = 62;

export function outcomeOf({ outcomes }: WorldResult, subject: SubjectName): Outcome {
  const outcome = outcomes.find((each) => each.subject === subject);
  if (outcome === undefined) throw new Error(`${subject} was not in the world`);
  return outcome;
}

const kindOf = (subject: string) => (subject.includes("peer") ? "peer" : "ours");
const short = (subject: string) => subject.replace(/^\w+: /, "");
const count = (value: number) => Math.round(value).toLocaleString("en");
const milliseconds = (value: number) => (value < 9.95 ? value.toFixed(1) : value.toFixed(0));
const seconds = (value: number) => (value / 1_000).toFixed(1);
const range = ({ p50, p99 }: Latency) => `${p50} (${p99})`;

export const worldPlots = (world: WorldResult): Record<string, string> => ({
  "benchmarks-world.svg": plotBars(
    "Latency by place",
    ["whoami", "changelog"].flatMap((path) =>
      world.outcomes
        .filter(({ subject }) => subject.startsWith(path))
        .map(
          ({ subject, places }): BarGroup => ({
            title: `${subject}: p50 and p95 in milliseconds`,
            scale: Math.max(...ofPath(world, path).flatMap((outcome) => outcome.places.map(({ p95 }) => p95))),
            bars: places.map(({ place, p50, p95 }) => ({
              label: place,
              value: p50,
              until: p95,
              text: `${milliseconds(p50)}, ${milliseconds(p95)}`,
              kind: kindOf(subject),
            })),
          }),
        ),
    ),
  ),
  "benchmarks-staleness.svg": plotBars("Latency and staleness", [
    stalenessBars(world, "changelog: p50 at the farthest place, in milliseconds", ({ places }) => ({
      value: Math.max(...places.map(({ p50 }) => p50)),
      unit: milliseconds,
    })),
    stalenessBars(world, "changelog: the oldest answer after a write, in seconds", ({ places }) => ({
      value: Math.max(...places.map(({ visible }) => visible.max)),
      unit: seconds,
    })),
  ]),
});

const ofPath = ({ outcomes }: WorldResult, path: string) => outcomes.filter(({ subject }) => subject.startsWith(path));

const stalenessBars = (
  world: WorldResult,
  title: string,
  measure: (outcome: Outcome) => { value: number; unit: (value: number) => string },
): BarGroup => ({
  title,
  bars: ofPath(world, "changelog").map((outcome) => {
    const { value, unit } = measure(outcome);
    return { label: short(outcome.subject), value, text: unit(value), kind: kindOf(outcome.subject) };
  }),
});

export function worldReport(world: WorldResult, plan: WorldPlan): string {
  return `## The world

Six places, ${ISOLATES} isolates of ours in each, D1's primary in ${PLACES[PRIMARY]?.name} with replicas near four others, each key's gate where its first request
came from. A day's shape is compressed into ${plan.seconds} s: ${count(plan.requests)} requests for ours and ${count(plan.peerRequests)} for each peer, by Zipf's law over 50 idea banks and ${plan.keys} keys,
with ${plan.writes} changes of changelogs and one revocation. The first tenth of the day fills caches and is not counted. "Quiet" is ${count(plan.quiet.requests)} requests in ${plan.quiet.seconds} s over ${plan.quiet.banks} idea
banks or ${plan.keys} keys, all alike, of which the second half is counted.

**Real**: the Worker's code, the peers' code, and workerd's D1, KV and Durable Objects; each replica is a database of its own.
**Injected** at the bindings: distances, what the stores add to them, KV's copy in each place, and how far replicas lag (one that has not reached a session's bookmark waits until it has), all out of
[one table](../test/bench/world/latencies.ts) with its sources. Time stands still while real work is done. So the figures are what a request waits for, and the same on every machine;
processor time is in [Speed](#speed). **Not in it**: the client's own way to its place, queues, and the loss of idle isolates and objects.

| injected, in milliseconds | p50 (p99) |
|---|---:|
| D1, beyond the distance | ${range(D1_SERVICE)} |
| Durable Object, beyond the distance | ${range(OBJECT_SERVICE)} |
| KV, hot in the place | ${range(KV_HOT)} |
| KV, cold | ${range(KV_COLD)} |
| lag of a replica | ${range(REPLICA_LAG)} |

${table(
  ["round trips, ms", ...PLACES.map(({ name }) => name)],
  PLACES.map(({ name }, from) => [name, ...PLACES.map((_, to) => String(roundTrip(from, to).p50))]),
)}

### Latency by place

p50 / p95 / p99 in milliseconds.

![Latency by place](benchmarks-world.svg)

${["whoami", "changelog"].map((path) => latencies(world, path)).join("\n\n")}

The busiest key and the busiest idea bank alone:

${table(
  ["", ...PLACES.map(({ name }) => name)],
  world.outcomes.map(({ subject, places }) => [
    subject,
    ...places.map(({ busiest: { p50, p95, p99 } }) => [p50, p95, p99].map(milliseconds).join(" / ")),
  ]),
)}

### Staleness

How long after a write a reader was still shown what was before it, over all writes and places; when a revoked credential was
admitted for the last time; and what that costs.

![Latency and staleness](benchmarks-staleness.svg)

${table(
  [
    "",
    "visible after, s: p50",
    "p99",
    "max",
    "revoked, still admitted for, s",
    "requests admitted after the answer",
    "the owner waits, s",
  ],
  world.outcomes.map(({ subject, places, revocation }) => [
    subject,
    ...(subject.startsWith("whoami")
      ? ["", "", ""]
      : [
          seconds(Math.max(...places.map(({ visible }) => visible.p50))),
          seconds(Math.max(...places.map(({ visible }) => visible.p99))),
          seconds(Math.max(...places.map(({ visible }) => visible.max))),
        ]),
    revocation.lastAdmittedMs === null ? "to the end" : seconds(revocation.lastAdmittedMs),
    String(revocation.admittedAfter),
    seconds(revocation.answeredMs),
  ]),
)}

The columns of visibility are those of the worst place. KV each time is told of each change at once; its copies in the places are not.

### Calls

For each request, and dollars for a million.

${table(
  [
    "",
    "$ a million",
    "D1 at the primary",
    "D1 at replicas",
    "KV reads",
    "KV writes",
    "object requests",
    "object ms",
    "rows read",
    "rows written",
  ],
  world.outcomes.map(({ subject, counts, primaryTrips }) => [
    subject,
    dollarsPerMillion(counts).toFixed(3),
    ...[
      primaryTrips,
      counts.d1RoundTrips - primaryTrips,
      counts.kvReads,
      counts.kvWrites,
      counts.objectRequests,
      counts.objectMs,
      counts.rowsRead,
      counts.rowsWritten,
    ].map((operations) => (operations / counts.requests).toFixed(3)),
  ]),
)}

${growthReport(world)}`;
}

const latencies = (world: WorldResult, path: string) =>
  table(
    [path, ...PLACES.map(({ name }) => name)],
    ofPath(world, path).map(({ subject, places }) => [
      short(subject),
      ...places.map(({ p50, p95, p99 }) => [p50, p95, p99].map(milliseconds).join(" / ")),
    ]),
  );

function growthReport(world: WorldResult): string {
  const counted = {
    changelog: outcomeOf(world, "changelog: ours, quiet idea banks"),
    whoami: outcomeOf(world, "whoami: ours, quiet keys"),
    busyChangelog: outcomeOf(world, "changelog: ours"),
    busyWhoami: outcomeOf(world, "whoami: ours"),
    bytesPerProposal: world.bytesPerProposal,
  };
  const fit = tenantsPerDatabase(counted);
  return `## Growth

What was counted above for one request of the quiet idea banks and keys, at so many tenants. A tenant is assumed to have ${TENANT.ideaBanks} idea banks and ${count(TENANT.proposals)} proposals, and to
send ${TENANT.changelogsPerSecond} changelog reads, ${TENANT.whoamisPerSecond} whoami requests and ${TENANT.writesPerSecond} writes a second, three times as much at the peak. Rates of stores are those of the peak. With
more tenants an isolate is busier, and then reads the primary less often for each request: the true figures are lower.

${table(
  [
    "tenants",
    "idea banks",
    "requests/s",
    "D1 primary/s",
    "D1 replicas/s",
    "objects/s",
    "KV reads/s",
    "KV writes/s",
    "databases",
    "$ a million",
    "$ a month",
  ],
  [1_000, 10_000, 100_000].map((tenants) => {
    const at = grow(counted, tenants);
    return [
      count(tenants),
      count(at.ideaBanks),
      count(at.requestsPerSecond),
      at.primaryPerSecond.toFixed(1),
      at.replicasPerSecond.toFixed(1),
      at.objectsPerSecond.toFixed(1),
      at.storeReadsPerSecond.toFixed(1),
      at.storeWritesPerSecond.toFixed(1),
      String(at.databases),
      at.dollarsPerMillion.toFixed(3),
      count(at.dollarsPerMonth),
    ];
  }),
)}

With all databases full (${count(fit)} tenants each):

${table(
  ["databases", "tenants", "GB", "writes/s", "requests/s", "$ a month"],
  [1, 10, MOST_DATABASES].map((databases) => {
    const at = grow(counted, databases * fit, databases);
    return [
      String(databases),
      count(at.tenants),
      (at.bytes / 1e9).toFixed(1),
      count(at.writesPerSecond),
      count(at.requestsPerSecond),
      count(at.dollarsPerMonth),
    ];
  }),
)}

### What ends first

${table(
  ["", "counted", "limit", "ends at", "then"],
  ends(counted, ISOLATES * PLACES.length).map(({ what, counted: figure, limit, ends: at, instead }) => [
    what,
    figure,
    limit,
    at,
    instead,
  ]),
)}
`;
}
