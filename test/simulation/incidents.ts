/**
 * Incidents that were reported of D1, as the users of this application and of straightforward peers see them: the same requests at the
 * same moments, and what each was answered.
 */
import { type Application, type Handler, loadApplication, loadPeers, type Peers } from "./application.ts";
import type { HistoryEvent } from "./history.ts";
import type { Setting } from "./plan.ts";
import { onStage, type Stage } from "./play.ts";
import type { Asked, World } from "./world/world.ts";

const PLACES = [0, 0, 1, 1] as const;
const SETTING: Setting = {
  places: PLACES,
  lag: { least: 50, most: 1_000 },
  newAccounts: "0",
  settings: { freshnessMs: 1_000, anchorMs: 10_000, leaseMs: 1_000 },
  panelistLimits: { reads: 1_000_000, writes: 1_000_000 },
  accounts: [{ owner: "owner@example.com", keys: [{ limit: 10_000, windowSeconds: 60 }], ideaBanks: 1, panelists: 2 }],
};
const PER_SECOND = 10;
const WARM_MS = 30_000;
const EDIT_MS = 5_000;

export type Incident = {
  readonly name: string;
  readonly title: string;
  readonly lastsMs: number;
  readonly begin: (world: World, until: number) => void;
};

const slow = { least: 2_000, most: 25_000 };

export const INCIDENTS: readonly Incident[] = [
  {
    name: "hang",
    title: "D1 does not answer for 80 seconds (reported: three times in 48 hours)",
    lastsMs: 80_000,
    begin: (world, until) => world.faults.begin({ store: "d1", how: "hangs", until }),
  },
  {
    name: "slow",
    title: "D1 answers in 2 to 25 seconds, for two minutes",
    lastsMs: 120_000,
    begin: (world, until) => world.faults.begin({ store: "d1", how: "slow", slowMs: slow, until }),
  },
  {
    name: "replica",
    title: "A replica of D1 gets no more writes, for three minutes",
    lastsMs: 180_000,
    begin: (world, until) => world.faults.begin({ store: "d1", part: "replica", how: "stopped", until }),
  },
  {
    name: "sessions",
    title: "D1 sessions hang, the database answers, for three minutes (reported: for hours)",
    lastsMs: 180_000,
    begin: (world, until) => world.faults.begin({ store: "d1", how: "sessions-hang", until }),
  },
  {
    name: "isolates",
    title: "A location loses its isolates, while D1 answers in a second",
    lastsMs: 20_000,
    begin: (world, until) => {
      world.faults.begin({ store: "d1", how: "slow", slowMs: { least: 900, most: 1_100 }, until });
      for (const index of PLACES.keys()) world.endIsolate(index);
    },
  },
];

export type Subject = {
  readonly name: string;
  readonly isOurs: boolean;
  readonly path: string;
  /** What answers, if not our application. */
  readonly peer?: (peers: Peers) => Handler;
};

const NEAREST = "first-unconstrained";
type WithSession = { readonly DB: { readonly withSession: (constraint: string) => object } };

const nearest = (handler: Handler): Handler => ({
  fetch: (request, env, context) =>
    handler.fetch(request, { ...env, DB: (env as WithSession).DB.withSession(NEAREST) }, context),
});

export const SUBJECTS: readonly Subject[] = [
  { name: "whoami", isOurs: true, path: "/tenant/whoami" },
  { name: "whoami, peer: D1 each time", isOurs: false, path: "/tenant/whoami", peer: ({ whoami }) => whoami },
  { name: "changelog", isOurs: true, path: "/public/ideabank/changelog" },
  { name: "changelog, peer: D1 each time", isOurs: false, path: "/d1", peer: ({ changelog }) => changelog },
  {
    name: "changelog, peer: the nearest replica",
    isOurs: false,
    path: "/d1",
    peer: ({ changelog }) => nearest(changelog),
  },
];

/** The answers to what was sent in one second. `longestMs` is what the slowest of them took. */
export type Second = { ok: number; memory: number; refused: number; none: number; longestMs: number };

export type Seen = {
  readonly subject: Subject;
  readonly seconds: readonly Second[];
  readonly waits: readonly number[];
  /** How old the oldest changelog was that was shown, in milliseconds; undefined where nothing says it. */
  readonly oldestMs: number | undefined;
};

export async function playIncident(incident: Incident): Promise<Seen[]> {
  const [application, peers] = [await loadApplication(), await loadPeers()];
  const seen: Seen[] = [];
  for (const subject of SUBJECTS) seen.push(await playSubject(incident, subject, application, peers));
  return seen;
}

