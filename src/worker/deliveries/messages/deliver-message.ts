/**
 * Delivers the changes that wait for a `slack` webhook as one message, and then none for a minute. Such receivers do not know a repeat, so
 * a message whose answer was lost is sent once more at most, with the same changes; then the next ones come.
 */
import { listUndelivered } from "../../database/changes/changes.ts";
import { selectNames } from "../../database/changes/names.ts";
import { type ClaimedWebhook, record, type StoredAttempt } from "../../database/webhooks/deliveries.ts";
import { MESSAGE_TYPES } from "../../model/webhook.ts";
import type { Session } from "../../store/session.ts";
import type { Allowance } from "../allowance.ts";
import { attempt } from "../attempt.ts";
import { failureOf, isUnclear } from "../schedule.ts";
import type { Send } from "../send.ts";
import { namedIn, renderMessage, toldOf } from "./render-message.ts";

/** A message tells of so many changes at most. */
const ROWS = 50;

/** The attempts since the last delivery or give-up of this message. */
const triesOf = ({ recent, attempts }: ClaimedWebhook, id: string | undefined): readonly StoredAttempt[] =>
  recent
    .filter((each) => each.id.startsWith("chg_"))
    .slice(0, attempts)
    .filter((each) => each.id === id);

/** Whether something is left that can be delivered now: never after a message. */
export async function deliverMessage(
  session: Session,
  {
    webhook,
    send,
    allowance,
  }: { readonly webhook: ClaimedWebhook; readonly send: Send; readonly allowance: Allowance },
): Promise<boolean> {
  const types = webhook.types ?? JSON.stringify(MESSAGE_TYPES);
  const undelivered = await listUndelivered(session, webhook, { rows: ROWS, types });
  const { changes, passed, missed } = undelivered ?? { changes: [], passed: webhook.number, missed: 0 };
  const first = toldOf(changes)[0];
  const tries = triesOf(webhook, first?.id);
  // A retry tells of the same changes. Those that came since are in the next message.
  const until = tries[0]?.until ?? Number.POSITIVE_INFINITY;
  const told = toldOf(changes.filter(({ number }) => number <= until));
  const reached = Math.min(until, changes.at(-1)?.number ?? passed);
  allowance.statements.left -= 2;
  if (first === undefined) return (await record(session, webhook, { reached, isLast: true, missed }))?.isDue ?? false;
  const { accountId } = webhook;
  const names = await selectNames(session, accountId, namedIn(told));
  const text = renderMessage(told, { names, desk: { accountId, signInUrl: send.signInUrl } });
  const { answer, attempt: made } = await attempt(send, webhook, {
    ...{ id: first.id, type: first.change.type },
    payload: { text },
  });
  const failure = failureOf(answer, webhook);
  const isGivenUp = isUnclear(answer) && tries.some(isUnclear);
  await record(session, webhook, {
    reached: failure && !isGivenUp ? first.number - 1 : reached,
    attempt: { ...made, changes: told.length, until: reached },
    failure,
    isLast: true,
    rests: true,
    missed,
  });
  return false;
}
