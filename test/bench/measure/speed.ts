/**
 * Speed: each path of ours beside the bare route that gives the same bytes, and beside its peers, in turns in one workerd: its
 * processor time for a request, and throughput.
 * Every subject is checked to give the right answer before it is timed, and every answer's status while it is.
 */
import { buildOurs, buildWorker } from "../build.ts";
import { Generator } from "../generator.ts";
import type { Load, Measurement } from "../measurement.ts";
import { Progress } from "../progress.ts";
import { OUR_OBJECTS, type Runtime, startRuntime } from "../runtime.ts";
import { forge, ideaBankIds, seedAccount, seedApiKeys, seedChangelogs, seedIdeaBanks, tokenFor } from "../seed.ts";
import type { Answer } from "../workers/bare.ts";
import { checkSubject } from "./check-subject.ts";
import { preparePanelistGroups } from "./panelist-groups.ts";

/** What is timed together, in turns. The first subject is the bare route: the others are shares of it. */
export type Group = {
  readonly title: string;
  readonly subjects: readonly Subject[];
  /** Each turn begins with a load that is not measured: what is measured holds a while after it has begun. */
  readonly settles?: true;
  /** Has a target of processor time: the bare route and ours also take many short turns, or fewer if it settles. */
  readonly takesShortTurns?: true;
};

export type Subject = {
  readonly name: string;
  readonly url: string;
  /** GET when not given. */
  readonly method?: "GET" | "PUT";
  readonly headers: readonly Record<string, string>[];
  readonly status: Answer["status"];
  /** Sends other headers each time, each once: those of so many idea banks that nobody has read yet. */
  readonly once?: (turn: number) => readonly Record<string, string>[];
};

/** Takes an answer of ours, and makes the bare route that repeats it. */
export type MakeBare = (
  name: string,
  url: string,
  sent: Record<string, string>,
  path?: string,
  method?: "GET" | "PUT",
) => Promise<Pick<Subject, "url" | "headers" | "status">>;

/** `processorUs`: workerd's time on a processor for a request, in microseconds. */
export type Timed = Measurement & { readonly processorUs: number };
/** By connections, then by round. `short`: by short turn, `processorUs`. */
export type SubjectResult = {
  readonly name: string;
  readonly rounds: ReadonlyMap<number, readonly Timed[]>;
  readonly short: readonly number[];
};
export type GroupResult = { readonly title: string; readonly subjects: readonly SubjectResult[] };

export type SpeedPlan = {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Idea banks that a cold turn reads. */
  readonly coldReads: number;
  /** What disturbs a machine lasts for seconds: it meets both of two turns that are shorter, and leaves their ratio. */
  readonly short: { readonly connections: number; readonly rounds: number; readonly seconds: number };
};

const KEYS_IN_USE = 64;
/** So many that the load stays under it. */
const LIMIT = { limit: 10_000, windowSeconds: 60 };
const WARM_UP_SECONDS = 0.5;

export async function measureSpeed(plan: SpeedPlan): Promise<GroupResult[]> {
  const script = await buildOurs();
  const ours = { script, objects: OUR_OBJECTS };
  const straightforward = await buildWorker("straightforward-changelog");
  const runtime = await startRuntime([
    { name: "ours", ...ours },
    { name: "ours-another-isolate", ...ours },
    { name: "ours-without-freshness", ...ours, variables: { FRESHNESS_SECONDS: "0" } },
    { name: "bare", script: await buildWorker("bare"), objects: { IDLE: "Idle" } },
    {
      name: "straightforward-whoami",
      script: await buildWorker("straightforward-whoami"),
      objects: { COUNTER: "Counter" },
    },
    { name: "straightforward-changelog", script: straightforward },
    { name: "straightforward-ideas", script: await buildWorker("straightforward-ideas") },
    { name: "better-auth", script: await buildWorker("better-auth") },
  ]);
  const generator = new Generator();
  try {
    const groups = await prepare(runtime, plan);
    for (const { subjects } of groups) for (const subject of subjects) await checkSubject(subject);
    const turns =
      groups.reduce((sum, { subjects }) => sum + subjects.length, 0) * plan.connections.length * plan.rounds;
    const progress = new Progress(turns);
    const results: GroupResult[] = [];
    for (const group of groups) results.push(await time(group, plan, runtime, generator, progress));
    progress.finish();
    return results;
  } finally {
    generator.stop();
    await runtime.stop();
  }
}

