/** `wrangler deploy` and `wrangler rollback`, and where the Worker answers afterwards. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import type { Wrangler } from "./wrangler.ts";

/** A line of the file that wrangler writes for programs (WRANGLER_OUTPUT_FILE_PATH). */
type OutputLine = { type: string; version_id?: string | null; targets?: string[] };

type Deployed = { readonly version: string; readonly targets: readonly string[] };

/** Deploys the Worker. Wrangler's output is shown. */
export async function deployWorker(wrangler: Wrangler): Promise<Deployed> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  try {
    const file = join(folder, "output.ndjson");
    await wrangler.run(["deploy"], { variables: { WRANGLER_OUTPUT_FILE_PATH: file }, show: true });
    const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    const deploy = lines.map((line): OutputLine => JSON.parse(line)).find(({ type }) => type === "deploy");
    return { version: deploy?.version_id ?? "unknown", targets: deploy?.targets ?? [] };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The origin to test. Targets are as wrangler names them: `https://name.subdomain.workers.dev`, `api.example.com (custom domain)`,
 * `api.example.com/* (zone name: example.com)`, `schedule: * * * * *`.
 */
export function originOf(targets: readonly string[]): string {
  const hosts = targets
    .filter((target) => !target.startsWith("schedule:"))
    .map((target) => /^(?:https?:\/\/)?([\w.-]+\.\w+|(?:localhost|127\.0\.0\.1):\d+)(?=[/ ]|$)/.exec(target)?.[0])
    .filter((host) => host !== undefined);
  // A domain of your own is preferred to workers.dev, because clients use it.
  const host = hosts.find((one) => !one.endsWith(".workers.dev")) ?? hosts[0];
  if (host === undefined) {
    throw new Failure(
      "The Worker has no address: workers_dev is false and wrangler.toml has no route. Add one, such as\n" +
        'routes = [{ pattern = "api.example.com", custom_domain = true }]\n' +
        "or name the address with --url https://… if it is set elsewhere.",
    );
  }
  return host.startsWith("http") ? host : `https://${host}`;
}
