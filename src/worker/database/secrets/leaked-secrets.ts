/** Secrets of webhooks and for signing tokens that were found in public. Each is rotated without a grace (secret-rotation.ts). */
import type { SigningEpochs } from "../../model/signed-token.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { UNCOUNTED_A_DAY } from "../activity/audit-events.ts";
import { EVENT_OF_LEAK, isNews, type Leak, leakedEvent, leaksOfToday, type Report } from "../tokens/leaked-tokens.ts";
import { DATABASE_NOW, withNewSecret } from "../webhooks/deliveries.ts";
import { EPOCH_COLUMNS, type EpochColumns, OVER, rotateSigningSecret, toEpochs } from "./signing-secrets.ts";

/** The first characters are an index's: the prefix and eight more. */
const BEGINNING = 14;
const begins = (column: string, with_: string) =>
  `substr(${column}, 1, ${BEGINNING}) = substr(${with_}, 1, ${BEGINNING}) AND ${column} = ${with_}`;

/** `newSecret` is what follows it. */
type LeakedWebhookSecret = Leak & { readonly text: string; readonly newSecret: string };

/** The texts that are secrets of a webhook here, also from before a rotation. A webhook's place is found by an index. */
export async function rotateLeakedWebhooks(
  session: Session,
  { found, reporter, now }: Report<LeakedWebhookSecret>,
): Promise<readonly string[]> {
  const values = { found: JSON.stringify(found), reporter, now };
  const matching = (column: string) =>
    `FROM json_each(:found) r CROSS JOIN webhooks w ON ${begins(`w.${column}`, "r.value ->> '$.text'")}`;
  const isRecorded = "EXISTS (SELECT 1 FROM audit_events WHERE id = r.value ->> '$.eventId')";
  const audit = (column: string, ended: string, condition = "TRUE") =>
    prepare(
      `${EVENT_OF_LEAK} SELECT r.value ->> '$.eventId', a.id, 'leaked', NULL, w.url, w.id, :reporter,
         :now, ${leakedEvent("'webhook-secret'", ended, "'webhookId', w.id")}
       ${matching(column)} CROSS JOIN accounts a ON a.id = w.account_id WHERE ${condition} AND ${isNews("'webhook-secret'", "webhookId", "w.id")}`,
      values,
    );
  const update = (column: string, set: string) =>
    prepare(
      `UPDATE webhooks SET ${set}, changed_at = :now FROM json_each(:found) r CROSS JOIN accounts a
       WHERE ${begins(`webhooks.${column}`, "r.value ->> '$.text'")} AND a.id = webhooks.account_id
         AND NOT a.marks_leaked_keys AND ${isRecorded}`,
      values,
    );
  const { known, knownBefore } = await session.batch({
    known: prepare<{ text: string }>(`SELECT w.secret AS text ${matching("secret")}`, values),
    knownBefore: prepare<{ text: string }>(`SELECT w.previous_secret AS text ${matching("previous_secret")}`, values),
    audited: audit("secret", "'secret'"),
    auditedBefore: audit("previous_secret", "'old secret'", `w.previous_until > ${DATABASE_NOW}`),
    ended: update("previous_secret", "previous_secret = NULL, previous_until = NULL, older_secrets = NULL"),
    rotated: update("secret", withNewSecret("NULL", "r.value ->> '$.newSecret'")),
  });
  return [...known, ...knownBefore].map(({ text }) => text);
}

type LeakedSigningSecret = Leak & { readonly text: string; readonly hash: string };

/** Hashes of secrets that were handed out. Storing a newer epoch deletes the older ones. */
export async function rememberSigningSecret(
  session: Session,
  secret: {
    readonly hash: string;
    readonly accountId: string;
    readonly ideaBankId: string;
    readonly accountEpoch: number;
    readonly epoch: number;
  },
): Promise<void> {
  await session.batch({
    forgotten: prepare(
      `DELETE FROM signing_secrets WHERE idea_bank_id = :ideaBankId AND (account_epoch < :accountEpoch OR epoch < :epoch - ${KEPT_EPOCHS})
         AND NOT EXISTS (SELECT 1 FROM signing_secrets WHERE hash = :hash)`,
      secret,
    ),
    remembered: prepare(
      `INSERT INTO signing_secrets (hash, account_id, idea_bank_id, account_epoch, epoch)
       SELECT :hash, :accountId, id, :accountEpoch, :epoch FROM idea_banks WHERE id = :ideaBankId AND account_id = :accountId
       ON CONFLICT DO NOTHING`,
      secret,
    ),
  });
}
/** More than secrets that are good at a time. */
const KEPT_EPOCHS = 8;

