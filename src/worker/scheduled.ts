/**
 * The scheduled job ([triggers] in wrangler.toml): moves the votes of merged proposals, stores the words of titles that have none, deletes
 * what is left of what was deleted, and rows whose time is over.
 *
 * - In slices, in turn: a long backlog of one kind, or of one database, does not hold up the others.
 * - With a deadline: the next run continues.
 * - Safe to run twice at once. What fails is left to the next run, and fails this one when the rest is done.
 */
import { allDatabases } from "./database/choose-database.ts";
import { deleteLeftovers, deletePanelistLeftovers } from "./database/deletions.ts";
import { deleteExpired, deleteOldChanges, deleteOldRevocations, EXPIRING } from "./database/expired-rows.ts";
import { continueMerge } from "./database/merges.ts";
import { indexTitles } from "./database/words.ts";

/** A run begins no slice after this time. */
const RUN_MS = 30_000;
/** Workers ends an invocation that sends more than 1,000 statements to D1. A slice sends six at most. */
const MAX_SLICES = 160;

/** Deletes one slice. False when nothing was left. */
type Task = () => Promise<boolean>;

/** `now` reads the clock, in Unix milliseconds. */
export async function runScheduled(env: Pick<Env, "DB">, now: () => number = Date.now): Promise<void> {
  const start = now();
  const tasks = allDatabases(env).flatMap(({ database }): Task[] => [
    () => continueMerge(database),
    () => deleteLeftovers(database),
    () => deletePanelistLeftovers(database),
    ...EXPIRING.map((kind) => () => deleteExpired(database, kind, start)),
    () => deleteOldRevocations(database, start),
    () => deleteOldChanges(database, start),
    () => indexTitles(database),
  ]);
  const failures: unknown[] = [];
  for (let slices = 0; slices < MAX_SLICES && now() - start < RUN_MS; slices++) {
    const task = tasks.shift();
    if (task === undefined) break;
    try {
      if (await task()) tasks.push(task);
    } catch (error) {
      console.error("the scheduled job could not delete a slice; the next run tries again", error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "the scheduled job failed in part");
}
