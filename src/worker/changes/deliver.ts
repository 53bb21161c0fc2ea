/**
 * Delivers changes to webhooks: one change in a request, in the log's order, from the webhook's place on. The place moves only
 * when the receiver has answered 2xx. Deliveries begin after the answer to a write (`deliverSoon`), or in the scheduled job
 * (`deliverDue`), which alone repeats failed ones. Both claim the webhook first.
 */
import { listUndelivered } from "../database/changes.ts";
import {
  type AccountOfWebhooks,
  type ClaimedWebhook,
  claimWebhook,
  type DueWebhook,
  record,
  release,
  selectDue,
  selectWaiting,
} from "../database/webhook-deliveries.ts";
import type { PrimarySession } from "../store/databases.ts";
import { DEADLINE_MS, hasSettledWithin } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { attempt } from "./attempt.ts";
import { delayAfter, isDelivered, stateAfter } from "./schedule.ts";
import type { Send } from "./send.ts";

/** This many changes are read together. Each is sent and recorded by itself. */
const ROWS = 10;
/** The number of statements that claim a webhook and read its changes. */
const STATEMENTS_TO_READ = 9;

/** The limits of deliveries. None begins after `endsAt` (Unix milliseconds), or when the statements are used up. */
export type Allowance = { readonly endsAt: number; readonly statements: { left: number } };

const isUsedUp = ({ endsAt, statements }: Allowance): boolean => Date.now() >= endsAt || statements.left <= 0;

/** Delivers until an attempt fails, nothing waits, or the allowance is used up. Rejects when the database does not answer. */
export async function deliver(session: Session, id: string, send: Send, allowance: Allowance): Promise<void> {
  while (!isUsedUp(allowance)) {
    allowance.statements.left -= STATEMENTS_TO_READ;
    const webhook = await claimWebhook(session, id);
    if (webhook === undefined || !(await deliverClaimed(session, webhook, send, allowance))) return;
  }
}

/** Whether something is left to deliver. False when an attempt has failed, and when the claim was lost. */
async function deliverClaimed(
  session: Session,
  webhook: ClaimedWebhook,
  send: Send,
  allowance: Allowance,
): Promise<boolean> {
  const { changes, passed, missed } = (await listUndelivered(session, webhook, ROWS)) ?? {
    changes: [],
    passed: webhook.number,
    missed: 0,
  };
  if (changes.length === 0) {
    allowance.statements.left -= 1;
    return (await record(session, webhook, { reached: passed, isLast: true, missed }))?.isDue ?? false;
  }
  let claimed = { ...webhook, isDue: true };
  for (const [index, { id, number, change }] of changes.entries()) {
    // The claim lasts longer than the allowance, however long the database took to answer. A claim that is not released here ends
    // by itself.
    if (Date.now() >= allowance.endsAt) return false;
    allowance.statements.left -= 1;
    const made = await attempt(send, webhook, { id, payload: change });
    const failure = isDelivered(made.answer)
      ? undefined
      : {
          state: stateAfter(made.answer, claimed.failingMs),
          delayMs: delayAfter(claimed.attempts, made.answer, Math.random(), Date.now()),
        };
    const going = await record(session, claimed, {
      // The changes that were passed over before stay so, and the failed change is the next one.
      reached: failure ? number - 1 : number,
      attempt: made.attempt,
      failure,
      isLast: failure !== undefined || index === changes.length - 1 || isUsedUp(allowance),
      missed: index === 0 ? missed : 0,
    });
    if (failure || going === undefined) return false;
    claimed = { ...claimed, ...going, attempts: 0, failingMs: 0 };
    if (going.claimedUntil === 0) break;
    if (isUsedUp(allowance)) {
      // The allowance was used up while the attempt was recorded.
      await release(session, claimed);
      break;
    }
  }
  return claimed.isDue;
}

/**
 * Finds the webhooks that a write makes due. Each round trip of `primary` sets `waiting` to those of the account's webhooks that
 * are delivered after the answer.
 */
