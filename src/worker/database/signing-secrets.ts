/** The epochs of the secrets with which a tenant's server signs tokens. Null for an idea bank that is not the tenant's. */
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { SigningEpochs } from "../model/signed-token.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "./idempotency.ts";
import { afterRotation } from "./secret-rotation.ts";

export type EpochColumns = {
  readonly signing_epoch: number;
  readonly signing_previous_until: number | null;
  readonly signing_older: string | null;
};
export const EPOCH_COLUMNS = "signing_epoch, signing_previous_until, signing_older";

export const toEpochs = (row: EpochColumns): SigningEpochs => ({
  signingEpoch: row.signing_epoch,
  earlierEpochs: [
    ...(row.signing_previous_until === null ? [] : [[row.signing_epoch - 1, row.signing_previous_until] as const]),
    ...(JSON.parse(row.signing_older ?? "[]") as [number, number][]),
  ],
});

const selectEpochs = (accountId: string, ideaBankId: string) =>
  prepare<EpochColumns>(`SELECT ${EPOCH_COLUMNS} FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId`, {
    ...{ accountId, ideaBankId },
  });

export async function loadSigningEpochs(session: Session, accountId: string, ideaBankId: string) {
  const row = await session.first(selectEpochs(accountId, ideaBankId));
  return row && toEpochs(row);
}

const ROTATED = afterRotation(
  {
    newest: "signing_epoch",
    previous: "signing_epoch - 1",
    previousUntil: "signing_previous_until",
    older: "signing_older",
  },
  { until: ":until", now: ":now" },
);

type Rotation = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly graceSeconds: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** Starts a new epoch (secret-rotation.ts). `epochs` is the state afterwards, for a replay too. */
export async function rotateSigningSecret(
  session: Session,
  { accountId, ideaBankId, graceSeconds, now, idempotencyKey }: Rotation,
): Promise<{ readonly result: IdempotentResult<null>; readonly epochs: SigningEpochs | null }> {
  // The release 1.0.0 takes NULL for a time that has not come.
  const sql = `UPDATE idea_banks SET signing_epoch = signing_epoch + 1, signing_previous_until = coalesce(${ROTATED.previousUntil}, :now),
      signing_older = ${ROTATED.older}
    WHERE account_id = :accountId AND id = :ideaBankId AND ${notDoneBefore()} RETURNING id`;
  const until = graceSeconds === 0 ? null : now + graceSeconds * 1000;
  const { epochs, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { ideaBankId, until, now } }),
    epochs: selectEpochs(accountId, ideaBankId),
  });
  return { result: toDeleted(results, idempotencyKey), epochs: epochs[0] ? toEpochs(epochs[0]) : null };
}
