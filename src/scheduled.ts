/** The scheduled job ([triggers] in wrangler.toml): deletes the proposals of deleted idea banks. Safe to run twice at once. */
import { allDatabases } from "./database/choose-database.ts";
import { deleteLeftovers } from "./database/deleted-idea-banks.ts";

/** A run stops after this time; the next one continues. */
const DEADLINE_MS = 30_000;

/** One database that is down does not keep the others from being cleaned. Rejects in the end, so that the run counts as failed. */
export async function runScheduled(env: Pick<Env, "DB">, now: () => number = Date.now): Promise<void> {
  const start = now();
  const clean = async (database: D1Database) => {
    while (now() - start < DEADLINE_MS && (await deleteLeftovers(database)));
  };
  const runs = await Promise.allSettled(allDatabases(env).map(({ database }) => clean(database)));
  for (const run of runs) if (run.status === "rejected") throw run.reason;
}
