/** Memory: what workerd holds while many idea banks are read, a few of them often, as it is in life. */
import { buildOurs } from "../build.ts";
import { Generator } from "../generator.ts";
import { Heap } from "../heap.ts";
import { Progress } from "../progress.ts";
import { OUR_OBJECTS, startRuntime } from "../runtime.ts";
import { ideaBankIds, seedAccount, seedChangelogs, seedIdeaBanks, tokenFor } from "../seed.ts";

export type MemoryPlan = { readonly ideaBanks: number; readonly reads: number };

/** Of the Worker's isolate, and resident of all of workerd, Miniflare's D1 and KV included. */
export type MemorySample = { readonly reads: number; readonly isolateBytes: number; readonly residentBytes: number };

/** The first sample is of an idle Worker; one follows each batch of reads. */
export type MemoryResult = { readonly ideaBanks: number; readonly samples: readonly MemorySample[] };

const BATCHES = 20;
const CONNECTIONS = 16;
/** Different orders in which the idea banks come: one for each connection. */
const SEQUENCE = 4_000 * CONNECTIONS;
/** Enough for what starts on the first request to have started. */
const FIRST_READS = 200;

export async function measureMemory({ ideaBanks, reads }: MemoryPlan): Promise<MemoryResult> {
  const ours = { name: "ours", script: await buildOurs(), objects: OUR_OBJECTS };
  // So that what is read comes out of the Worker's memory and not out of D1.
  const runtime = await startRuntime([{ ...ours, variables: { FRESHNESS_SECONDS: "300" } }], { inspected: true });
  const generator = new Generator();
  try {
    const database = await runtime.database("ours");
    const ids = ideaBankIds(ideaBanks);
    await seedAccount(database);
    await seedIdeaBanks(database, ids);
    await seedChangelogs(database, ids);
    const tokens = await Promise.all(ids.map(tokenFor));
    const headers = zipf(ideaBanks, SEQUENCE).map((index) => ({ Authorization: tokens[index] ?? "" }));
    const load = {
      url: `${runtime.url("ours")}/public/ideabank/changelog`,
      status: 200,
      connections: CONNECTIONS,
    };
    await generator.send({ ...load, headers: headers.slice(0, 1), until: { requests: FIRST_READS } });
    const heap = await Heap.connect(await runtime.inspector(), "ours", runtime.url("ours"));
    const progress = new Progress(BATCHES);
    const samples: MemorySample[] = [];
    const sample = async (batches: number) => {
      const isolateBytes = await heap.usedBytes();
      samples.push({
        reads: Math.round((reads / BATCHES) * batches),
        isolateBytes,
        residentBytes: runtime.residentBytes(),
      });
    };
    await sample(0);
    for (let batch = 1; batch <= BATCHES; batch++) {
      // A batch goes on in the sequence where the one before has stopped.
      const start = Math.floor(((batch - 1) / BATCHES) * SEQUENCE);
      const rotated = [...headers.slice(start), ...headers.slice(0, start)];
      await generator.send({ ...load, headers: rotated, until: { requests: Math.round(reads / BATCHES) } });
      await sample(batch);
      progress.advance(`memory: reading ${ideaBanks} idea banks`);
    }
    progress.finish();
    heap.close();
    return { ideaBanks, samples };
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
