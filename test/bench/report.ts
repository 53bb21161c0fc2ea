/** The report of a run: `docs/benchmarks.md`, its tables and its plots, made of measurements alone. */
import { cpus, release, type as systemName, totalmem } from "node:os";
import { DISTANCE_MS } from "./measure/desk.ts";
import { type BarGroup, plotBars, plotLines } from "./plot.ts";
import { PRICES, PRICES_AS_OF } from "./prices.ts";
import type { Results } from "./results.ts";
import { middleHalfOf, type Spread, spreadOf } from "./statistics.ts";
import { table } from "./table.ts";
import {
  groupOf,
  judge,
  processorShareOf,
  shareOf,
  startFactorOf,
  TARGET_CONNECTIONS,
  type Verdict,
} from "./targets.ts";
import { worldPlots, worldReport } from "./world-report.ts";

const MIB = 2 ** 20;
const STARTED = { ours: "ours", released: "1.0.0", bare: "a bare Worker" } as const;

/** By file name, below `docs/`. */
export const plotsOf = (results: Results): Record<string, string> => ({
  "benchmarks-speed.svg": plotBars(
    "Requests per second",
    ["whoami, key in use", "changelog"].map((title): BarGroup => {
      const { subjects } = groupOf(results.speed, title);
      return {
        title: `${title}: requests per second at ${TARGET_CONNECTIONS} connections`,
        bars: subjects.map(({ name, rounds }) => {
          const { median } = spreadOf((rounds.get(TARGET_CONNECTIONS) ?? []).map(perSecond));
          return {
            label: name.replace("the same after one empty Durable Object call", "… and one empty DO call"),
            value: median,
            text: count(median),
            kind: kindOf(name),
          };
        }),
      };
    }),
  ),
  "benchmarks-cost.svg": plotBars(
    "Dollars per million requests",
    (["whoami", "changelog"] as const).map((path) => ({
      title: `${path}: dollars for a million requests`,
      bars: results.cost
        .filter((cost) => cost.path === path)
        .map(({ name, dollars }) => ({
          label: name.replace(/ \(.*\)/, ""),
          value: dollars,
          text: `$${dollars.toFixed(2)}`,
          kind: kindOf(name),
        })),
    })),
  ),
  "benchmarks-memory.svg": plotLines(
    "Memory",
    [
      {
        label: "all of workerd",
        kind: "limit",
        points: results.memory.ours.map(({ reads, residentBytes }) => [reads, residentBytes / MIB] as const),
      },
      {
        label: "… keeping nothing",
        kind: "peer",
        points: results.memory.keepingNothing.map(({ reads, residentBytes }) => [reads, residentBytes / MIB] as const),
      },
      {
        label: "our isolate",
        kind: "ours",
        points: results.memory.ours.map(({ reads, isolateBytes }) => [reads, isolateBytes / MIB] as const),
      },
    ],
    `changelog reads over ${results.memory.ideaBanks.toLocaleString("en")} idea banks`,
    "MiB",
  ),
  ...worldPlots(results.world),
});

const kindOf = (name: string) => (name.startsWith("limit") ? "limit" : name.startsWith("peer") ? "peer" : "ours");

/** The pages, by file name below `docs/`: one that is read in two minutes, and the tables behind it. */
export const pagesOf = (results: Results): Record<string, string> => ({
  "benchmarks.md": summary(results),
  "benchmarks-tables.md": tables(results),
});

/** In this order on the page. */
const QUESTIONS = { waits: "Waiting", costs: "Cost", uses: "Processor, memory and size" } as const;
/** The rows of the page's table of costs: what is asked most, and what peers pay for it. */
const FELT_IN_THE_BILL = [
  "changelog: ours, fresh",
  "changelog: peer: KV each time",
  "whoami: ours, keys near their default limit (9 requests a second each)",
  "whoami: peer: better-auth",
  "proposals: ours, a page by votes",
  "proposals: ours, a vote",
];

