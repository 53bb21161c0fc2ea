/** The first attempts of what a request has changed, once it is answered. */
import { type AccountOfWebhooks, selectWaiting } from "../database/webhooks/deliveries.ts";
import type { Caller } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import { type Outside, type Send, sendOutside } from "./send.ts";

/**
 * Finds the webhooks that a write makes due. Each round trip of the returned session sets `waiting` to those of the account's
 * webhooks that are delivered after the answer.
 */
export function watchWebhooks(
  session: Session,
  account: AccountOfWebhooks,
): { readonly session: Session; readonly waiting: readonly string[] } {
  const watched: { readonly session: Session; waiting: readonly string[] } = {
    waiting: [],
    session: session.with({
      after: [selectWaiting(account)],
      answered: (rows) => {
        watched.waiting = rows.map(({ id }) => id);
      },
    }),
  };
  return watched;
}

/** A request that has changed something. */
type Changer = Pick<Caller, "executionCtx" | "get"> & { readonly env: Outside };

/** Makes the first attempts to the webhooks that wait, once the request is answered. */
export function deliverAfterAnswer(
  changer: Changer,
  { session, waiting, send }: { readonly session: Session; readonly waiting: readonly string[]; readonly send: Send },
): void {
  if (waiting.length === 0) return;
  const deliverEach = async () => {
    // With what every kind of change looks like: most isolates never need it.
    const { deliverSoon } = await import("./deliver.ts");
    await deliverSoon(session, waiting, sendOutside(send, changer.env));
  };
  const budget = changer.get?.("budget");
  changer.executionCtx.waitUntil(budget === undefined ? deliverEach() : budget.afterAnswer(deliverEach));
}

/** Makes a change in the account, with a session of the same database. Its webhooks get what is due after the answer. */
export async function withDeliveries<Answer>(
  changer: Changer,
  { session, account, send }: { readonly session: Session; readonly account: AccountOfWebhooks; readonly send: Send },
  change: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  const watched = watchWebhooks(session, account);
  try {
    return await change(watched.session);
  } finally {
    deliverAfterAnswer(changer, { session, waiting: watched.waiting, send });
  }
}
