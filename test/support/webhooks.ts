/** Webhooks and their receivers. A receiver verifies what it gets with the package `standardwebhooks`. */
import { Webhook as Verifier } from "standardwebhooks";
import { deliver } from "../../src/worker/deliveries/deliver.ts";
import type { ReceiverAnswer } from "../../src/worker/deliveries/schedule.ts";
import type { Send } from "../../src/worker/deliveries/send.ts";
import type { Change } from "../../src/worker/model/change.ts";
import { databaseOf, sessionOf } from "./databases.ts";
import { createIsolate } from "./isolate.ts";
import { runJob } from "./job.ts";
import { createPanel } from "./panel.ts";
import { newId } from "./world.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type Options = { url?: string; state?: string; types?: readonly string[]; secret?: string; format?: string };

/** Of the account, behind its newest change. */
export async function addWebhook(accountId: string, options: Options = {}): Promise<string> {
  const {
    url = "https://receiver.example/hook",
    state = "active",
    types,
    secret = SECRET,
    format = "standard",
  } = options;
  const id = newId(accountId);
  await databaseOf(id)
    .prepare(
      `INSERT INTO webhooks (id, account_id, url, types, secret, created_at, state, format, number)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce((SELECT max(number) FROM change_log WHERE account_id = ?2), 0))`,
    )
    .bind(id, accountId, url, types === undefined ? null : JSON.stringify(types), secret, Date.now(), state, format)
    .run();
  return id;
}

export type Delivery = { readonly url: string; readonly id: string; readonly body: Change };

/** What a receiver does with a delivery: a status, an answer, or nothing at all. */
export type Reaction = (delivery: Delivery) => number | ReceiverAnswer | Promise<number | ReceiverAnswer>;

/** `taken` is what was delivered: answered 2xx. `seen` is every request. Throws for a request whose signature is wrong. */
export function createReceiver(react: Reaction = () => 204, secrets: readonly string[] = [SECRET]) {
  const seen: Delivery[] = [];
  const taken: Delivery[] = [];
  const receiver = { react, seen, taken, secrets };
  const send: Send = async ({ url, headers, body }) => {
    for (const secret of receiver.secrets) new Verifier(secret).verify(body, { ...headers });
    const delivery = { url, id: headers["webhook-id"] ?? "", body: JSON.parse(body) as Change };
    seen.push(delivery);
    const reaction = await receiver.react(delivery);
    const answer = typeof reaction === "number" ? { status: reaction, retryAfter: null } : reaction;
    if (answer.status !== null && answer.status < 300) taken.push(delivery);
    return answer;
  };
  return Object.assign(receiver, { send });
}

export type Stored = {
  state: string;
  number: number;
  due_at: number | null;
  claimed_until: number;
  attempts: number;
  failing_since: number | null;
  missed: number;
  recent: string;
};

/** A tenant with an idea bank, a panelist and a webhook, whose receiver is `receiver`. */
export async function createWebhookScene(react?: Reaction, options: Options = {}) {
  const receiver = createReceiver(react);
  const isolate = createIsolate(undefined, undefined, receiver.send);
  const panel = await createPanel({}, isolate);
  const robin = await panel.panelist("Robin");
  const { accountId } = panel.bank;
  const database = databaseOf(accountId);
  const id = await addWebhook(accountId, options);
  const select = async <Row>(sql: string) => database.prepare(sql).bind(id).first<Row>();
  return {
    ...panel,
    robin,
    accountId,
    database,
    id,
    receiver,
    /** The types of what was delivered, in order. */
    types: () => receiver.taken.map(({ body }) => body.type),
    stored: async (): Promise<Stored> => {
      const row = await select<Stored>("SELECT * FROM webhooks WHERE id = ?1");
      if (row === null) throw new Error("the webhook is gone");
      return row;
    },
    newest: async () =>
      (
        await select<{ n: number }>(
          "SELECT max(number) AS n FROM change_log WHERE account_id = (SELECT account_id FROM webhooks WHERE id = ?1)",
        )
      )?.n ?? 0,
    /** As if so much time had passed since what the webhook's row says. */
    pass: (milliseconds: number) =>
      database
        .prepare(
          `UPDATE webhooks SET due_at = due_at - ?2, failing_since = failing_since - ?2, previous_until = previous_until - ?2,
             claimed_until = max(0, claimed_until - ?2) WHERE id = ?1`,
        )
        .bind(id, milliseconds)
        .run(),
    job: (bindings: { DB: D1Database } = { DB: database }) => runJob(bindings, Date.now, receiver.send),
    /** What one isolate does alone. */
    deliver: (binding: D1Database = database) =>
      deliver(sessionOf(binding), {
        id,
        send: receiver.send,
        allowance: { endsAt: Number.MAX_SAFE_INTEGER, statements: { left: 1_000 } },
      }),
  };
}
