/** What must be true of the deliveries after each crash, by what the receivers have seen and what the database file says. Each fault is one line. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { ACCOUNT_EVENT_TYPES } from "../../src/worker/model/account-event.ts";
import { nameOf, type Receiver } from "./receivers.ts";
import { ask, send } from "./scene.ts";

/** Wrangler's own path: it runs the scheduled job. */
const JOB_PATH = "/cdn-cgi/local/scheduled";
const HOUR_MS = 3_600_000;
/** A run of the job delivers for ten seconds. */
const JOBS = 30;
const PAUSE_MS = 500;

type Row = { number: number; change: string };

/** The log after the place in which the account's webhooks were made, without what these have not chosen: what each has to deliver, in its order. */
function changesOf(database: DatabaseSync, webhookId: string, after: number): Row[] {
  return database
    .prepare(
      `SELECT l.* FROM change_log l JOIN webhooks w ON w.account_id = l.account_id WHERE w.id = ? AND l.number > ?
         AND l.type NOT IN (SELECT value FROM json_each(?)) ORDER BY l.number`,
    )
    .all(webhookId, after, JSON.stringify(ACCOUNT_EVENT_TYPES))
    .map(({ number, type, idea_bank_id, proposal_id, comment_id, panelist_id }) => ({
      number: Number(number),
      change: nameOf(type, idea_bank_id, proposal_id, comment_id, panelist_id),
    }));
}

export function placeOf(database: DatabaseSync, { webhookId }: Receiver): number {
  return Number(database.prepare("SELECT number FROM webhooks WHERE id = ?").get(webhookId)?.number);
}

/**
 * Each change in the log's order, with one webhook-id; the next only when the one before was taken; and the place passes none that was not.
 * `after`: the place in which the webhook was made.
 */
export function faultsOfDeliveries(database: DatabaseSync, receiver: Receiver, after: number): string[] {
  const faults = receiver.faults.splice(0);
  const changes = changesOf(database, receiver.webhookId, after);
  const taken = new Map<string, boolean>();
  let last = "";
  for (const { id, change, taken: isTaken } of receiver.received) {
    if (id !== last && taken.has(id)) faults.push(`${id} was sent again after ${last}`);
    if (id !== last && taken.get(last) === false) faults.push(`${id} was sent before ${last} was taken`);
    if (!taken.has(id)) {
      const expected = changes[taken.size]?.change;
      if (change !== expected) return [...faults, `${id} is "${change}"; the log has "${expected}"`];
    }
    taken.set(id, isTaken || (taken.get(id) ?? false));
    last = id;
  }
  const place = placeOf(database, receiver);
  const passed = changes.filter(({ number }) => number <= place).length;
  const delivered = [...taken.values()].filter(Boolean).length;
  if (passed > delivered) faults.push(`the place has passed ${passed} changes, and ${delivered} were taken`);
  return faults;
}

/** As if an hour had passed since the crash: what has failed is due, and the claim of who was killed is over. While no server runs. */
export function passAnHour(database: DatabaseSync): void {
  database.prepare("UPDATE webhooks SET due_at = due_at - ?1, claimed_until = max(0, claimed_until - ?1)").run(HOUR_MS);
}

const runJob = (url: string) => ask(url + JOB_PATH);

/** Runs the scheduled job again and again, until it is killed with the server. */
export async function runJobs(url: string): Promise<void> {
  for (;;) {
    const answer = await send(url + JOB_PATH).catch(() => undefined);
    if (answer === undefined) return;
    await setTimeout(PAUSE_MS);
  }
}

/** With receivers that take everything: until nothing waits. */
export async function deliverAll(url: string): Promise<string[]> {
  let waiting: number[] = [];
  for (let job = 0; job < JOBS; job++) {
    await runJob(url);
    const { items } = (await ask(`${url}/account/api/webhooks`)) as { items: { waiting: number }[] };
    waiting = items.map((webhook) => webhook.waiting);
    if (waiting.every((changes) => changes === 0)) return [];
    await setTimeout(PAUSE_MS);
  }
  return [`changes were never delivered: ${waiting.join(" and ")}`];
}
