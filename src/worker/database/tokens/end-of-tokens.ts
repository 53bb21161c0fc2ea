/** Ends all tokens of an account, of every kind, by one statement: whatever the account has given out, nothing else is written. */
import type { Owner } from "../../model/account-key.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import type { AuditStamp } from "../activity/audit-events.ts";
import { notDoneBefore } from "../idempotency.ts";
import { IS_ADMIN } from "../members/membership.ts";
import { changeOnce, type Repeated, toRepeated } from "../repeated-changes.ts";
import { ACCOUNT_ENDED_NOW } from "./token-dates.ts";

/** `tokensEndedAt` is in Unix milliseconds; `accountEpoch` counts how often it was done. */
export type EndOfTokens = { readonly accountEpoch: number; readonly tokensEndedAt: number };

/** Ending them is never refused. At most one event an hour is recorded of a person, so that it pushes out no others. */
const EVENT_INTERVAL_MS = 3_600_000;

const selectEnd = (accountId: string) =>
  prepare<EndOfTokens>(
    `SELECT token_epoch AS accountEpoch, tokens_ended_at AS tokensEndedAt FROM accounts
     WHERE id = :accountId AND tokens_ended_at IS NOT NULL`,
    { accountId },
  );

/** Null when it was never done. */
export const loadEndOfTokens = (session: Session, accountId: string): Promise<EndOfTokens | null> =>
  session.first(selectEnd(accountId));

/**
 * Dated by the rule of token-dates.ts. A request that was made before under its Idempotency-Key ends nothing, and gets the end that it
 * made then, or a later one. Null when the person is not a member any more.
 */
export async function endAllTokens(
  session: Session,
  {
    owner,
    accountId,
    stamp,
    idempotencyKey,
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly stamp: AuditStamp;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<EndOfTokens | Repeated | null> {
  const values = { ...owner, ...stamp, accountId, idempotencyKey: idempotencyKey?.key };
  const { before, after } = changeOnce(owner.email, idempotencyKey, accountId);
  const { recalled, ended, end } = await session.batch({
    ...before,
    ended: prepare<{ id: string }>(
      `UPDATE accounts SET token_epoch = token_epoch + 1, tokens_ended_at = ${ACCOUNT_ENDED_NOW}
       WHERE id = :accountId AND ${IS_ADMIN} AND ${notDoneBefore()} RETURNING id`,
      values,
    ),
    // Before the event, so that an end without an event is remembered, too.
    ...after,
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at)
       SELECT :eventId, :accountId, 'tokens-ended', NULL, '', :actor, :address, :now WHERE changes() > 0 AND NOT EXISTS (
         SELECT 1 FROM audit_events e WHERE e.account_id = :accountId AND e.created_at > :now - ${EVENT_INTERVAL_MS}
           AND e.event = 'tokens-ended' AND e.actor IS :actor)`,
      values,
    ),
    end: selectEnd(accountId),
  });
  const done = toRepeated(recalled, idempotencyKey);
  if (done === "key-reused") return done;
  return ended.length > 0 || done !== undefined ? (end[0] ?? null) : null;
}
