/** Situations that were thought of, and not drawn: what readers wait for, and when a steady client meets its limit. */
import type { Application } from "./application.ts";
import type { Setting } from "./plan.ts";
import { onStage, type Stage } from "./play.ts";
import type { Outcome } from "./world/world.ts";

const SETTING: Setting = {
  places: [0],
  lag: { least: 20, most: 200 },
  newAccounts: "0",
  settings: { freshnessMs: 1_000, anchorMs: 10_000, leaseMs: 1_000 },
  panelistLimits: { reads: 1_000_000, writes: 1_000_000 },
  accounts: [],
};

export type Readers = {
  readonly readers: number;
  /** They come within this time. */
  readonly overMs: number;
  /** `cold`: a new isolate. `expired`: one that has read the idea bank a minute before. */
  readonly memory: "cold" | "expired";
  /** What each call of D1 takes. */
  readonly d1Ms: number;
};

export type Waits = {
  readonly statuses: Readonly<Record<string, number>>;
  readonly longestMs: number;
  readonly d1Calls: number;
};

/** Many who read one idea bank's changelog at one isolate. */
export function readersWait(application: Application, scenario: Readers): Promise<Waits> {
  const { readers, overMs, memory, d1Ms } = scenario;
  const accounts = [{ owner: "owner@example.com", keys: [], ideaBanks: 1, panelists: 4 }];
  return onStage(1, { ...SETTING, accounts }, application, async ({ world, actors, source }) => {
    const { timeline } = world;
    const read = (name: string | number): Promise<Outcome> => {
      const token = actors.tokens[Number(name) % actors.tokens.length || 0];
      return world.send(source.of(`reader ${name}`), {
        client: `panelist ${token?.person}`,
        operation: "getChangelog",
        method: "GET",
        path: "/public/ideabank/changelog",
        isolate: 0,
        headers: { authorization: token?.text ?? "" },
      });
    };
    if (memory === "cold") world.endIsolate(0);
    else await read("first");
    await timeline.sleep(60_000);
    world.faults.begin({
      store: "d1",
      how: "slow",
      slowMs: { least: d1Ms, most: d1Ms },
      until: timeline.now + 120_000,
    });
    const from = world.events.length;
    const under: Promise<Outcome>[] = [];
    for (let reader = 0; reader < readers; reader++) {
      under.push(read(reader));
      if (overMs > 0) await timeline.sleep(overMs / readers);
    }
    await Promise.all(under);
    const events = world.events.slice(from);
    const sentAt = new Map(events.flatMap((event) => (event.kind === "sent" ? [[event.call, event.at] as const] : [])));
    const statuses: Record<string, number> = {};
    let longestMs = 0;
    for (const event of events) {
      if (event.kind !== "answered" && event.kind !== "abandoned") continue;
      const status = event.kind === "answered" ? String(event.status) : "none";
      statuses[status] = (statuses[status] ?? 0) + 1;
      longestMs = Math.max(longestMs, event.at - (sentAt.get(event.call) ?? event.at));
    }
    const d1Calls = events.filter((event) => event.kind === "store-called" && event.store === "d1").length;
    return { statuses, longestMs: Math.round(longestMs), d1Calls };
  });
}

export type Steady = {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly perSecond: number;
  readonly forSeconds: number;
};
/** `admittedBefore`: of the requests in the window that ends with the first refusal. Without a refusal there is none. */
export type FirstRefusal = {
  readonly sent: number;
  readonly refused: number;
  readonly firstAtMs?: number;
  readonly admittedBefore?: number;
};

/** One key's holder, who sends evenly to one isolate. */
export function steadyUse(
  application: Application,
  { limit, windowSeconds, perSecond, forSeconds }: Steady,
): Promise<FirstRefusal> {
  const accounts = [{ owner: "owner@example.com", keys: [{ limit, windowSeconds }], ideaBanks: 0, panelists: 0 }];
  return onStage(1, { ...SETTING, accounts }, application, async ({ world, actors, source }: Stage) => {
    const { timeline } = world;
    const begun = timeline.now;
    const from = world.events.length;
    await actors.perform(source, {
      id: 0,
      at: 0,
      kind: "whoami",
      key: 0,
      count: perSecond * forSeconds,
      everyMs: 1_000 / perSecond,
      isolate: 0,
      spread: false,
    });
    const sentAt = new Map<number, number>();
    const admitted: number[] = [];
    const refused: number[] = [];
    for (const event of world.events.slice(from)) {
      if (event.kind === "sent") sentAt.set(event.call, event.at - begun);
      if (event.kind === "answered") (event.status === 200 ? admitted : refused).push(sentAt.get(event.call) ?? 0);
    }
    const first = refused.length === 0 ? undefined : Math.min(...refused);
    return {
      sent: sentAt.size,
      refused: refused.length,
      ...(first !== undefined && {
        firstAtMs: Math.round(first),
        admittedBefore: admitted.filter((at) => at <= first && at > first - windowSeconds * 1_000).length,
      }),
    };
  });
}

type Row = Readonly<Record<string, unknown>>;

const D1_MS = [1_100, 1_500, 2_500, 4_000];
const SHAPES = [
  { readers: 5, overMs: 0 },
  { readers: 20, overMs: 0 },
  { readers: 300, overMs: 0 },
  { readers: 300, overMs: 3_000 },
];

async function readersTable(application: Application): Promise<Row[]> {
  const rows: Row[] = [];
  for (const memory of ["cold", "expired"] as const) {
    for (const d1Ms of D1_MS) {
      for (const shape of SHAPES) {
        const scenario = { ...shape, memory, d1Ms };
        const { statuses, ...waits } = await readersWait(application, scenario);
        rows.push({ ...scenario, ...waits, statuses: JSON.stringify(statuses) });
      }
    }
  }
  return rows;
}

async function steadyTable(application: Application): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { limit, windowSeconds, rates } of [
    { limit: 600, windowSeconds: 60, rates: [8, 9, 9.5, 9.9, 10, 10.5, 12] },
    { limit: 400, windowSeconds: 5, rates: [60, 72, 76, 79, 80, 84, 100] },
  ]) {
    for (const perSecond of rates) {
      const forSeconds = windowSeconds * 3;
      rows.push({
        limit,
        windowSeconds,
        perSecond,
        ...(await steadyUse(application, { limit, windowSeconds, perSecond, forSeconds })),
      });
    }
  }
  return rows;
}

/** By the name that `--scenario` takes. */
export const SCENARIOS: Readonly<Record<string, (application: Application) => Promise<Row[]>>> = {
  readers: readersTable,
  "steady-use": steadyTable,
};
