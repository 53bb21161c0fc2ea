/**
 * The scheduled job ([triggers] in wrangler.toml): moves the votes of merged proposals, deletes what is left of what was
 * deleted, and rows whose time is over. Beside that it delivers to webhooks what was not delivered after the answer to a write.
 *
 * - In slices, in turn: a long backlog of one kind, of one tenant, or of one database, does not hold up the others; nor does a database that hangs.
 * - With a deadline: the next run continues.
 * - Safe to run twice at once. What fails is left to the next run, and fails this one when the rest is done.
 */
import { type Allowance, deliverDue } from "./changes/deliver.ts";
import { type Send, sendByFetch } from "./changes/send.ts";
import { deleteLeftovers, deletePanelistLeftovers } from "./database/deletions.ts";
import { deleteExpired, deleteOldChanges, deleteOldRevocations, EXPIRING } from "./database/expired-rows.ts";
import { continueMerge } from "./database/merges.ts";
import { newTurn } from "./database/slices.ts";
import { type Caller, Databases } from "./store/databases.ts";
import type { Session } from "./store/session.ts";

/** A run begins no slice, and no delivery, after this time. */
const RUN_MS = 30_000;
/** Workers ends an invocation that sends more than 1,000 statements to D1. Those of slices are enough to look for each task in 62 databases. */
const STATEMENTS_OF_SLICES = 600;
const STATEMENTS_OF_DELIVERIES = 350;
/** A slice sends so many at most, and one when it finds nothing. */
const STATEMENTS_OF_A_SLICE = 6;
/** So many databases are worked on at the same time. */
const LANES = 4;

/** Deletes one slice. False when nothing was left. */
type Task = () => Promise<boolean>;

/** `now` reads the clock of the slices, in Unix milliseconds. */
export async function runScheduled(
  caller: Caller,
  now: () => number = Date.now,
  send: Send = sendByFetch,
): Promise<void> {
  const sessions = new Databases().all(caller).map(({ database }) => database.withoutSession());
  const allowance: Allowance = { endsAt: Date.now() + RUN_MS, statements: { left: STATEMENTS_OF_DELIVERIES } };
  const delivered = deliverDue(sessions, send, allowance).catch((error: unknown) => {
    console.error("the scheduled job could not deliver to webhooks; the next run tries again", error);
    return error;
  });
  const failures = await runSlices(sessions, now);
  const failure = await delivered;
  if (failure !== undefined) failures.push(failure);
  if (failures.length > 0) throw new AggregateError(failures, "the scheduled job failed in part");
}

async function runSlices(sessions: readonly Session[], now: () => number): Promise<unknown[]> {
  const start = now();
  const tasksOf = (session: Session): Task[] => [
    ...[continueMerge, deleteLeftovers, deletePanelistLeftovers].map((runSlice) => {
      const turn = newTurn();
      return () => runSlice(session, turn);
    }),
    ...EXPIRING.map((kind) => () => deleteExpired(session, kind, start)),
    () => deleteOldRevocations(session, start),
    () => deleteOldChanges(session, start),
  ];
  const waiting = sessions.map(tasksOf);
  const failures: unknown[] = [];
  let statements = STATEMENTS_OF_SLICES;
  const work = async () => {
    while (statements >= STATEMENTS_OF_A_SLICE && now() - start < RUN_MS) {
      // While it is worked on, a database does not wait: one that hangs stops one lane.
      const tasks = waiting.shift();
      const task = tasks?.shift();
      if (tasks === undefined || task === undefined) return;
      statements -= STATEMENTS_OF_A_SLICE;
      try {
        if (await task()) tasks.push(task);
        else statements += STATEMENTS_OF_A_SLICE - 1;
      } catch (error) {
        console.error("the scheduled job could not delete a slice; the next run tries again", error);
        failures.push(error);
      }
      if (tasks.length > 0) waiting.push(tasks);
    }
  };
  await Promise.all(sessions.slice(0, LANES).map(work));
  return failures;
}
