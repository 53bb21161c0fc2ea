/** The Workers as `npm run deploy` uploads them. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DEPLOYED, type WorkerConfigurations, writeWorkerConfigurations } from "../deployment/worker-configurations.ts";

/** One minified module. */
export async function buildWorker(which: keyof WorkerConfigurations, checkout = "."): Promise<string> {
  const config = (await writeWorkerConfigurations(checkout))[which];
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  try {
    await promisify(execFile)("wrangler", ["deploy", "--dry-run", "--config", config, "--outdir", folder], {
      cwd: checkout,
      env: { ...process.env, ...DEPLOYED },
    });
    const modules = (await readdir(folder)).filter((name) => !/\.map$|^README/.test(name));
    if (modules.join() !== "index.js") throw new Error(`more than one module: ${modules.join(", ")}`);
    return await readFile(join(folder, "index.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
