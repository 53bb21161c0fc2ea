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
};

const KEYS = 40;
const BANKS = 50;
const WORKER = "world";
const LIMIT = { limit: 10_000, windowSeconds: 60 };

export async function measureWorld(plan: WorldPlan, subjects: readonly SubjectName[] = SUBJECTS): Promise<Outcome[]> {
  const script = await buildWorld();
  const progress = new Progress(subjects.length);
  const outcomes: Outcome[] = [];
  for (const subject of subjects) {
    outcomes.push(await measure(subject, plan, script));
    progress.advance(`world: ${subject}`);
  }
  progress.finish();
  return outcomes;
}

async function measure(subject: SubjectName, plan: WorldPlan, script: string): Promise<Outcome> {
  const databases = REPLICAS.map((place) => `REPLICA_${place}`);
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
    const order: Order = {
      subject,
      seconds: plan.seconds,
      requests: subject.includes("peer") ? plan.peerRequests : plan.requests,
      writes: plan.writes,
      ...(await seed(runtime, ["DB", ...databases])),
    };
    const response = await fetch(`${runtime.url(WORKER)}/run`, { method: "POST", body: JSON.stringify(order) });
    if (!response.ok) throw new Error(`${subject}: ${await response.text()}`);
    return (await response.json()) as Outcome;
  } finally {
    await runtime.stop();
  }
}

/** The same in the primary and in each replica. */
async function seed(runtime: Runtime, bindings: readonly string[]): Promise<Pick<Order, "keys" | "banks">> {
  const ids = ideaBankIds(BANKS);
  const leavers = voterIds(BANKS);
  let keys: Order["keys"] = [];
  for (const binding of bindings) {
    const database = await runtime.database(WORKER, binding);
    await seedAccount(database);
    await seedIdeaBanks(database, ids);
    await seedChangelogs(database, ids);
    await seedPanelists(database, leavers);
    if (binding === "DB") keys = await seedKnownApiKeys(database, KEYS, LIMIT);
  }
  const banks = ids.map(async (id, index): Promise<Bank> => {
    const leaverId = leavers[index] ?? "";
    // The newest of its twenty.
    return { id, leaverId, proposalId: `${id}20`, token: await tokenFor(id), leaver: await tokenOf(leaverId, id) };
  });
  return { keys, banks: await Promise.all(banks) };
}