type SigningRow = EpochColumns & {
  hash: string;
  account_id: string;
  idea_bank_id: string;
  epoch: number;
  account_epoch: number;
  marks: number;
};

/** Further ones are rotated when the report comes again: each is a round trip. */
const MOST_ROTATIONS = 50;

/**
 * Rotates the texts that are this deployment's signing secrets. One that no longer verifies anything changes nothing. `ended`: the epochs
 * of those idea banks afterwards, so that this isolate knows them at once.
 */
export async function rotateLeakedSigningSecrets(
  session: Session,
  { found, reporter, now }: Report<LeakedSigningSecret>,
): Promise<{
  readonly known: readonly string[];
  readonly ended: readonly { readonly ideaBankId: string; readonly epochs: SigningEpochs }[];
}> {
  const rows = await session.all(
    prepare<SigningRow>(
      `SELECT s.hash, s.account_id, s.idea_bank_id, s.epoch, s.account_epoch, a.marks_leaked_keys AS marks, ${EPOCH_COLUMNS}
       FROM json_each(:found) r CROSS JOIN signing_secrets s ON s.hash = r.value ->> '$.hash'
       CROSS JOIN idea_banks b ON b.id = s.idea_bank_id CROSS JOIN accounts a ON a.id = b.account_id`,
      { found: JSON.stringify(found) },
    ),
  );
  const leaks = new Map(found.map((leak) => [leak.hash, leak]));
  const known: string[] = [];
  const ended: { ideaBankId: string; epochs: SigningEpochs }[] = [];
  let rotations = 0;
  for (const row of rows) {
    const leak = leaks.get(row.hash);
    if (leak === undefined) continue;
    known.push(leak.text);
    const epochs = toEpochs(row);
    const isNewest = row.account_epoch === epochs.accountEpoch && row.epoch === epochs.signingEpoch;
    const isEarlier =
      row.account_epoch === epochs.accountEpoch &&
      epochs.earlierEpochs.some(([epoch, until]) => epoch === row.epoch && until > now);
    if (!isNewest && !isEarlier) continue;
    rotations += 1;
    if (rotations > MOST_ROTATIONS) throw new Error("more signing secrets than are rotated for one report");
    const { account_id: accountId, idea_bank_id: ideaBankId } = row;
    const audited = prepare(
      `${EVENT_OF_LEAK} SELECT r.value ->> '$.eventId', a.id, 'leaked', NULL, '', NULL, :reporter,
         :now, ${leakedEvent("'signing-secret'", isNewest ? "'secret'" : "'old secret'", "'ideaBankId', b.id")}
       FROM json_each(:found) r CROSS JOIN idea_banks b ON b.id = :ideaBankId CROSS JOIN accounts a ON a.id = b.account_id
       WHERE ${isNews("'signing-secret'", "ideaBankId", "b.id")} AND ${UNCOUNTED_A_DAY} > ${leaksOfToday("a.id")}`,
      { found: JSON.stringify([leak]), reporter, now, ideaBankId },
    );
    if (row.marks) await session.run(audited);
    else if (isNewest) {
      const rotated = await rotateSigningSecret(session.with({ before: [audited], after: [] }), {
        ...{ accountId, ideaBankId, graceSeconds: 0, idempotencyKey: undefined },
        reader: { apiKeyId: "", eventId: "", address: null, now },
      });
      if (rotated.epochs !== null) ended.push({ ideaBankId, epochs: rotated.epochs });
    } else {
      await session.batch({
        audited,
        ended: prepare(
          `UPDATE idea_banks SET signing_previous_until = ${OVER}, signing_older = NULL WHERE id = :ideaBankId AND account_id = :accountId`,
          { ideaBankId, accountId },
        ),
      });
      ended.push({ ideaBankId, epochs: { ...epochs, earlierEpochs: [] } });
    }
  }
  return { known, ended };
}
