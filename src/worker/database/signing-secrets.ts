/** The epoch of the secret with which a tenant's server signs tokens. Null for an idea bank that is not the tenant's. */
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { SigningEpochs } from "../model/signed-token.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "./idempotency.ts";

const selectEpochs = (accountId: string, ideaBankId: string) =>
  prepare<SigningEpochs>(
    `SELECT signing_epoch AS signingEpoch, signing_previous_until AS signingPreviousUntil FROM idea_banks
     WHERE account_id = :accountId AND id = :ideaBankId`,
    { accountId, ideaBankId },
  );

export const loadSigningEpochs = (session: Session, accountId: string, ideaBankId: string) =>
  session.first(selectEpochs(accountId, ideaBankId));

type Rotation = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly graceSeconds: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** Starts a new epoch; the previous secret stays good for `graceSeconds`. `epochs` is the state afterwards, for a replay too. */
export async function rotateSigningSecret(
  session: Session,
  { accountId, ideaBankId, graceSeconds, now, idempotencyKey }: Rotation,
): Promise<{ readonly result: IdempotentResult<null>; readonly epochs: SigningEpochs | null }> {
  const sql = `UPDATE idea_banks SET signing_epoch = signing_epoch + 1, signing_previous_until = :until
    WHERE account_id = :accountId AND id = :ideaBankId AND ${notDoneBefore()} RETURNING id`;
  const { epochs, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { ideaBankId, until: now + graceSeconds * 1000 } }),
    epochs: selectEpochs(accountId, ideaBankId),
  });
  return { result: toDeleted(results, idempotencyKey), epochs: epochs[0] ?? null };
}
