/**
 * Scale: the same request where there is little and where there is much, in turns on one local D1. The proposals are one
 * database's; a number of keys is a database of its own, since nothing else can hold few and many at once.
 */
import { signCursor } from "../../../src/worker/credentials/cursor.ts";
import { buildMetered } from "../build.ts";
import type { Counts } from "../counts.ts";
import { Generator } from "../generator.ts";
import type { Load, Measurement } from "../measurement.ts";
import { Progress } from "../progress.ts";
import { OUR_OBJECTS, type Runtime, startRuntime } from "../runtime.ts";
import {
  ACCOUNT_ID,
  seedAccount,
  seedApiKeyRows,
  seedApiKeys,
  seedIdeaBanks,
  seedProposals,
  signingKeys,
  tokenFor,
} from "../seed.ts";
import { spreadOf } from "../statistics.ts";

export type ScalePlan = {
  readonly proposals: readonly number[];
  readonly keys: readonly number[];
  readonly rounds: number;
  readonly requests: number;
};

/** One request at each size: D1 rows that one reads, and the p50 of each round in milliseconds. */
export type ScaleResult = { readonly name: string; readonly sizes: readonly SizeResult[] };
export type SizeResult = { readonly size: number; readonly rowsRead: number; readonly p50: readonly number[] };

type Request = { readonly name: string; readonly worker: string } & Pick<Load, "url" | "headers" | "before">;

/** Requests whose rows are counted, one by one: once a minute a gate reads its record again, which is counted with whatever comes then. */
const COUNTED = 3;
const LIMIT = { limit: 10_000, windowSeconds: 1 };

export async function measureScale(plan: ScalePlan): Promise<ScaleResult[]> {
  const script = await buildMetered("../../../src/worker/index.ts", "ApiKeyGate");
  const workers = ["proposals", ...plan.keys.map((count) => `keys-${count}`)];
  const runtime = await startRuntime(
    workers.map((name) => ({
      name,
      script,
      objects: OUR_OBJECTS,
      database: name,
      variables: { FRESHNESS_SECONDS: "0" },
    })),
  );
  const generator = new Generator();
  try {
    const progress = new Progress(sum(plan.proposals) + sum(plan.keys));
    const byProposals = await seedBanks(runtime, plan.proposals, progress);
    const byKeys = await Promise.all(plan.keys.map((count) => seedKeys(runtime, count, progress)));
    progress.finish();
    const timing = new Progress(plan.rounds * (plan.proposals.length * 4 + plan.keys.length));
    const results = [
      ...(await measure(byProposals, plan.proposals, plan, runtime, generator, timing)),
      ...(await measure(byKeys, plan.keys, plan, runtime, generator, timing)),
    ];
    timing.finish();
    return results;
  } finally {
    generator.stop();
    await runtime.stop();
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** By size, the requests of each. */
async function seedBanks(runtime: Runtime, sizes: readonly number[], progress: Progress): Promise<Request[][]> {
  const worker = "proposals";
  const database = await runtime.database(worker);
  await seedAccount(database);
  const [key = ""] = await seedApiKeys(database, 1, LIMIT);
  const url = runtime.url(worker);
  const headers = [{ "X-API-Key": key }];
  // The key's gate reads its record once: no list is charged for it.
  await fetch(`${url}/tenant/whoami`, { headers: { "X-API-Key": key } });
  const bySize: Request[][] = [];
  for (const [index, size] of sizes.entries()) {
    // Its proposals' ids start with the idea bank's first four characters.
    const id = `0B${String(index).padStart(2, "0")}ScaleBnk`;
    await seedIdeaBanks(database, [id]);
    await seedProposals(database, id, size, (rows) => progress.advance("scale: seeding proposals", rows));
    const path = `/tenant/ideabanks/${id}/proposals`;
    const position = { key: Math.ceil(size / 2), id: "0".repeat(12) };
    const middle = await signCursor(position, `${ACCOUNT_ID} ${path}?`, signingKeys);
    bySize.push([
      {
        name: "changelog, cold render",
        worker,
        url: `${url}/public/ideabank/changelog`,
        headers: [{ Authorization: await tokenFor(id) }],
        before: `/render-again?ideabank=${id}`,
      },
      { name: "list of proposals, first page", worker, url: url + path, headers },
      { name: "list of proposals, by status", worker, url: `${url}${path}?status=implemented`, headers },
      { name: "list of proposals, a page in the middle", worker, url: `${url}${path}?cursor=${middle}`, headers },
    ]);
  }
  return bySize;
}

async function seedKeys(runtime: Runtime, count: number, progress: Progress): Promise<Request[]> {
  const worker = `keys-${count}`;
  const database = await runtime.database(worker);
  await seedAccount(database);
  const [key = ""] = await seedApiKeys(database, 1, LIMIT);
  await seedApiKeyRows(database, count - 1, (rows) => progress.advance("scale: seeding API keys", rows));
  return [{ name: "whoami", worker, url: `${runtime.url(worker)}/tenant/whoami`, headers: [{ "X-API-Key": key }] }];
}

async function measure(
  bySize: readonly (readonly Request[])[],
  sizes: readonly number[],
  { rounds, requests }: ScalePlan,
  runtime: Runtime,
  generator: Generator,
  progress: Progress,
): Promise<ScaleResult[]> {
  const names = bySize[0]?.map(({ name }) => name) ?? [];
  const results: ScaleResult[] = [];
  for (const [kind, name] of names.entries()) {
    const p50s = sizes.map((): number[] => []);
    const rowsRead: number[] = [];
    const send = (size: number, count: number): Promise<Measurement> => {
      const request = bySize[size]?.[kind];
      if (request === undefined) throw new Error(`${name} is not asked at each size`);
      return generator.send({ ...request, status: 200, connections: 1, until: { requests: count } });
    };
    for (const [index, requestsOfSize] of bySize.entries()) {
      const counts = `${runtime.url(requestsOfSize[kind]?.worker ?? "")}/counts`;
      const rows: number[] = [];
      for (let times = 0; times < COUNTED; times++) {
        await fetch(counts);
        const { requests: sent } = await send(index, 1);
        const counted = (await fetch(counts).then((response) => response.json())) as Counts;
        rows.push(counted.rowsRead / sent);
      }
      rowsRead.push(spreadOf(rows).median);
      await send(index, requests);
    }
    for (let round = 0; round < rounds; round++) {
      for (const index of sizes.keys()) {
        p50s[index]?.push((await send(index, requests)).p50);
        progress.advance(`scale: ${name}`);
      }
    }
    results.push({
      name,
      sizes: sizes.map((size, index) => ({ size, rowsRead: rowsRead[index] ?? Number.NaN, p50: p50s[index] ?? [] })),
    });
  }
  return results;
}