function playSubject(incident: Incident, subject: Subject, application: Application, peers: Peers): Promise<Seen> {
  return onStage(1, SETTING, application, async (stage) => {
    const { world, actors, source } = stage;
    const { timeline } = world;
    const handler = subject.peer?.(peers);
    if (handler !== undefined) {
      Object.assign(world.env, { COUNTER: world.createGates(peers.Counter).binding });
      world.createApp = () => handler;
      for (const index of PLACES.keys()) world.endIsolate(index);
    }
    const from = world.events.length;
    const begun = timeline.now;
    const begins = begun + WARM_MS;
    const until = begins + incident.lastsMs;
    timeline.at(begins, () => incident.begin(world, until));
    const ends = until + WARM_MS;
    const token = actors.tokens[0];
    const key = actors.keys[0];
    const headers: Record<string, string> = subject.path.startsWith("/tenant")
      ? { "x-api-key": key?.text ?? "" }
      : { authorization: token?.text ?? "" };
    const under: Promise<unknown>[] = [];
    const edits = edit(stage, ends);
    for (let number = 0; timeline.now < ends; number++) {
      const asked: Asked = {
        client: "a user",
        operation: subject.name,
        method: "GET",
        path: subject.path,
        isolate: number,
        headers,
      };
      under.push(world.send(source.of(`request ${number}`), asked));
      await timeline.sleep(1_000 / PER_SECOND);
    }
    await Promise.all(under);
    const events = world.events.slice(from);
    return { subject, ...summarize(events, begun, ends), oldestMs: oldest(events, await edits) };
  });
}

type Edit = { readonly at: number; readonly title: string };

/** The operator edits a proposal of the changelog beside the Worker, every few seconds. */
async function edit({ world, actors }: Stage, until: number): Promise<Edit[]> {
  const { timeline } = world;
  const edits: Edit[] = [];
  const proposal = actors.accounts[0]?.banks[0]?.proposals[0] ?? "";
  for (let number = 0; timeline.now < until; number++) {
    const title = `edit ${number}.`;
    actors.databaseOf(proposal).execute("UPDATE proposals SET title = ?2 WHERE id = ?1", proposal, title);
    edits.push({ at: timeline.now, title });
    await timeline.sleep(EDIT_MS);
  }
  return edits;
}

function summarize(events: readonly HistoryEvent[], begun: number, ends: number) {
  const seconds = Array.from({ length: Math.ceil((ends - begun) / 1_000) }, () => ({
    ok: 0,
    memory: 0,
    refused: 0,
    none: 0,
    longestMs: 0,
  }));
  const sentAt = new Map<number, number>();
  const asked = new Set<number>();
  const waits: number[] = [];
  for (const event of events) {
    if (event.kind === "sent") sentAt.set(event.call, event.at);
    if (event.kind === "store-called" && event.call !== undefined) asked.add(event.call);
  }
  for (const event of events) {
    if (event.kind !== "answered" && event.kind !== "abandoned") continue;
    const at = sentAt.get(event.call) ?? 0;
    const second = seconds[Math.floor((at - begun) / 1_000)];
    if (second === undefined) continue;
    const took = event.at - at;
    waits.push(took);
    second.longestMs = Math.max(second.longestMs, took);
    if (event.kind === "abandoned") second.none += 1;
    else if (event.status >= 500) second.refused += 1;
    else if (asked.has(event.call)) second.ok += 1;
    else second.memory += 1;
  }
  return { seconds, waits: waits.toSorted((one, other) => one - other) };
}

/** The age of what is shown: since the edit that it does not show yet, when its request was sent. */
function oldest(events: readonly HistoryEvent[], edits: readonly Edit[]): number | undefined {
  const sentAt = new Map<number, number>();
  let oldestMs: number | undefined;
  for (const event of events) {
    if (event.kind === "sent") sentAt.set(event.call, event.at);
    if (event.kind !== "answered" || event.status !== 200) continue;
    const text = JSON.stringify(event.body);
    const shown = edits.findLastIndex(({ title }) => text.includes(title));
    if (shown === -1) continue;
    const missed = edits[shown + 1];
    oldestMs = Math.max(oldestMs ?? 0, (sentAt.get(event.call) ?? 0) - (missed?.at ?? Number.POSITIVE_INFINITY));
  }
  return oldestMs;
}
