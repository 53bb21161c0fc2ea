/**
 * Delivers changes to webhooks: one change per request, in the log's order, from the webhook's place on. The place only moves
 * when the receiver has answered 2xx. Deliveries start after the answer to a write (after-answer.ts), or in the scheduled job
 * (`deliverDue`), which also retries failed ones. Both claim the webhook first.
 */
import { listUndelivered } from "../database/changes/changes.ts";
import {
  type ClaimedWebhook,
  claimWebhook,
  type DueWebhook,
  record,
  release,
  selectDue,
} from "../database/webhooks/deliveries.ts";
import { logWarning } from "../log.ts";
import { DEADLINE_MS, hasSettledWithin } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import type { Allowance } from "./allowance.ts";
import { attempt } from "./attempt.ts";
import { deliverMessage } from "./messages/deliver-message.ts";
import { failureOf } from "./schedule.ts";
import type { Send } from "./send.ts";

/** This many changes are read together. Each is sent and recorded by itself. */
const ROWS = 10;
/** The number of statements that claim a webhook and read its changes. */
const STATEMENTS_TO_READ = 11;

const isUsedUp = ({ endsAt, statements }: Allowance): boolean => Date.now() >= endsAt || statements.left <= 0;

/**
 * Delivers until an attempt fails, nothing waits, or the allowance is used up. True in the last case: something may be left. Rejects
 * when the database does not answer.
 */
export async function deliver(
  session: Session,
  { id, send, allowance }: { readonly id: string; readonly send: Send; readonly allowance: Allowance },
): Promise<boolean> {
  while (!isUsedUp(allowance)) {
    allowance.statements.left -= STATEMENTS_TO_READ;
    const webhook = await claimWebhook(session, id);
    if (webhook === undefined || !(await deliverClaimed(session, { webhook, send, allowance }))) return false;
  }
  return true;
}