/** Everything that the subjects need, and the answers that the bare route repeats. */
async function prepare(runtime: Runtime, { connections, rounds, coldReads }: SpeedPlan): Promise<Group[]> {
  const database = await runtime.database("ours");
  await seedAccount(database);
  const apiKeys = await seedApiKeys(database, KEYS_IN_USE, LIMIT);
  const [exhausted = ""] = await seedApiKeys(database, 1, { limit: 1, windowSeconds: 3_600 });
  const coldTurns = connections.length * rounds;
  const ids = ideaBankIds(1 + coldTurns * coldReads);
  await seedIdeaBanks(database, ids);
  await seedChangelogs(database, ids);
  const tokens = await Promise.all(ids.map(tokenFor));
  const [token = "", ...coldTokens] = tokens;

  const whoami = `${runtime.url("ours")}/tenant/whoami`;
  const changelog = `${runtime.url("ours")}/public/ideabank/changelog`;
  const betterAuthKeys: string[] = await fetch(`${runtime.url("better-auth")}/setup?keys=${KEYS_IN_USE}`, {
    method: "POST",
  }).then((response) => response.json());

  const keyHeaders = apiKeys.map((apiKey) => ({ "X-API-Key": apiKey }));
  const [keyHeader = {}] = keyHeaders;
  const flood = { "X-API-Key": exhausted };
  const forged = { "X-API-Key": forge(exhausted) };
  const reader = { Authorization: token };
  await fetch(whoami, { headers: flood });
  const { headers } = await fetch(changelog, { headers: reader });
  const returning = { ...reader, "If-None-Match": headers.get("ETag") ?? "" };

  const bare: MakeBare = async (name, url, sent, path = "answers", method = "GET") => {
    const answer = await takeAnswer(url, sent, method);
    await fetch(`${runtime.url("bare")}/answers/${name}`, { method: "PUT", body: JSON.stringify(answer) });
    return { url: `${runtime.url("bare")}/${path}/${name}`, headers: [sent], status: answer.status };
  };
  const slice = (turn: number) =>
    coldTokens.slice(turn * coldReads, (turn + 1) * coldReads).map((each) => ({ Authorization: each }));
  const readAnyone = { headers: [reader], status: 200 } as const;

  return [
    {
      title: "whoami, key in use",
      // A key is used for a tenth of a second before its gate grants it a lease.
      settles: true,
      takesShortTurns: true,
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("whoami", whoami, keyHeader)) },
        {
          name: "limit: the same after one empty Durable Object call",
          ...(await bare("whoami", whoami, keyHeader, "objects")),
        },
        { name: "ours", url: whoami, headers: keyHeaders, status: 200 },
        {
          name: "peer: D1 look-up and a stored count each time",
          url: `${runtime.url("straightforward-whoami")}/tenant/whoami`,
          headers: keyHeaders,
          status: 200,
        },
        {
          name: "peer: better-auth",
          url: `${runtime.url("better-auth")}/tenant/whoami`,
          headers: betterAuthKeys.map((apiKey) => ({ "X-API-Key": apiKey })),
          status: 200,
        },
      ],
    },
    {
      title: "whoami, key over its limit",
      takesShortTurns: true,
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("flood", whoami, flood)) },
        { name: "ours", url: whoami, headers: [flood], status: 429 },
      ],
    },
    {
      title: "whoami, forged key",
      takesShortTurns: true,
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("forged", whoami, forged)) },
        { name: "ours", url: whoami, headers: [forged], status: 401 },
      ],
    },
    {
      title: "changelog",
      takesShortTurns: true,
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("changelog", changelog, reader)) },
        { name: "ours", url: changelog, ...readAnyone },
        {
          name: "ours, FRESHNESS_SECONDS=0",
          url: `${runtime.url("ours-without-freshness")}/public/ideabank/changelog`,
          ...readAnyone,
        },
        { name: "peer: D1 each time", url: `${runtime.url("straightforward-changelog")}/d1`, ...readAnyone },
        { name: "peer: KV each time", url: `${runtime.url("straightforward-changelog")}/kv`, ...readAnyone },
      ],
    },
    {
      title: "changelog, 304",
      takesShortTurns: true,
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("not-modified", changelog, returning)) },
        { name: "ours", url: changelog, headers: [returning], status: 304 },
      ],
    },
    {
      title: "changelog, first read of an idea bank",
      subjects: [
        { name: "limit: bare Hono route", ...(await bare("changelog", changelog, reader)) },
        { name: "ours, cold everywhere", url: changelog, ...readAnyone, once: slice },
        {
          name: "ours, cold isolate, KV warm",
          url: `${runtime.url("ours-another-isolate")}/public/ideabank/changelog`,
          ...readAnyone,
          once: slice,
        },
      ],
    },
    ...(await preparePanelistGroups(runtime, database, bare, { turns: coldTurns, votes: coldReads })),
  ];
}

