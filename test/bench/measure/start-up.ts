/** Start-up: how large the bundle is, and the processor time that evaluating it takes, by wrangler's own profile. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { buildOurs, buildWorker, WRANGLER } from "../build.ts";

/** `cpuMilliseconds` of each of several starts. */
export type StartUpResult = {
  readonly bytes: number;
  readonly gzippedBytes: number;
  readonly cpuMilliseconds: readonly number[];
  readonly betterAuthGzippedBytes: number;
};

type Profile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

export async function measureStartUp(starts: number): Promise<StartUpResult> {
  const script = await buildOurs();
  const cpuMilliseconds: number[] = [];
  for (let start = 0; start < starts; start++) cpuMilliseconds.push(await profileStart());
  return {
    bytes: Buffer.byteLength(script),
    gzippedBytes: gzipSync(script).byteLength,
    cpuMilliseconds,
    betterAuthGzippedBytes: gzipSync(await buildWorker("better-auth")).byteLength,
  };
}

async function profileStart(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "bench-start-"));
  try {
    const outfile = join(folder, "start.cpuprofile");
    await promisify(execFile)(WRANGLER, ["check", "startup", "--outfile", outfile]);
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
