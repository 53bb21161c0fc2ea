/** The benchmark's targets, and whether this run's measurements meet them. */
import { MEMORY_BYTES as ACCOUNT_BYTES } from "../../src/worker/view/revocations.ts";
import { MEMORY_BYTES as VIEW_BYTES } from "../../src/worker/view/views.ts";
import { explain, type ShareOf } from "./findings.ts";
import { CALLS_IN_A_ROW, DISTANCE_MS } from "./measure/desk.ts";
import type { GroupResult, SubjectResult, Timed } from "./measure/speed.ts";
import type { StartUpResult } from "./measure/start-up.ts";
import type { Results } from "./results.ts";
import { middleHalfOf, type Spread, spreadOf } from "./statistics.ts";
import { judgeWorld } from "./world-targets.ts";

export type Verdict = {
  readonly what: string;
  /** What a user feels, what a bill says, or what the machine does. */
  readonly question: "waits" | "costs" | "uses";
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
  /** The limit, and what the peers reach. */
  readonly beside?: string;
  /** Why it is missed, where it is. */
  readonly finding?: string;
};

/** Connections at which targets of speed hold. */
export const TARGET_CONNECTIONS = 16;
const MIB = 2 ** 20;
/** Of the start of 1.0.0, in turns with it. */
const MAX_START_FACTOR = 1;
const MAX_SCALE_FACTOR = 1.5;

/** What is compared of a round: more is better. */
const THROUGHPUT = ({ requests, seconds }: Timed): number => requests / seconds;
const PROCESSOR = ({ processorUs }: Timed): number => 1 / processorUs;

/** As shares of another subject's, round by round. */
function shares(
  subject: SubjectResult,
  other: SubjectResult,
  connections: number,
  of: (round: Timed) => number,
): Spread {
  const others = other.rounds.get(connections) ?? [];
  return spreadOf(
    (subject.rounds.get(connections) ?? []).map((one, round) => {
      const against = others[round];
      if (against === undefined) throw new Error(`${other.name} was not timed as often as ${subject.name}`);
      return of(one) / of(against);
    }),
  );
}

/** Throughputs, as shares of another subject's. */
export const shareOf = (subject: SubjectResult, other: SubjectResult, connections: number): Spread =>
  shares(subject, other, connections, THROUGHPUT);

/** The same over many short turns, of the subjects that took them. */
const shortShareOf = (subject: SubjectResult, other: SubjectResult): Spread =>
  middleHalfOf(subject.short.map((one, turn) => 1 / one / (1 / (other.short[turn] ?? Number.NaN))));

/** The other subject's processor time for a request over this one's. */
export const processorShareOf = (subject: SubjectResult, other: SubjectResult, connections: number): Spread =>
  shares(subject, other, connections, PROCESSOR);