/** Whether something is left to deliver. False when an attempt has failed, and when the claim was lost. */
async function deliverClaimed(
  session: Session,
  {
    webhook,
    send,
    allowance,
  }: { readonly webhook: ClaimedWebhook; readonly send: Send; readonly allowance: Allowance },
): Promise<boolean> {
  if (webhook.format === "slack") return deliverMessage(session, { webhook, send, allowance });
  const { changes, passed, missed } = (await listUndelivered(session, webhook, { rows: ROWS })) ?? {
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
    // The claim lasts longer than the allowance, however long the database took to answer.
    if (Date.now() >= allowance.endsAt) {
      await release(session, claimed);
      break;
    }
    allowance.statements.left -= 1;
    const made = await attempt(send, webhook, { id, type: change.type, payload: change });
    const failure = failureOf(made.answer, claimed);
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
 * Deliveries may begin until this long after an answer: Workers ends the work after an answer when 30 seconds have passed, and an
 * attempt takes up to 15.
 */
const SOON_MS = 12_000;
/** At most this many follow an answer. The scheduled job makes the others: no vote pays for a webhook that was moved back. */
const DELIVERIES_SOON = 40;
const STATEMENTS_SOON = DELIVERIES_SOON + (DELIVERIES_SOON / ROWS) * STATEMENTS_TO_READ;

/** Makes the first attempts. Webhooks do not wait for each other's receivers. */
export async function deliverSoon(session: Session, ids: readonly string[], send: Send): Promise<void> {
  const allowance = { endsAt: Date.now() + SOON_MS, statements: { left: STATEMENTS_SOON } };
  const deliveries = ids.map((id) =>
    deliver(session, { id, send, allowance }).catch((error: unknown) => {
      logWarning("a delivery was not made, or not recorded; the scheduled job goes on with it", error);
    }),
  );
  await Promise.all(deliveries);
}

/** The job spends at most this long on one account, then serves the next one. If no other account waits, it gets the next turn at once. */
const TURN_MS = 10_000;
/** A run calls this many receivers at the same time. Workers opens six connections for an invocation. */
const LANES = 4;
const DUE_AT_MOST = 100;

type Due = DueWebhook & { readonly session: Session };
/** The due webhooks of one account. */
type Account = readonly Due[];
/** The accounts that wait for a turn. In `failed`, each webhook has failed since its last delivery. */
type Waiting = { readonly first: Account[]; readonly failed: Account[] };

/**
 * Delivers the due changes of all databases. A database that takes more than two seconds to list its own is served after the
 * others. Rejects with the failures when the rest is done.
 */
export async function deliverDue(sessions: readonly Session[], send: Send, allowance: Allowance): Promise<void> {
  const failures: unknown[] = [];
  const waiting: Waiting = { first: [], failed: [] };
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
  const soon = await Promise.all(selected.filter((_, index) => isSoon[index]));
  enqueue(waiting, soon.flat());
  const late = selected.filter((_, index) => !isSoon[index]).map(async (due) => enqueue(waiting, await due));
  const report = (error: unknown) => void failures.push(error);
  await serveAll(waiting, { send, allowance, report });
  await Promise.all(late);
  await serveAll(waiting, { send, allowance, report });
  if (failures.length > 0) throw new AggregateError(failures, "some deliveries were not made, or not recorded");
}

/** Puts the accounts in the order of their due times, those with a webhook that has not failed first. */
function enqueue({ first, failed }: Waiting, due: readonly Due[]): void {
  const inOrder = due.toSorted((one, other) => one.hasFailed - other.hasFailed || one.dueAt - other.dueAt);
  const accounts = [...Map.groupBy(inOrder, ({ accountId }) => accountId).values()];
  first.push(...accounts.filter(([next]) => next?.hasFailed === 0));
  failed.push(...accounts.filter(([next]) => next?.hasFailed === 1));
}

/**
 * Serves accounts in turns. An account that has something left after its turn waits behind all the others for the next one. One lane
 * serves the accounts that have failed first, with its own share of the statements: then no account waits behind receivers that hang.
 */
async function serveAll(
  { first, failed }: Waiting,
  {
    send,
    allowance,
    report,
  }: { readonly send: Send; readonly allowance: Allowance; readonly report: (error: unknown) => void },
): Promise<void> {
  const serve = async (queues: readonly Account[][], share: Allowance) => {
    while (!isUsedUp(share)) {
      const waiting = first.length + failed.length;
      const account = queues.find((queue) => queue.length > 0)?.shift();
      if (account === undefined) return;
      const turn = { ...share, endsAt: Math.min(share.endsAt, Date.now() + TURN_MS) };
      const left = await withPart(turn, { statements: waiting }, (part) =>
        serveAccount(account, { send, turn: part, report }),
      );
      if (left.length > 0) first.push(left);
    }
  };
  const share = { ...allowance, statements: { left: Math.floor(allowance.statements.left / LANES) } };
  allowance.statements.left -= share.statements.left;
  const lanes = Array.from({ length: LANES - 1 }, () => serve([first, failed], allowance));
  const lane = serve([failed, first], share).then(() => {
    allowance.statements.left += share.statements.left;
  });
  await Promise.all([...lanes, lane]);
}

/** Gives each webhook a part of the turn, so that a slow one does not use it all. Returns the webhooks that have something left. */
async function serveAccount(
  account: Account,
  { send, turn, report }: { readonly send: Send; readonly turn: Allowance; readonly report: (error: unknown) => void },
): Promise<Account> {
  const left: Due[] = [];
  for (const [index, webhook] of account.entries()) {
    const parts = account.length - index;
    const isLeft = await withPart(turn, { time: parts, statements: parts }, (part) =>
      deliver(webhook.session, { id: webhook.id, send, allowance: part }),
    ).catch(report);
    if (isLeft) left.push(webhook);
  }
  return left;
}

/** Runs with one of several equal parts of the allowance. Statements that the part does not use are given back. */
async function withPart<Done>(
  { endsAt, statements }: Allowance,
  parts: { readonly time?: number; readonly statements: number },
  use: (part: Allowance) => Promise<Done>,
): Promise<Done> {
  const now = Date.now();
  const left = Math.ceil(statements.left / parts.statements);
  const part = { endsAt: now + (endsAt - now) / (parts.time ?? 1), statements: { left } };
  statements.left -= left;
  try {
    return await use(part);
  } finally {
    statements.left += part.statements.left;
  }
}
