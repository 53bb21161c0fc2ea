/** The Worker as `wrangler deploy` uploads it. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** One minified module. */
export async function buildWorker(checkout = "."): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  try {
    await promisify(execFile)("wrangler", ["deploy", "--dry-run", "--outdir", folder], { cwd: checkout });
    const modules = (await readdir(folder)).filter((name) => !/\.map$|^README/.test(name));
    if (modules.join() !== "index.js") throw new Error(`more than one module: ${modules.join(", ")}`);
    return await readFile(join(folder, "index.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