export function judge(results: Results): Verdict[] {
  const share = (group: string, name: string, against?: string): Spread => {
    const { subjects } = groupOf(results.speed, group);
    const other = against === undefined ? subjects[0] : subjectOf(subjects, against);
    if (other === undefined) throw new Error(`${group} has no bare route`);
    return shareOf(subjectOf(subjects, name), other, TARGET_CONNECTIONS);
  };
  /** The bare route's processor time over ours. */
  const lightness = (group: string, name = "ours"): Spread => {
    const { subjects } = groupOf(results.speed, group);
    const [bare] = subjects;
    if (bare === undefined) throw new Error(`${group} has no bare route`);
    const subject = subjectOf(subjects, name);
    return subject.short.length > 0 ? shortShareOf(subject, bare) : processorShareOf(subject, bare, TARGET_CONNECTIONS);
  };
  const atLeast = (what: string, measured: Spread, goal: number, unit: string, beside = ""): Verdict => {
    const met = measured.median >= goal;
    const spread = `${measured.min.toFixed(2)} to ${measured.max.toFixed(2)}`;
    const verdict: Verdict = {
      what,
      question: "uses",
      target: `≥ ${goal.toFixed(2)} ${unit}`,
      measured: `${measured.median.toFixed(3)} (${spread})`,
      met,
      beside,
    };
    return met ? verdict : { ...verdict, finding: explain(what, results, lightness) };
  };
  const atMost = (what: string, measured: number, goal: number, format: (value: number) => string): Verdict => {
    const met = measured <= goal;
    const verdict: Verdict = { what, question: "uses", target: `≤ ${format(goal)}`, measured: format(measured), met };
    return met ? verdict : { ...verdict, finding: explain(what, results, lightness) };
  };
  const dollars = (path: string, name: string) => {
    const cost = results.cost.find((each) => each.path === path && each.name.startsWith(name));
    if (cost === undefined) throw new Error(`the cost of ${path}, ${name} was not counted`);
    return cost.dollars;
  };
  const ofBare = "of the bare route, processor time";
  /** The other subjects of a group, by the same measure. */
  const beside = (group: string) =>
    groupOf(results.speed, group)
      .subjects.filter(({ name }) => !name.startsWith("ours"))
      .map(({ name }) => `${name}: ${lightness(group, name).median.toFixed(2)}`)
      .join("; ");
  const costsAtMost = (what: string, measured: number, goal: number): Verdict => ({
    ...atMost(what, measured, goal, (value) => `$${value.toFixed(3)} a million`),
    question: "costs",
  });
  const held = Math.max(...results.memory.ours.map(({ isolateBytes }) => isolateBytes));
  const idle = results.memory.ours[0]?.isolateBytes ?? 0;
  const bound = VIEW_BYTES.views + ACCOUNT_BYTES;
  return [
    atLeast("Changelog, fresh", lightness("changelog"), 0.8, ofBare, beside("changelog")),
    atLeast("Changelog, 304", lightness("changelog, 304"), 0.8, ofBare, beside("changelog, 304")),
    atLeast("Forged key", lightness("whoami, forged key"), 0.68, ofBare, beside("whoami, forged key")),
    atLeast("Key over its limit", lightness("whoami, key over its limit"), 0.8, ofBare),
    atLeast("whoami, key in use", lightness("whoami, key in use"), 0.75, ofBare, beside("whoami, key in use")),
    atLeast(
      "whoami and better-auth",
      share("whoami, key in use", "ours", "peer: better-auth"),
      20,
      "times better-auth",
    ),
    atLeast(
      "Changelog, FRESHNESS_SECONDS=0",
      share("changelog", "ours, FRESHNESS_SECONDS=0", "peer: D1 each time"),
      1,
      "times D1 each time",
    ),
    atLeast(
      "Proposals by votes",
      share("proposals by votes", "ours", "peer: count(*) each time"),
      1,
      "times count(*) each time",
    ),
    ...judgeWorld(results.world),
    judgeDesk(results, lightness),
    ...results.scale.map(({ name, sizes }) => {
      const p50s = sizes.map(({ p50 }) => spreadOf(p50).median);
      const factor = Math.max(...p50s) / Math.min(...p50s);
      const rows = new Set(sizes.map(({ rowsRead }) => rowsRead));
      return {
        what: `Scale: ${name}`,
        question: "uses" as const,
        target: `the same rows, p50 ≤ ${MAX_SCALE_FACTOR} times`,
        measured: `${[...rows].join(" / ")} rows, ${factor.toFixed(2)} times`,
        met: rows.size === 1 && factor <= MAX_SCALE_FACTOR,
      };
    }),
    atMost("Memory of the isolate", held, bound + idle, (bytes) => `${(bytes / MIB).toFixed(0)} MiB`),
    costsAtMost("Cost of the changelog", dollars("changelog", "ours, fresh"), 0.31),
    // With everything, the gate's duration too.
    costsAtMost(
      "Cost of whoami, near the default limit",
      dollars("whoami", "ours, keys near their default limit"),
      0.55,
    ),
    atMost(
      "Start-up, processor time",
      startFactorOf(results.startUp).median,
      MAX_START_FACTOR,
      (factor) => `${factor.toFixed(2)} times 1.0.0`,
    ),
  ];
}

/** The page that an owner waits for the longest. */
function judgeDesk(results: Results, share: ShareOf): Verdict {
  const { desk } = results;
  const what = "First byte of the slowest page of the desk";
  const medians = desk.map(({ page, firstByteMs }) => ({ page, ms: spreadOf(firstByteMs).median }));
  const slowest = medians.reduce((one, other) => (other.ms > one.ms ? other : one));
  const goal = CALLS_IN_A_ROW * DISTANCE_MS;
  const met = slowest.ms <= goal;
  return {
    what,
    question: "waits" as const,
    target: `≤ ${goal.toFixed(0)} ms with a database ${DISTANCE_MS} ms away`,
    measured: `${slowest.ms.toFixed(0)} ms (\`${slowest.page}\`)`,
    met,
    ...(!met && { finding: explain(what, results, share) }),
  };
}

/** Our start over that of 1.0.0 in the same turn: the half of the turns in the middle. */
export const startFactorOf = ({ ours, released }: StartUpResult): Spread =>
  middleHalfOf(ours.map((one, turn) => one / (released[turn] ?? Number.NaN)));

export function groupOf(groups: readonly GroupResult[], title: string): GroupResult {
  const group = groups.find((each) => each.title === title);
  if (group === undefined) throw new Error(`${title} was not timed`);
  return group;
}

function subjectOf(subjects: readonly SubjectResult[], name: string): SubjectResult {
  const subject = subjects.find((each) => each.name === name);
  if (subject === undefined) throw new Error(`${name} was not timed`);
  return subject;
}
