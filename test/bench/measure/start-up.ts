/** Start-up: how large the bundle is, and the processor time that evaluating it takes, by wrangler's own profile, in turns with others. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { buildOurs, buildWorker, WRANGLER } from "../build.ts";

/** Milliseconds of the processor, of each of several starts. */
export type StartUpResult = {
  readonly bytes: number;
  readonly gzippedBytes: number;
  readonly ours: readonly number[];
  readonly released: readonly number[];
  readonly bare: readonly number[];
  readonly betterAuthGzippedBytes: number;
};

type Profile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** What start-up is held against: it may not become slower than the first release's. */
const RELEASED = "test/fixtures/released-workers/1.0.0.js";

export async function measureStartUp(starts: number): Promise<StartUpResult> {
  const script = await buildOurs();
  const scripts = { ours: script, released: await readFile(RELEASED, "utf8"), bare: await buildWorker("bare") };
  const measured: Record<keyof typeof scripts, number[]> = { ours: [], released: [], bare: [] };
  for (let start = 0; start < starts; start++)
    for (const name of ["ours", "released", "bare"] as const) measured[name].push(await profileStart(scripts[name]));
  return {
    bytes: Buffer.byteLength(script),
    gzippedBytes: gzipSync(script).byteLength,
    ...measured,
    betterAuthGzippedBytes: gzipSync(await buildWorker("better-auth")).byteLength,
  };
}

async function profileStart(script: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "bench-start-"));
  try {
    const [worker, outfile] = [join(folder, "worker.bundle"), join(folder, "start.cpuprofile")];
    await writeFile(worker, await toUpload(script));
    await promisify(execFile)(WRANGLER, ["check", "startup", "--worker", worker, "--outfile", outfile]);
    const { nodes, samples, timeDeltas } = JSON.parse(await readFile(outfile, "utf8")) as Profile;
    const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
    const microseconds = samples.reduce(
      (total, node, index) => total + (idle.has(node) ? 0 : (timeDeltas[index] ?? 0)),
      0,
    );
    return microseconds / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The form in which wrangler uploads a Worker. */
async function toUpload(script: string): Promise<Buffer> {
  const form = new FormData();
  const [, compatibility_date] = /^compatibility_date = "(.*)"$/m.exec(await readFile("wrangler.toml", "utf8")) ?? [];
  form.set("metadata", JSON.stringify({ main_module: "index.js", compatibility_date }));
  form.set("index.js", new File([script], "index.js", { type: "application/javascript+module" }));
  return Buffer.from(await new Response(form).arrayBuffer());
}
