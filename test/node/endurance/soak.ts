/**
 * `npm run test:soak`: ten minutes of mixed load, or `--minutes`: no answer but a success or a stated refusal, the rows right at the
 * end, and memory flat. Plots the runtime's memory into `--plot`. Needs Linux's /proc.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { plotLines } from "../../bench/plot.ts";
import { freePort, makeCheckout, startDev } from "../checkout.ts";
import { Journal } from "./journal.ts";
import { Load } from "./load.ts";
import { randomPick } from "./random.ts";
import { createScene } from "./scene.ts";
import { faultsOfDatabase, openDatabase } from "./stored.ts";

const PANELISTS = 8;
const SAMPLE_MS = 2_000;
/** Memory is flat when the last third of the time, after a fifth to warm up, needs at most so much more than the first. */
const MAX_GROWTH = 1.15;

const { values } = parseArgs({ options: { minutes: { type: "string" }, plot: { type: "string" } } });
const minutes = Number(values.minutes ?? 10);

/** Megabytes that the processes of a group which run workerd have in memory. */
function memoryOf(group: number): number {
  let pages = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, command = "", fields = ""] =
        /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      if (command !== "workerd" || Number(fields.split(" ")[2]) !== group) continue;
      pages += Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return (pages * 4096) / 1_048_576;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0;

const checkout = await makeCheckout();
const port = await freePort();
const url = `http://localhost:${port}`;
const journal = new Journal();
const server = await startDev(checkout.folder, "--port", String(port));
const samples: [number, number][] = [];
const faults: string[] = [];
try {
  const scene = await createScene(url, PANELISTS);
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const sampling = setInterval(() => samples.push([elapsed() / 60_000, memoryOf(server.pid)]), SAMPLE_MS);
  await new Load({ url, scene, journal, pick: randomPick(1) }).run(() => elapsed() > minutes * 60_000);
  clearInterval(sampling);
  await server.stop();
  const database = openDatabase(join(checkout.folder, ".wrangler/state"));
  faults.push(...faultsOfDatabase(database, journal));
  database.close();
} finally {
  await server.stop();
  await checkout.remove();
}

const warm = samples.filter(([minute]) => minute > minutes / 5).map(([, megabytes]) => megabytes);
const third = Math.floor(warm.length / 3);
const [first, last] = [median(warm.slice(0, third)), median(warm.slice(-third))];
if (last > first * MAX_GROWTH) faults.push(`memory is not flat: ${first.toFixed(0)} MB, then ${last.toFixed(0)} MB`);
if (journal.lost > 0) faults.push(`${journal.lost} requests had no answer`);
if (values.plot !== undefined) {
  const line = { label: "workerd", kind: "ours", points: samples } as const;
  writeFileSync(values.plot, plotLines("Memory under mixed load", [line], "minutes", "MB"));
}
const answers = [...journal.statuses].toSorted(([left], [right]) => left - right);
console.log(`
minutes                  ${minutes}
answers by status        ${answers.map(([status, count]) => `${status}: ${count}`).join(", ")}
acknowledged writes      ${journal.acknowledged}
memory                   ${first.toFixed(0)} MB in the first third, ${last.toFixed(0)} MB in the last
unexpected answers       ${journal.unexpected.length}
faults                   ${faults.length}`);
for (const fault of [...new Set([...journal.unexpected, ...faults])].slice(0, 10)) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 && journal.unexpected.length === 0 ? 0 : 1;