function summary(results: Results): string {
  const verdicts = judge(results);
  const missed = verdicts.filter(({ met }) => !met);
  const targetsOf = (question: keyof typeof QUESTIONS) =>
    table(
      ["", "target", "measured: median (spread)", "", "beside it"],
      summed(verdicts)
        .filter((verdict) => verdict.question === question)
        .map(({ what, target, measured, met, beside = "" }) => [
          what,
          target,
          measured,
          met ? "met" : "**missed**",
          beside,
        ]),
    );
  return `# Benchmarks

\`npm run bench\` writes this page. Everything ran on one machine, without a network: compare counts and ratios, not times. The
distances in "across the world" are simulated. [All tables](benchmarks-tables.md)

${describe(results)}

## ${QUESTIONS.waits}

${targetsOf("waits")}

## ${QUESTIONS.costs}

${targetsOf("costs")}

Dollars, at the prices of ${PRICES_AS_OF}, without processor time. [How it is counted](benchmarks-tables.md#cost)

${table(
  ["", "$ a million"],
  FELT_IN_THE_BILL.map((row) => [row, dollarsOf(results, row).toFixed(3)]),
)}

## ${QUESTIONS.uses}

"Of the bare route" is the processor time of a bare Hono route with the same answer, divided by ours.

${targetsOf("uses")}
${missed.length > 0 ? "\n## What is missed, and why\n" : ""}${missed.map(({ what, finding }) => `\n**${what}.** ${finding ?? "Not looked into yet."}\n`).join("")}`;
}

/** The targets of scale are one line where all are met. */
function summed(verdicts: readonly Verdict[]): readonly Verdict[] {
  const scale = verdicts.filter(({ what }) => what.startsWith("Scale: "));
  const [first] = scale;
  if (first === undefined || scale.some(({ met }) => !met)) return verdicts;
  const line = { ...first, what: `Scale: ${scale.length} requests`, measured: "[each](benchmarks-tables.md#scale)" };
  return verdicts.flatMap((each) => (each === first ? line : scale.includes(each) ? [] : each));
}

function dollarsOf({ cost }: Results, row: string): number {
  const found = cost.find(({ path, name }) => `${path}: ${name}` === row);
  if (found === undefined) throw new Error(`the cost of "${row}" was not counted`);
  return found.dollars;
}

function tables(results: Results): string {
  return `# Benchmarks: the tables

\`npm run bench\` writes this page, too. [The page to begin with](benchmarks.md)

## Speed

Each group's first line is the limit: a bare Hono route that gives the same status, headers and body. **Processor time** is what all of workerd
used for a request, by the operating system: the share is the bare route's time over the subject's, in the same round. A target of processor
time is judged by ${results.plan.speed.short.rounds} short turns of ${results.plan.speed.short.seconds} s each (whoami with a key in use: by as long in turns of ${results.plan.speed.seconds} s), with the middle half as their spread. Throughput, with its
share of the bare route's, spreads more: the load generator uses the same cores. Peers give less than ours: a fixed window, or no rate limit that holds everywhere; a changelog that is stale until somebody
tells KV.

![Requests per second](benchmarks-speed.svg)

${speedTables(results)}
## Cost

Dollars per million requests: operations that were counted, at the prices beyond the included amounts of ${PRICES_AS_OF} (Worker request
$${PRICES.workerRequest}, Durable Object request $${PRICES.objectRequest}, row written $${PRICES.rowWritten}, row read $${PRICES.rowRead}, KV read $${PRICES.kvRead}, KV write $${PRICES.kvWrite}, log line $${PRICES.logLine},
gigabyte and second of a Durable Object $${PRICES.objectGigabyteSecond}). Processor time cannot be counted on one machine and is not in it. The duration of Durable Objects is: here by this machine's clock, without distances;
[What a key costs](operations.md#what-a-key-costs) has it by simulated time.

![Dollars per million requests](benchmarks-cost.svg)

${table(
  [
    "",
    "$ a million",
    "D1 round trips",
    "rows read",
    "rows written",
    "KV reads",
    "KV writes",
    "object requests",
    "object ms",
    "log lines",
  ],
  results.cost.map(({ path, name, dollars, counts }) => [
    `${path}: ${name}`,
    dollars.toFixed(3),
    ...[
      counts.d1RoundTrips,
      counts.rowsRead,
      counts.rowsWritten,
      counts.kvReads,
      counts.kvWrites,
      counts.objectRequests,
      counts.objectMs,
      counts.logLines,
    ].map((operations) => (operations / counts.requests).toFixed(3)),
  ]),
)}

Operations are for each request. A first read of an idea bank costs the most and is rare: once for each new version, and once for each isolate.

${worldReport(results.world, results.plan.world)}
## The desk

Milliseconds until the first byte of each page of Account Settings, with a database ${DISTANCE_MS} ms away, in an isolate that knows the owner: the median of ${results.plan.desk.visits} visits and their spread.
\`${DISTANCE_MS}\` ms are one call to the database, and what is above a multiple of it is the page's own time.

${table(
  ["page", "ms"],
  results.desk.map(({ page, firstByteMs }) => [`\`${page}\``, spread(spreadOf(firstByteMs), 0)]),
)}

