/**
 * `npm run bench`: measures, prints two pages, and writes them to `docs/` with their plots. `-- --quick` takes a
 * minute and a half, tests the benchmark itself, and writes nothing. `-- --only world` runs and prints the simulated world alone;
 * `-- --only entered` prints the files and functions of ours that warm requests enter.
 * `-- --resume` goes on after the last part that a full run has finished.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { optionsOf } from "../../src/commands/command-line/main.ts";
import { measureCost } from "./measure/cost.ts";
import { measureDesk } from "./measure/desk.ts";
import { measureEntered } from "./measure/entered.ts";
import { measureMemory } from "./measure/memory.ts";
import { measureScale } from "./measure/scale.ts";
import { measureSpeed } from "./measure/speed.ts";
import { measureStartUp } from "./measure/start-up.ts";
import { measureWorld } from "./measure/world.ts";
import { pagesOf, plotsOf } from "./report.ts";
import type { Plan, Results } from "./results.ts";
import { worldReport } from "./world-report.ts";

const FULL: Plan = {
  speed: {
    connections: [16],
    rounds: 5,
    seconds: 1.2,
    coldReads: 400,
    short: { connections: 16, rounds: 100, seconds: 0.12 },
  },
  cost: { steadySeconds: 62, reads: 2_000 },
  scale: { proposals: [100, 10_000, 1_000_000], keys: [1, 1_000, 100_000], rounds: 5, requests: 200 },
  memory: { ideaBanks: 10_000, reads: 200_000, batches: 20 },
  world: {
    seconds: 60,
    requests: 36_000,
    peerRequests: 4_000,
    writes: 120,
    keys: 40,
    quiet: { seconds: 300, requests: 3_000, banks: 250 },
  },
  desk: { visits: 20 },
  starts: 200,
};

const QUICK: Plan = {
  speed: {
    connections: [16],
    rounds: 1,
    seconds: 0.3,
    coldReads: 50,
    short: { connections: 16, rounds: 2, seconds: 0.12 },
  },
  cost: { steadySeconds: 1, reads: 40 },
  scale: { proposals: [100, 10_000], keys: [1, 1_000], rounds: 1, requests: 20 },
  memory: { ideaBanks: 100, reads: 1_000, batches: 2 },
  world: {
    seconds: 3,
    requests: 240,
    peerRequests: 60,
    writes: 6,
    keys: 5,
    quiet: { seconds: 30, requests: 60, banks: 20 },
  },
  desk: { visits: 1 },
  starts: 3,
};

const values = await optionsOf({
  name: "bench",
  summary: ["Measures speed, cost and memory, and writes docs/benchmarks.md with its tables and plots."],
  options: {
    quick: { type: "boolean", default: false, help: "Only tests the benchmark, in about a minute. Writes nothing." },
    resume: { type: "boolean", default: false, help: "Goes on after the last part that a full run has finished." },
    only: { type: "string", value: "world|entered", help: "Runs and prints this part alone." },
  },
});
if (values.only !== undefined && !["world", "entered"].includes(values.only))
  throw new Error("--only world and --only entered are the parts that run alone");
if (values.only === "entered") {
  for (const [request, files] of Object.entries(await measureEntered())) {
    console.log(`${request}: ${files.size} files, ${[...files.values()].flat().length} functions`);
    for (const [file, functions] of files) console.log(`  ${file}: ${functions.filter(Boolean).join(", ")}`);
  }
  process.exit();
}
const plan = values.quick ? QUICK : FULL;
const startedAt = new Date();
await install();
if (values.only === "world") {
  const world = await measureWorld(plan.world);
  console.log(worldReport(world, plan.world));
  process.exit();
}
const PARTS = ".wrangler/bench";
if (!values.resume && !values.quick) await rm(PARTS, { recursive: true, force: true });
let minutes = 0;
const measured = {
  startUp: await part("start-up", () => measureStartUp(plan.starts)),
  cost: await part("cost", () => measureCost(plan.cost)),
  scale: await part("scale", () => measureScale(plan.scale)),
  memory: await part("memory", () => measureMemory(plan.memory)),
  world: await part("world", () => measureWorld(plan.world)),
  desk: await part("desk", () => measureDesk(plan.desk)),
  speed: await part("speed", () => measureSpeed(plan.speed)),
};
const results: Results = { plan, startedAt, minutes, versions: await readVersions(), ...measured };
const pages = pagesOf(results);
for (const page of Object.values(pages)) console.log(page);
if (!values.quick) {
  for (const [name, text] of Object.entries({ ...pages, ...plotsOf(results) })) await writeFile(`docs/${name}`, text);
}

/** What a part has measured, kept in a file until the next run begins: a full run takes half an hour. */
async function part<Result>(name: string, measure: () => Promise<Result>): Promise<Result> {
  const file = `${PARTS}/${name}`;
  const kept = values.resume ? await readFile(file).catch(() => undefined) : undefined;
  const start = Date.now();
  const done: { measured: Result; minutes: number } =
    kept === undefined ? { measured: await measure(), minutes: (Date.now() - start) / 60_000 } : deserialize(kept);
  minutes += done.minutes;
  if (kept === undefined && !values.quick) {
    await mkdir(PARTS, { recursive: true });
    await writeFile(file, serialize(done));
  }
  return done.measured;
}

/** The benchmark's own dependencies, installed again when its lock file has changed. */
async function install(): Promise<void> {
  const folder = "test/bench";
  const mark = `${folder}/node_modules/.installed`;
  const hash = createHash("sha256")
    .update(await readFile(`${folder}/package-lock.json`))
    .digest("hex");
  if ((await readFile(mark, "utf8").catch(() => "")) === hash) return;
  execFileSync("npm", ["ci", "--prefix", folder, "--no-audit", "--no-fund"], { stdio: "inherit" });
  await writeFile(mark, hash);
}

async function readVersions(): Promise<Record<string, string>> {
  const names = ["workerd", "miniflare", "hono"];
  const versions = await Promise.all(
    names.map(async (name) => [name, JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8")).version]),
  );
  return { node: process.versions.node, ...Object.fromEntries(versions) };
}
