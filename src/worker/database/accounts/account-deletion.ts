/**
 * Deletes all of an account, in slices that block its database for an instant each. If it was stopped, it continues when it is begun
 * again: the account's own row goes last.
 */
import { databaseDigit } from "../../credentials/id.ts";
import { DIRECTORY_DIGIT } from "../../store/bindings.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { deleteOfIdeaBank } from "../proposals/deletions.ts";

/** A round trip deletes so many rows of a table at most. It blocks the database for a fifth of a second. */
const AT_ONCE = 10_000;
/** A slice of an idea bank has 100 proposals, and so many of their votes and comments. */
const [SLICE, SLICES] = [1_000, 10];

type Rows = { readonly table: string; readonly key: string; readonly where?: string };

/** The rows that are left after the idea banks, with their primary keys. */
const REST: readonly Rows[] = [
  {
    ...{ table: "api_key_usage", key: "api_key_id, hour" },
    where: "api_key_id IN (SELECT id FROM api_keys WHERE account_id = :accountId)",
  },
  { table: "api_keys", key: "id" },
  {
    ...{ table: "recipients", key: "outbox_id, email" },
    where: "outbox_id IN (SELECT id FROM outbox WHERE account_id = :accountId)",
  },
  { table: "outbox", key: "id" },
  { table: "mutes", key: "account_id, email, scope_id" },
  { table: "mail_days", key: "day, account_id" },
  {
    ...{ table: "notes", key: "id" },
    where: "panelist_id IN (SELECT id FROM panelists WHERE account_id = :accountId)",
  },
  { table: "panelists", key: "id" },
  { table: "token_revocations", key: "seq" },
  { table: "idempotency_keys", key: "account_id, key" },
  { table: "undo_texts", key: "event_id" },
  { table: "member_mails", key: "account_id, email, idea_bank_id" },
  { table: "told_members", key: "account_id, email" },
  { table: "member_outbox", key: "account_id, member_id, subject_id" },
  { table: "writing_members", key: "account_id, member_id" },
  { table: "members", key: "id" },
  { table: "invitations", key: "id" },
  { table: "audit_events", key: "id" },
  { table: "change_log", key: "account_id, number" },
];

/** A deletion that answers with a row for each deleted one: a session over wrangler counts nothing itself. */
const counted = ({ sql, values }: Statement): Statement => ({ sql: `${sql} RETURNING 1 AS deleted`, values });

/** The entries of the directory that stands in each database. Without them nobody signs in to the account. */
const deleteEntries = (accountId: string): readonly Statement[] =>
  ["owners", "memberships", "invitees"].map((table) =>
    prepare(`DELETE FROM ${table} WHERE account_id = :accountId`, { accountId }),
  );

/** Yields the number of deleted rows after each round trip. From the first one on, nobody signs in to the account. */
export async function* deleteAccount(
  directory: Session,
  own: Session,
  accountId: string,
): AsyncGenerator<number, void, undefined> {
  await directory.batch({
    entries: deleteEntries(accountId),
    subjects: prepare(
      "DELETE FROM subjects WHERE email NOT IN (SELECT email FROM owners UNION ALL SELECT email FROM memberships)",
    ),
  });
  await own.batch({
    entries: databaseDigit(accountId) === DIRECTORY_DIGIT ? undefined : deleteEntries(accountId),
    webhooks: prepare("DELETE FROM webhooks WHERE account_id = :accountId", { accountId }),
  });
  // Their responses follow with the contents of the idea banks.
  yield* deleteRows(own, accountId, { table: "surveys", key: "id" });
  yield* deleteRows(own, accountId, { table: "sign_in_codes", key: "id" });
  yield* deleteRows(own, accountId, { table: "idea_banks", key: "id" });
  yield* deleteIdeaBanks(own, accountId);
  for (const rows of REST) yield* deleteRows(own, accountId, rows);
  await own.run(prepare("DELETE FROM accounts WHERE id = :accountId", { accountId }));
}

async function* deleteRows(
  session: Session,
  accountId: string,
  { table, key, where = "account_id = :accountId" }: Rows,
): AsyncGenerator<number, void, undefined> {
  const statement = prepare(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${AT_ONCE})`,
    { accountId },
  );
  for (let deleted = AT_ONCE; deleted === AT_ONCE; yield deleted)
    deleted = (await session.all(counted(statement))).length;
}

/** The contents of idea banks that are deleted already: by the step before, or by somebody earlier. */
async function* deleteIdeaBanks(session: Session, accountId: string): AsyncGenerator<number, void, undefined> {
  for (;;) {
    const bank = await session.first(
      prepare<{ id: string }>("SELECT id FROM deleted_idea_banks WHERE account_id = :accountId LIMIT 1", { accountId }),
    );
    if (bank === null) return;
    const slice = deleteOfIdeaBank({ accountId }, bank.id, SLICE);
    const slices = Array.from({ length: SLICES }, () => slice).flat();
    const named: Readonly<Record<string, Statement>> = Object.fromEntries(
      slices.map((each, index) => [`slice${index}`, each.sql.startsWith("DELETE") ? counted(each) : each]),
    );
    for (let isLeft = true; isLeft; ) {
      // The first statement says whether anything was left before.
      const left = prepare("SELECT id FROM deleted_idea_banks WHERE id = :id", { id: bank.id });
      const answers = await session.batch<Readonly<Record<string, Statement>>>({ left, ...named });
      isLeft = (answers.left?.length ?? 0) > 0;
      yield Object.values(answers).reduce((sum, rows) => sum + rows.length, 0) - (isLeft ? 1 : 0);
    }
  }
}
