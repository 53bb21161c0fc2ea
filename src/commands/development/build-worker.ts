/** The Worker as `npm run deploy` uploads it: one minified module. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export async function buildWorker(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  try {
    await promisify(execFile)("wrangler", ["deploy", "--dry-run", "--outdir", folder]);
    return await readFile(join(folder, "index.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
