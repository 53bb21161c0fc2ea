/** One workerd with all Workers in it, each on a socket of its own: no proxy between the load and the Worker, Miniflare's own included. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { type Script, toModules } from "../support/node/bundle-worker.ts";

/** What the benchmark's credentials are signed with. */
export const SECRET = "what-signs-the-credentials-of-a-benchmark";

export type Worker = {
  readonly name: string;
  readonly script: Script;
  readonly variables?: Record<string, string>;
  /** Which local D1 database `DB` is; Workers that name the same one share it. */
  readonly database?: string;
  /** Binding to class, of this Worker's own. */
  readonly objects?: Record<string, string>;
  /** Its objects stay in memory when they are idle. */
  readonly keepsObjects?: boolean;
  /** Other D1 databases, by binding. */
  readonly databases?: readonly string[];
};

export type Runtime = {
  url(worker: string): string;
  database(worker: string, binding?: string): Promise<D1Database>;
  /** All bindings of a Worker, for code that runs here. */
  bindings(worker: string): Promise<Record<string, unknown>>;
  /** Of workerd, in bytes: what it holds in memory right now. */
  residentBytes(): number;
  /** Of workerd, since it started: user and system time of all its threads, in seconds. */
  processorSeconds(): number;
  /** Where V8's inspector is, of a runtime that was started with it. */
  inspector(): Promise<URL>;
  stop(): Promise<void>;
};

/** So high that the load stays under it. */
const PANELIST_LIMIT = 1_000_000_000;

export const OUR_OBJECTS = { API_KEY_GATE: "ApiKeyGate" };

export async function startRuntime(workers: readonly Worker[], { inspected = false } = {}): Promise<Runtime> {
  const { compatibility_date, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const folder = await mkdtemp(join(tmpdir(), "bench-state-"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: folder,
      host: "127.0.0.1",
      handleStructuredLogs: () => {},
      ...(inspected && { inspectorPort: 0, inspectorHost: "127.0.0.1" }),
      workers: workers.map(({ name, script, variables = {}, database = "DB", objects = {}, ...more }) => ({
        name,
        compatibilityDate: compatibility_date,
        modules: toModules(name, script),
        bindings: {
          ...vars,
          CREDENTIAL_SECRETS: SECRET,
          ...variables,
        },
        d1Databases: { DB: database, ...Object.fromEntries((more.databases ?? []).map((each) => [each, each])) },
        kvNamespaces: { CHANGELOGS: "CHANGELOGS" },
        ratelimits: Object.fromEntries(
          ["PANELIST_READS", "PANELIST_WRITES", "OWNER_WRITES", "OWNER_READS"].map((binding) => [
            binding,
            { namespace_id: `${name} ${binding}`, simple: { limit: PANELIST_LIMIT, period: 60 as const } },
          ]),
        ),
        durableObjects: Object.fromEntries(
          Object.entries(objects).map(([binding, className]) => [
            binding,
            { className, useSQLite: true, unsafePreventEviction: more.keepsObjects ?? false },
          ]),
        ),
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      })),
    }),
  );
  await miniflare.ready;
  const urls = new Map<string, string>();
  for (const { name } of workers) urls.set(name, (await miniflare.unsafeGetDirectURL(name)).origin);
  const pid = workerdBelow(process.pid);
  return {
    url(worker) {
      const url = urls.get(worker);
      if (url === undefined) throw new Error(`no Worker is called ${worker}`);
      return url;
    },
    database: (worker, binding = "DB") => miniflare.getD1Database(binding, worker),
    bindings: (worker) => miniflare.getBindings(worker),
    residentBytes: () => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) * 1024,
    processorSeconds: () => processorSeconds(pid),
    inspector: async () => new URL(`http://${(await miniflare.getInspectorURL()).host}`),
    async stop() {
      await miniflare.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** By Linux' scheduler, to the nanosecond; elsewhere by `ps`, to a hundredth of a second at best. */
export function processorSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return secondsOf(execFileSync("ps", ["-o", "time=", "-p", String(pid)]).toString());
  return globSync(`${tasks}/*/schedstat`).reduce((sum, file) => {
    const [nanoseconds = "0"] = readFileSync(file, "utf8").split(" ");
    return sum + Number(nanoseconds) / 1e9;
  }, 0);
}

/** `[hours:]minutes:seconds` */
const secondsOf = (time: string): number => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

function workerdBelow(parent: number): number {
  const pids = processes().flatMap(({ pid, ppid, name }) => (ppid === parent && name.includes("workerd") ? [pid] : []));
  const newest = Math.max(...pids);
  if (!Number.isFinite(newest)) throw new Error("workerd is not running");
  return newest;
}

/** By Linux' own list, because a slim image has no `ps`; elsewhere by `ps`. */
function processes(): { readonly pid: number; readonly ppid: number; readonly name: string }[] {
  const stats = globSync("/proc/[0-9]*/stat");
  const lines =
    stats.length > 0
      ? stats.map((file) => readIfThere(file).replace(/^(\d+) \((.*)\) \S (\d+).*$/s, "$1 $3 $2"))
      : execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="]).toString().split("\n");
  return lines.map((line) => {
    const [pid, ppid, ...name] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), name: name.join(" ") };
  });
}

/** A process may end before its file is read. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