/** What the transport adds, which is not the Worker's to repeat. */
const TRANSPORT = ["content-length", "transfer-encoding", "date", "connection", "keep-alive"];

async function takeAnswer(url: string, headers: Record<string, string>, method: string): Promise<Answer> {
  const response = await fetch(url, { headers, method });
  const own = Object.fromEntries([...response.headers].filter(([name]) => !TRANSPORT.includes(name)));
  const body = await response.text();
  switch (response.status) {
    case 304:
      return { status: 304, headers: own };
    case 200:
    case 401:
    case 429:
      return { status: response.status, headers: own, body };
    default:
      throw new Error(`${url} answers ${response.status}: ${body}`);
  }
}

async function time(
  group: Group,
  plan: SpeedPlan,
  runtime: Runtime,
  generator: Generator,
  progress: Progress,
): Promise<GroupResult> {
  const results = group.subjects.map(({ name }) => ({
    name,
    rounds: new Map<number, Timed[]>(),
    short: [] as number[],
  }));
  let turn = 0;
  const take = async (load: Load): Promise<Timed> => {
    const before = runtime.processorSeconds();
    const measurement = await generator.send(load);
    return { ...measurement, processorUs: ((runtime.processorSeconds() - before) / measurement.requests) * 1e6 };
  };
  for (const connections of plan.connections) {
    const warmUp = ({ once, name: _, ...subject }: Subject) =>
      once ? undefined : generator.send({ ...subject, connections, until: { seconds: WARM_UP_SECONDS } });
    for (const subject of group.subjects) await warmUp(subject);
    for (let round = 0; round < plan.rounds; round++, turn++) {
      for (const [index, timed] of group.subjects.entries()) {
        const { name, once, ...subject } = timed;
        if (group.settles) await warmUp(timed);
        const load = once ? ({ headers: once(turn), until: "once" } as const) : { until: { seconds: plan.seconds } };
        const measured = await take({ ...subject, connections, ...load });
        const rounds = results[index]?.rounds;
        rounds?.set(connections, [...(rounds.get(connections) ?? []), measured]);
        progress.advance(`${group.title}, ${connections} connections: ${name}`);
      }
    }
  }
  const { connections, rounds } = plan.short;
  // What is asked once a second, such as a lease, has to be in each turn as often as it is.
  const seconds = group.settles ? plan.seconds : plan.short.seconds;
  const turns = group.takesShortTurns ? Math.ceil((rounds * plan.short.seconds) / seconds) : 0;
  for (let round = 0; round < turns; round++) {
    const pair = [...group.subjects.entries()].filter(([index, { name }]) => index === 0 || name === "ours");
    for (const [index, { name: _, once: __, ...subject }] of round % 2 === 0 ? pair : pair.toReversed()) {
      if (group.settles) await generator.send({ ...subject, connections, until: { seconds: WARM_UP_SECONDS } });
      const { processorUs } = await take({ ...subject, connections, until: { seconds } });
      results[index]?.short.push(processorUs);
    }
  }
  return { title: group.title, subjects: results };
}
