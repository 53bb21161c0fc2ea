/**
 * The world: our Worker and its peers in several places, with the distances between them and their stores injected (world/latencies.ts).
 * Each subject has a workerd of its own, since a run leaves its clock in the future.
 */
import { buildWorld } from "../build.ts";
import { Progress } from "../progress.ts";
import { type Runtime, startRuntime } from "../runtime.ts";
import {
  ideaBankIds,
  seedAccount,
  seedChangelogs,
  seedIdeaBanks,
  seedKnownApiKeys,
  seedPanelists,
  tokenFor,
  tokenOf,
  voterIds,
} from "../seed.ts";
import { REPLICAS } from "../world/latencies.ts";
import { type Bank, type Order, type Outcome, SUBJECTS, type SubjectName } from "../world/outcome.ts";

export type WorldPlan = {
  /** How long the compressed day takes, in the world's seconds. */
  readonly seconds: number;
  /** Of ours. */
  readonly requests: number;
  /** Of each peer: nothing of theirs depends on how many they are. */
  readonly peerRequests: number;
  readonly writes: number;
  readonly keys: number;
  /** Of ours, each idea bank or key once in many seconds. */
  readonly quiet: { readonly seconds: number; readonly requests: number; readonly banks: number };
};

/** `bytesPerProposal`: what D1 stores for one, its indexes included. */
export type WorldResult = { readonly outcomes: readonly Outcome[]; readonly bytesPerProposal: number };

const BANKS = 50;
const ENTRIES = 20;
const WORKER = "world";
const LIMIT = { limit: 10_000, windowSeconds: 60 };

export async function measureWorld(plan: WorldPlan, subjects: readonly SubjectName[] = SUBJECTS): Promise<WorldResult> {
  const script = await buildWorld({ betterAuth: subjects.some((subject) => subject.includes("better-auth")) });
  const progress = new Progress(subjects.length);
  const outcomes: Outcome[] = [];
  let bytesPerProposal = Number.NaN;
  for (const subject of subjects) {
    const measured = await measure(subject, plan, script);
    outcomes.push(measured.outcome);
    ({ bytesPerProposal } = measured);
    progress.advance(`world: ${subject}`);
  }
  progress.finish();
  return { outcomes, bytesPerProposal };
}

async function measure(
  subject: SubjectName,
  plan: WorldPlan,
  script: string,
): Promise<{ outcome: Outcome; bytesPerProposal: number }> {
  const isQuiet = subject.includes("quiet");
  // Only who opens sessions ever reads a replica.
  const hasReplicas = subject.startsWith("changelog: ours") || subject.includes("nearest replica");
  const databases = hasReplicas ? REPLICAS.map((place) => `REPLICA_${place}`) : [];
  const runtime = await startRuntime([
    {
      name: WORKER,
      script,
      databases,
      objects: { API_KEY_GATE: "ApiKeyGate", COUNTER: "Counter" },
      keepsObjects: true,
      variables: { LEASE_SECONDS: subject.includes("LEASE_SECONDS=0") ? "0" : "1" },
    },
  ]);
  try {
    const banks = isQuiet ? plan.quiet.banks : BANKS;
    const { bytesPerProposal, ...data } = await seed(runtime, ["DB", ...databases], plan.keys, banks);
    const order: Order = {
      subject,
      seconds: isQuiet ? plan.quiet.seconds : plan.seconds,
      requests: isQuiet ? plan.quiet.requests : subject.includes("peer") ? plan.peerRequests : plan.requests,
      writes: plan.writes,
      alike: isQuiet,
      countFrom: isQuiet ? 0.5 : 0.1,
      ...data,
    };
    const response = await fetch(`${runtime.url(WORKER)}/run`, { method: "POST", body: JSON.stringify(order) });
    if (!response.ok) throw new Error(`${subject}: ${await response.text()}`);
    return { outcome: (await response.json()) as Outcome, bytesPerProposal };
  } finally {
    await runtime.stop();
  }
}

/** The same in the primary and in each replica. */
async function seed(
  runtime: Runtime,
  bindings: readonly string[],
  keyCount: number,
  bankCount: number,
): Promise<Pick<Order, "keys" | "banks"> & { bytesPerProposal: number }> {
  const ids = ideaBankIds(bankCount);
  const leavers = voterIds(bankCount);
  let keys: Order["keys"] = [];
  let bytesPerProposal = Number.NaN;
  for (const binding of bindings) {
    const database = await runtime.database(WORKER, binding);
    await seedAccount(database);
    await seedIdeaBanks(database, ids);
    const before = await storedBytes(database);
    await seedChangelogs(database, ids, ENTRIES);
    bytesPerProposal = ((await storedBytes(database)) - before) / (bankCount * ENTRIES);
    await seedPanelists(database, leavers);
    if (binding === "DB") keys = await seedKnownApiKeys(database, keyCount, LIMIT);
  }
  const banks = ids.map(async (id, index): Promise<Bank> => {
    const leaverId = leavers[index] ?? "";
    // The newest.
    return {
      id,
      leaverId,
      proposalId: `${id}${ENTRIES}`,
      token: await tokenFor(id),
      leaver: await tokenOf(leaverId, id),
    };
  });
  return { keys, banks: await Promise.all(banks), bytesPerProposal };
}

async function storedBytes(database: D1Database): Promise<number> {
  const { meta } = await database.prepare("SELECT 1").all();
  return meta.size_after;
}
