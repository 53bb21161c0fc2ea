/** The epochs of the secrets with which a tenant's server signs tokens. Null for an idea bank that is not the tenant's. */
import type { IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { SigningEpochs } from "../../model/signed-token.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type DailyAct, recordOnceADay } from "../activity/daily-events.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "../idempotency.ts";
import { afterRotation } from "./secret-rotation.ts";

export type EpochColumns = {
  readonly signing_epoch: number;
  readonly signing_previous_until: number | null;
  readonly signing_older: string | null;
  readonly signing_token_epoch: number;
  readonly token_epoch: number;
};
/** Columns of an idea bank joined with its account. */
export const EPOCH_COLUMNS = "signing_epoch, signing_previous_until, signing_older, signing_token_epoch, token_epoch";

export const toEpochs = (row: EpochColumns): SigningEpochs => ({
  accountEpoch: row.token_epoch,
  signingEpoch: row.signing_epoch,
  earlierEpochs: row.signing_token_epoch === row.token_epoch ? toEarlier(row) : [],
});

const toEarlier = (row: EpochColumns): SigningEpochs["earlierEpochs"] => [
  ...(row.signing_previous_until === null ? [] : [[row.signing_epoch - 1, row.signing_previous_until] as const]),
  ...(JSON.parse(row.signing_older ?? "[]") as [number, number][]),
];

const selectEpochs = (accountId: string, ideaBankId: string) =>
  prepare<EpochColumns>(
    `SELECT ${EPOCH_COLUMNS} FROM idea_banks b JOIN accounts a ON a.id = b.account_id
     WHERE b.account_id = :accountId AND b.id = :ideaBankId`,
    { accountId, ideaBankId },
  );

export async function loadSigningEpochs(session: Session, accountId: string, ideaBankId: string) {
  const row = await session.first(selectEpochs(accountId, ideaBankId));
  return row && toEpochs(row);
}

/** The first reading of a day, whichever secret it is. */
const recordReading = (accountId: string, ideaBankId: string, reader: DailyAct) =>
  recordOnceADay(
    { ...reader, event: "signing-secret-read" },
    "EXISTS (SELECT 1 FROM idea_banks WHERE id = :ideaBankId AND account_id = :accountId)",
    { accountId, ideaBankId },
  );

/** The signing epochs, for a key that gets the secret. */
export async function readSigningEpochs(
  session: Session,
  {
    accountId,
    ideaBankId,
    reader,
  }: { readonly accountId: string; readonly ideaBankId: string; readonly reader: DailyAct },
): Promise<SigningEpochs | null> {
  const { epochs } = await session.batch({
    recorded: recordReading(accountId, ideaBankId, reader),
    epochs: selectEpochs(accountId, ideaBankId),
  });
  return epochs[0] ? toEpochs(epochs[0]) : null;
}

/** SQL: the end of a grace that is over by every clock. */
export const OVER = "0";

const TOKEN_EPOCH = "(SELECT token_epoch FROM accounts WHERE id = :accountId)";
/** When all tokens were ended, so were the graces of before. */
const stillGood = (column: string) => `iif(signing_token_epoch = ${TOKEN_EPOCH}, ${column}, NULL)`;

const ROTATED = afterRotation(
  {
    newest: "signing_epoch",
    previous: "signing_epoch - 1",
    previousUntil: stillGood("signing_previous_until"),
    older: stillGood("signing_older"),
  },
  { until: ":until", now: ":now" },
);

type Rotation = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly graceSeconds: number;
  readonly reader: DailyAct;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** Starts a new epoch (secret-rotation.ts). `epochs` is the state afterwards, for a replay too. */
export async function rotateSigningSecret(
  session: Session,
  { accountId, ideaBankId, graceSeconds, reader, idempotencyKey }: Rotation,
): Promise<{ readonly result: IdempotentResult<null>; readonly epochs: SigningEpochs | null }> {
  // The release 1.0.0 takes NULL for a time that has not come. And a Worker's present may be D1's future.
  const sql = `UPDATE idea_banks SET signing_epoch = signing_epoch + 1, signing_previous_until = coalesce(${ROTATED.previousUntil}, ${OVER}),
      signing_older = ${ROTATED.older}, signing_token_epoch = ${TOKEN_EPOCH}
    WHERE account_id = :accountId AND id = :ideaBankId AND ${notDoneBefore()} RETURNING id`;
  const { now } = reader;
  const until = graceSeconds === 0 ? null : now + graceSeconds * 1000;
  const { epochs, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { ideaBankId, until, now } }),
    recorded: recordReading(accountId, ideaBankId, reader),
    epochs: selectEpochs(accountId, ideaBankId),
  });
  return { result: toDeleted(results, idempotencyKey), epochs: epochs[0] ? toEpochs(epochs[0]) : null };
}