## Scale

p50 in milliseconds (median of the rounds) and D1 rows read, of one request at a time. A quarter of the proposals are implemented; whoami's
rows are those of the first request of a key, since its gate remembers them.

${results.scale.map(({ name, sizes }) => scaleTable(name, sizes)).join("\n\n")}

## Memory

${count(results.memory.ours.at(-1)?.reads ?? 0)} changelog reads over ${count(results.memory.ideaBanks)} idea banks, a few of them often (Zipf's law), with
\`FRESHNESS_SECONDS=300\` so that memory answers. "Our isolate" is what it holds after a collection of garbage. "All of workerd" is resident memory, and that
is Miniflare's D1 and KV, which live in the same process: the same reads through a peer that keeps nothing (KV each time) take it as far.

![Memory](benchmarks-memory.svg)

## Start-up

The processor time of workerd from its start until it has answered \`GET /tenant/whoami\` without a key: ${results.startUp.ours.length} starts of each Worker, in turns. In parentheses the half in the
middle.

${table(
  ["", ""],
  [
    ["its modules, minified", `${(results.startUp.bytes / 1024).toFixed(1)} KiB`],
    ["its modules, gzipped", `${(results.startUp.gzippedBytes / 1024).toFixed(1)} KiB`],
    ["the peer with better-auth, gzipped", `${(results.startUp.betterAuthGzippedBytes / 1024).toFixed(1)} KiB`],
    ...(["ours", "released", "bare"] as const).map((name) => [
      `processor time until the first answer, ${STARTED[name]}`,
      `${spread(middleHalfOf(results.startUp[name]), 1)} ms`,
    ]),
    ["ours over 1.0.0, in turns", spread(startFactorOf(results.startUp), 2)],
  ],
)}
`;
}

function describe({ plan, versions, startedAt, minutes }: Results): string {
  const [cpu] = cpus();
  return table(
    ["", ""],
    [
      ["when", `${startedAt.toISOString().slice(0, 10)}, ${minutes.toFixed(0)} minutes`],
      [
        "machine",
        `${cpu?.model ?? "unknown processor"}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${systemName()} ${release()}`,
      ],
      [
        "versions",
        Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(", "),
      ],
      [
        "speed",
        `${plan.speed.rounds} rounds of ${plan.speed.seconds} s each, at ${plan.speed.connections.join(", ")} connections`,
      ],
    ],
  );
}

const speedTables = ({ speed, plan }: Results): string =>
  speed
    .map(({ title, subjects }) => {
      const [bare] = subjects;
      if (bare === undefined) throw new Error(`${title} has no bare route`);
      return `### ${title}

${table(
  [
    "",
    ...plan.speed.connections.flatMap((connections) => [
      `${connections}: processor µs`,
      "share (spread)",
      "req/s",
      "share",
      "p50 ms",
      "p99 ms",
    ]),
  ],
  subjects.map((subject) => [
    subject.name,
    ...plan.speed.connections.flatMap((connections) => {
      const rounds = subject.rounds.get(connections) ?? [];
      const ofBare = subject !== bare;
      return [
        count(spreadOf(rounds.map(({ processorUs }) => processorUs)).median),
        ofBare ? spread(processorShareOf(subject, bare, connections), 2) : "1",
        count(spreadOf(rounds.map(perSecond)).median),
        ofBare ? shareOf(subject, bare, connections).median.toFixed(2) : "1",
        spreadOf(rounds.map(({ p50 }) => p50)).median.toFixed(2),
        spreadOf(rounds.map(({ p99 }) => p99)).median.toFixed(2),
      ];
    }),
  ]),
)}
`;
    })
    .join("\n");

const unitOf = (name: string, size: number) => (name !== "whoami" ? "proposals" : size === 1 ? "key" : "keys");

const scaleTable = (name: string, sizes: Results["scale"][number]["sizes"]): string =>
  table(
    [name, ...sizes.map(({ size }) => `${count(size)} ${unitOf(name, size)}`)],
    [
      ["p50 ms", ...sizes.map(({ p50 }) => spread(spreadOf(p50), 2))],
      ["rows read", ...sizes.map(({ rowsRead }) => String(rowsRead))],
    ],
  );

const perSecond = ({ requests, seconds }: { requests: number; seconds: number }) => requests / seconds;
const count = (value: number) => Math.round(value).toLocaleString("en");
const spread = ({ median, min, max }: Spread, digits: number) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