export function watchWebhooks(
  primary: PrimarySession,
  account: AccountOfWebhooks,
): { readonly waiting: readonly string[] } {
  const watched: { waiting: readonly string[] } = { waiting: [] };
  primary.attach(selectWaiting(account), (rows) => {
    watched.waiting = rows.map(({ id }) => id);
  });
  return watched;
}

/**
 * Deliveries may begin until this long after an answer: Workers ends the work after an answer when 30 seconds have passed, and an
 * attempt takes up to 15.
 */
const SOON_MS = 12_000;
/** Of the 1,000 statements that an invocation may send. */
const STATEMENTS_SOON = 500;

/** Makes the first attempts, after the answer to a write. Webhooks do not wait for each other's receivers. */
export async function deliverSoon(session: Session, ids: readonly string[], send: Send): Promise<void> {
  const allowance = { endsAt: Date.now() + SOON_MS, statements: { left: STATEMENTS_SOON } };
  const deliveries = ids.map((id) =>
    deliver(session, id, send, allowance).catch((error: unknown) => {
      console.warn("a delivery was not made, or not recorded; the scheduled job goes on with it", error);
    }),
  );
  await Promise.all(deliveries);
}

/** The job spends at most this long on one account in a run, then serves the next one. */
const ACCOUNT_MS = 10_000;
/** A run calls this many receivers at the same time. Workers opens six connections for an invocation. */
const LANES = 4;
const DUE_AT_MOST = 100;

type Due = DueWebhook & { readonly session: Session };

/**
 * Delivers the due changes of all databases. A database that takes more than two seconds to list its own is served after the
 * others. Rejects with the failures when the rest is done.
 */
export async function deliverDue(sessions: readonly Session[], send: Send, allowance: Allowance): Promise<void> {
  const failures: unknown[] = [];
  const selected = sessions.map(async (session): Promise<readonly Due[]> => {
    allowance.statements.left -= 3;
    try {
      return (await selectDue(session, DUE_AT_MOST)).map((each) => ({ ...each, session }));
    } catch (error) {
      failures.push(error);
      return [];
    }
  });
  const isSoon = await Promise.all(selected.map((due) => hasSettledWithin(DEADLINE_MS.withFallback, due)));
  for (const soon of [true, false]) {
    const due = await Promise.all(selected.filter((_, index) => isSoon[index] === soon));
    failures.push(...(await deliverInOrder(due.flat(), send, allowance)));
  }
  if (failures.length > 0) throw new AggregateError(failures, "some deliveries were not made, or not recorded");
}

/**
 * Delivers in the order of due times, account by account. Accounts with a webhook that has not failed come first, so that none
 * waits behind receivers that hang. One lane serves the other accounts first, with its own share of the statements. Returns the
 * failures.
 */
async function deliverInOrder(due: readonly Due[], send: Send, allowance: Allowance): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const inOrder = due.toSorted((one, other) => one.hasFailed - other.hasFailed || one.dueAt - other.dueAt);
  const accounts = [...Map.groupBy(inOrder, ({ accountId }) => accountId).values()];
  const first = accounts.filter(([next]) => next?.hasFailed === 0);
  const failed = accounts.filter(([next]) => next?.hasFailed === 1);
  const serve = async (queues: readonly (typeof accounts)[], share: Allowance) => {
    while (!isUsedUp(share)) {
      const webhooks = queues.find((queue) => queue.length > 0)?.shift();
      if (webhooks === undefined) return;
      const endsAt = Math.min(share.endsAt, Date.now() + ACCOUNT_MS);
      for (const [index, { id, session }] of webhooks.entries()) {
        // Each account gets a part of the remaining time, so that a slow one does not use it all.
        const now = Date.now();
        const part = now + (endsAt - now) / (webhooks.length - index);
        await deliver(session, id, send, { ...share, endsAt: part }).catch((error: unknown) => failures.push(error));
      }
    }
  };
  const share = { ...allowance, statements: { left: Math.floor(allowance.statements.left / LANES) } };
  allowance.statements.left -= share.statements.left;
  const lanes = Array.from({ length: LANES - 1 }, () => serve([first, failed], allowance));
  await Promise.all([serve([failed, first], share), ...lanes]);
  return failures;
}
