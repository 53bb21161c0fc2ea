/**
 * `npm run test:soak`: ten minutes of mixed load, or `--minutes`: no answer but a success or a stated refusal, counters that agree
 * with rows at the end, and memory flat: what the Worker and its gates hold after a collection of garbage. The process holds more,
 * and grows: local D1 and objects, and what V8 has not collected. Plots the heap into `--plot`. Runs on workerd without `wrangler dev`.
 */
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { optionsOf } from "../../src/commands/command-line/main.ts";
import { Heap } from "../bench/heap.ts";
import { plotLines } from "../bench/plot.ts";
import { OUR_OBJECTS, startRuntime } from "../bench/runtime.ts";
import { bundleWorker } from "../support/node/bundle-worker.ts";
import { Random } from "../support/random.ts";
import { makeSchema } from "../support/schema-parts.ts";
import { fillCaches } from "./full-caches.ts";
import { Journal } from "./journal.ts";
import { Load } from "./load.ts";
import { createScene } from "./scene.ts";
import { COUNTERS } from "./stored.ts";

/** The Worker, with the owner signed in as Cloudflare Access does. */
const WORKER = `
  import { createApp } from "../../src/worker/app.ts";
  export { ApiKeyGate } from "../../src/worker/index.ts";
  const worker = createApp();
  const access = { aud: "an-audience", getIdentity: async () => ({ email: "owner@example.com" }) };
  export default {
    fetch: (request, env, context) =>
      worker.fetch(request, env, { waitUntil: (promise) => context.waitUntil(promise), passThroughOnException() {}, access }),
  };`;

const NAME = "soak";
const PANELISTS = 8;
const SAMPLE_MS = 10_000;
const MEGABYTE = 1_048_576;
/** The heap is flat when the last third of the time, after a fifth to warm up, needs at most so much more than the first. */
const MAX_GROWTH = 1.15;

const values = await optionsOf({
  name: "test:soak",
  summary: ["Runs mixed load, and checks every answer, the counters, and that memory stays flat."],
  options: {
    minutes: { type: "string", value: "<number>", help: "For how long. Default 10." },
    plot: { type: "string", value: "<file>", help: "Draws the heap into this file." },
  },
});
const minutes = Number(values.minutes ?? 10);

const script = await bundleWorker(WORKER, "test/endurance");
const variables = { ACCESS_AUD: "", NEW_ACCOUNTS: "0", REQUEST_LOG_SHARE: "0.01" };
const runtime = await startRuntime([{ name: NAME, script, variables, objects: OUR_OBJECTS }], { inspected: true });
const url = runtime.url(NAME);
const journal = new Journal();
const heap: [number, number][] = [];
const processes: [number, number][] = [];
const faults: string[] = [];
try {
  const database = await runtime.database(NAME);
  await makeSchema(database, await readFile("schema.sql", "utf8"));
  const scene = await createScene(url, PANELISTS);
  await fillCaches(url, scene.ideaBankId);
  const inspected = await Heap.connect(await runtime.inspector(), NAME, url);
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 60_000;
  const isOver = () => elapsed() > minutes;
  const sample = async () => {
    while (!isOver()) {
      heap.push([elapsed(), (await inspected.usedBytes()) / MEGABYTE]);
      processes.push([elapsed(), runtime.residentBytes() / MEGABYTE]);
      await setTimeout(SAMPLE_MS);
    }
    inspected.close();
  };
  const random = new Random(1);
  await Promise.all([new Load({ url, scene, journal, pick: (below) => random.below(below) }).run(isOver), sample()]);
  for (const [what, sql] of Object.entries(COUNTERS)) {
    const { results } = await database.prepare(sql).all();
    if (results.length > 0) faults.push(`${what} and its rows do not agree`);
  }
} finally {
  await runtime.stop();
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0;

/** The medians of the first and of the last third, without the time to warm up. */
function thirds(samples: readonly [number, number][]): { first: number; last: number; text: string } {
  const warm = samples.filter(([minute]) => minute > minutes / 5).map(([, megabytes]) => megabytes);
  const third = Math.ceil(warm.length / 3);
  const [first, last] = [median(warm.slice(0, third)), median(warm.slice(-third))];
  return { first, last, text: `${first.toFixed(1)} MB in the first third, ${last.toFixed(1)} MB in the last` };
}

const { first, last, text } = thirds(heap);
if (last > first * MAX_GROWTH) faults.push(`memory is not flat: ${text}`);
if (journal.lost > 0) faults.push(`${journal.lost} requests had no answer`);
if (values.plot !== undefined) {
  const lines = [{ label: "heap", kind: "ours", points: heap }] as const;
  await writeFile(values.plot, plotLines("The Worker's memory under mixed load", lines, "minutes", "MB"));
}
const answers = [...journal.statuses].toSorted(([left], [right]) => left - right);
console.log(`
minutes                  ${minutes}
answers by status        ${answers.map(([status, count]) => `${status}: ${count}`).join(", ")}
acknowledged writes      ${journal.acknowledged}
heap                     ${text}
process                  ${thirds(processes).text}
unexpected answers       ${journal.unexpected.length}
faults                   ${faults.length}`);
for (const fault of [...new Set([...journal.unexpected, ...faults])].slice(0, 10)) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 && journal.unexpected.length === 0 ? 0 : 1;
