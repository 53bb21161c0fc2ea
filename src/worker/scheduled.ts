/**
 * The scheduled job ([triggers] in wrangler.toml). It moves the votes of merged proposals, and deletes the rows that deletions
 * have left and rows that have expired. It closes surveys whose time has come. It tells accounts of keys and visitor tokens that expire, members by e-mail, and people of their ideas. It writes the terms of ideas that the release before has written. Meanwhile it delivers the changes that webhooks did not get after the answer to a write.
 *
 * - It works in slices, in turn, so that a long backlog of one kind, tenant or database does not delay the others; nor does a
 *   database that hangs.
 * - It has a deadline; the next run continues.
 * - Two runs at the same time do no harm. A failure is left to the next run. This run finishes the rest, then fails.
 */

import { deleteExpired, deleteOldChanges, deleteOldRevocations, EXPIRING, RETAINED } from "./database/expired-rows.ts";
import { tellOfExpiry } from "./database/keys/expiring-keys.ts";
import { deleteOldMails } from "./database/mails/outbox.ts";
import { deleteClearedLeftovers, deleteLeftovers, deletePanelistLeftovers } from "./database/proposals/deletions.ts";
import { continueMerge } from "./database/proposals/merges.ts";
import { indexSlice } from "./database/proposals/words.ts";
import { startPosition } from "./database/slices.ts";
import { closeSurveys } from "./database/surveys/surveys.ts";
import { tellOfSiteTokens } from "./database/tokens/site-tokens.ts";
import { tellOfFailures } from "./database/webhooks/failing-webhooks.ts";
import type { Allowance } from "./deliveries/allowance.ts";
import { deliverDue } from "./deliveries/deliver.ts";
import { type NoticesEnv, sendNotices } from "./deliveries/notices.ts";
import { type Send, sendByFetch, sendOutside } from "./deliveries/send.ts";
import { logError } from "./log.ts";
import { tellingMembers } from "./mails/tell-members.ts";
import { mailsOfARun, type TellEnv, tellingPeople } from "./mails/tell-people.ts";
import { type RetentionEnv, readKeptMs } from "./settings.ts";
import { type Caller, Databases } from "./store/databases.ts";
import type { Session } from "./store/session.ts";

/** A run begins no slice after this time. */
const SLICES_MS = 30_000;
/**
 * A run begins no delivery after this time. An attempt takes up to 15 seconds, and the call that records it up to ten more, so a run may
 * last into the next one. That does no harm: a claim keeps each webhook to one of them.
 */
const DELIVERIES_MS = 50_000;
/**
 * Workers ends an invocation that sends more than 1,000 statements to D1. This many for the slices are enough to look for each
 * task in 62 databases; the deliveries get those that the slices leave.
 */
const STATEMENTS_OF_SLICES = 600;
const STATEMENTS_OF_DELIVERIES = 350;
/** The maximum for one slice. A slice that finds nothing sends one. */
const STATEMENTS_OF_A_SLICE = 10;
/** The number of databases that are worked on at the same time. */
const LANES = 4;

/** Does one slice. Returns false when nothing is left. */
type Task = () => Promise<boolean>;

/** `now` is the clock of the slices, in Unix milliseconds. */
export async function runScheduled(
  caller: Caller & { readonly env: RetentionEnv & NoticesEnv & TellEnv & { readonly OWN_ZONES?: string } },
  now: () => number = Date.now,
  send: Send = sendByFetch,
): Promise<void> {
  const sessions = new Databases().all(caller).map(({ database }) => database.withoutSession());
  const allowance: Allowance = { endsAt: Date.now() + DELIVERIES_MS, statements: { left: STATEMENTS_OF_DELIVERIES } };
  const delivered = deliverDue(sessions, sendOutside(send, caller.env), allowance).catch((error: unknown) => {
    logError("the scheduled job could not deliver to webhooks; the next run tries again", error);
    return error;
  });
  const statements = { left: STATEMENTS_OF_SLICES };
  const failures = await runSlices(sessions, { env: caller.env, now, statements });
  allowance.statements.left += statements.left;
  const failure = await delivered;
  if (failure !== undefined) failures.push(failure);
  if (failures.length > 0) throw new AggregateError(failures, "the scheduled job failed in part");
}

async function runSlices(
  sessions: readonly Session[],
  {
    env,
    now,
    statements,
  }: {
    readonly env: RetentionEnv & NoticesEnv & TellEnv;
    readonly now: () => number;
    readonly statements: { left: number };
  },
): Promise<unknown[]> {
  const start = now();
  const mails = mailsOfARun(env);
  const tasksOf = (session: Session): Task[] => [
    ...[continueMerge, deleteLeftovers, deletePanelistLeftovers, deleteClearedLeftovers, indexSlice].map((runSlice) => {
      const position = startPosition();
      return () => runSlice(session, position);
    }),
    ...EXPIRING.map((kind) => () => deleteExpired(session, kind, start - kind.keptMs)),
    ...RETAINED.map((kind) => async () => deleteExpired(session, kind, start - readKeptMs(env, kind.setting))),
    () => deleteOldRevocations(session, start),
    async () => deleteOldChanges(session, start, readKeptMs(env, "CHANGE_DAYS")),
    () => tellOfExpiry(session, start),
    () => tellOfSiteTokens(session, start),
    () => tellOfFailures(session),
    () => closeSurveys(session),
    () => deleteOldMails(session, start),
    ...tellingPeople(session, { env, now: start, mails, calls: statements, databases: sessions.length }),
    ...tellingMembers(session, { env, now: start, mails, calls: statements, databases: sessions.length }),
    // One slice in a run bounds the e-mails.
    () => sendNotices(session, env, start).then(() => false),
  ];
  const waiting = sessions.map(tasksOf);
  const failures: unknown[] = [];
  const work = async () => {
    while (statements.left >= STATEMENTS_OF_A_SLICE && now() - start < SLICES_MS) {
      // A database leaves the queue while it is worked on, so one that hangs stops only one lane.
      const tasks = waiting.shift();
      const task = tasks?.shift();
      if (tasks === undefined || task === undefined) return;
      statements.left -= STATEMENTS_OF_A_SLICE;
      try {
        if (await task()) tasks.push(task);
        else statements.left += STATEMENTS_OF_A_SLICE - 1;
      } catch (error) {
        logError("the scheduled job could not do a slice; the next run tries again", error);
        failures.push(error);
      }
      if (tasks.length > 0) waiting.push(tasks);
    }
  };
  await Promise.all(sessions.slice(0, LANES).map(work));
  return failures;
}
