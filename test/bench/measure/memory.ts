/** Memory: what workerd holds while many idea banks are read, a few of them often (Zipf's law). */
import { buildOurs, buildWorker } from "../build.ts";
import { Generator } from "../generator.ts";
import { Heap } from "../heap.ts";
import { Progress } from "../progress.ts";
import { OUR_OBJECTS, startRuntime, type Worker } from "../runtime.ts";
import { ideaBankIds, seedAccount, seedChangelogs, seedIdeaBanks, tokenFor } from "../seed.ts";

export type MemoryPlan = { readonly ideaBanks: number; readonly reads: number; readonly batches: number };

/** Of the Worker's isolate, and resident of all of workerd, Miniflare's D1 and KV included. */
export type MemorySample = { readonly reads: number; readonly isolateBytes: number; readonly residentBytes: number };

/** The first sample is of an idle Worker; one follows each batch of reads. The control makes a fifth as many. */
export type MemoryResult = {
  readonly ideaBanks: number;
  readonly ours: readonly MemorySample[];
  readonly keepingNothing: readonly MemorySample[];
};

const CONNECTIONS = 16;
/** Different orders in which the idea banks come: one for each connection. */
const SEQUENCE = 4_000 * CONNECTIONS;
/** Enough for what starts on the first request to have started. */
const FIRST_READS = 200;

export async function measureMemory(plan: MemoryPlan): Promise<MemoryResult> {
  // So that what is read comes out of the Worker's memory and not out of D1.
  const ours = { script: await buildOurs(), objects: OUR_OBJECTS, variables: { FRESHNESS_SECONDS: "300" } };
  const control = { script: await buildWorker("straightforward-changelog") };
  return {
    ideaBanks: plan.ideaBanks,
    ours: await sampleMemory({ name: "ours", ...ours }, "/public/ideabank/changelog", plan),
    keepingNothing: await sampleMemory({ name: "control", ...control }, "/kv", { ...plan, reads: plan.reads / 5 }),
  };
}

async function sampleMemory(
  worker: Worker,
  path: string,
  { ideaBanks, reads, batches }: MemoryPlan,
): Promise<MemorySample[]> {
  const runtime = await startRuntime([worker], { inspected: true });
  const generator = new Generator();
  try {
    const database = await runtime.database(worker.name);
    const ids = ideaBankIds(ideaBanks);
    await seedAccount(database);
    await seedIdeaBanks(database, ids);
    await seedChangelogs(database, ids);
    const tokens = await Promise.all(ids.map(tokenFor));
    const headers = zipf(ideaBanks, SEQUENCE).map((index) => ({ Authorization: tokens[index] ?? "" }));
    const load = {
      url: runtime.url(worker.name) + path,
      status: 200,
      connections: CONNECTIONS,
    };
    await generator.send({ ...load, headers: headers.slice(0, 1), until: { requests: FIRST_READS } });
    const heap = await Heap.connect(await runtime.inspector(), worker.name, runtime.url(worker.name));
    const progress = new Progress(batches);
    const samples: MemorySample[] = [];
    const sample = async (batch: number) => {
      const isolateBytes = await heap.usedBytes();
      samples.push({
        reads: Math.round((reads / batches) * batch),
        isolateBytes,
        residentBytes: runtime.residentBytes(),
      });
    };
    await sample(0);
    for (let batch = 1; batch <= batches; batch++) {
      // A batch goes on in the sequence where the one before has stopped.
      const start = Math.floor(((batch - 1) / batches) * SEQUENCE);
      const rotated = [...headers.slice(start), ...headers.slice(0, start)];
      await generator.send({ ...load, headers: rotated, until: { requests: Math.round(reads / batches) } });
      await sample(batch);
      progress.advance(`memory: reading ${ideaBanks} idea banks through ${worker.name}`);
    }
    progress.finish();
    heap.close();
    return samples;
  } finally {
    generator.stop();
    await runtime.stop();
  }
}

/** Indexes below `count` by Zipf's law (the nth is read 1/n as often as the first), the same in every run. */
function zipf(count: number, length: number): number[] {
  const cumulative: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= count; rank++) {
    total += 1 / rank;
    cumulative.push(total);
  }
  let state = 42;
  return Array.from({ length }, () => {
    // A linear congruential generator: the run can be repeated.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    const sought = (state / 2 ** 32) * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((cumulative[middle] ?? 0) < sought) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
