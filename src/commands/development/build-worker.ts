/** The Workers as `npm run deploy` uploads them: one minified module each. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeAccountConfiguration } from "../deployment/account-configuration.ts";
import { CONFIGURATION } from "../deployment/configuration.ts";

/** The front door. */
export const buildWorker = (): Promise<string> => build(CONFIGURATION);

export const buildAccountWorker = async (): Promise<string> => build(await writeAccountConfiguration("."));

async function build(config: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  try {
    await promisify(execFile)("wrangler", ["deploy", "--dry-run", "--config", config, "--outdir", folder]);
    return await readFile(join(folder, "index.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
