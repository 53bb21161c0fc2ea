/** Rows of `idea_banks`, for the tenant API. Every function returns null or false for an idea bank that is not the tenant's. */
import { type IdeaBank, type IdeaBankChanges, type IdeaBankStatus, NewIdeaBank } from "../model/idea-bank.ts";
import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import type { Seen, Stored } from "../model/version.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { type StoredRow, setChanges, storedFields } from "./columns.ts";
import { deleteOnce, insertOnce, mapResult, notDoneBefore, toDeleted, toInserted } from "./idempotency.ts";
import { byCreation, pageValues, toPage } from "./pagination.ts";
import { asSeen, withState } from "./versions.ts";

const { columns, parameters, toFields } = storedFields(NewIdeaBank);
const COLUMNS = `id, ${columns}, created_at`;

const STATE = `json_array(${columns})`;

const toIdeaBank = (row: StoredRow): IdeaBank => ({
  id: row.id,
  ...toFields(row),
  createdAt: toTimestamp(row.created_at),
});

/** The account's idea banks with `ids`, a SELECT of identifiers. (The + makes SQLite use the primary key.) */
export const selectIdeaBanks = (ids: string): string =>
  `SELECT ${COLUMNS} FROM idea_banks WHERE id IN (${ids}) AND +account_id = :accountId`;
export const toIdeaBanks = (rows: readonly StoredRow[]) => rows.map(toIdeaBank);

export async function listIdeaBanks(
  session: Session,
  {
    accountId,
    request,
    status,
  }: { readonly accountId: string; readonly request: PageRequest; readonly status?: IdeaBankStatus | undefined },
): Promise<Page<IdeaBank>> {
  const rows = await session.all(
    prepare<StoredRow>(
      `SELECT ${COLUMNS} FROM idea_banks WHERE account_id = :accountId ${status === undefined ? "" : "AND status = :status"}
         AND (created_at, id) < (:afterKey, :afterId)
       ORDER BY created_at DESC, id DESC LIMIT :rows`,
      { accountId, status, ...pageValues(request) },
    ),
  );
  return toPage(rows, { request, toItem: toIdeaBank, keyOf: byCreation });
}

type IdeaBankCreation = {
  readonly accountId: string;
  readonly id: string;
  readonly input: NewIdeaBank;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

export async function createIdeaBank(
  session: Session,
  { accountId, id, input, now, idempotencyKey }: IdeaBankCreation,
): Promise<IdempotentResult<IdeaBank>> {
  const insert = prepare(
    `INSERT INTO idea_banks (id, account_id, ${columns}, created_at)
     SELECT :id, :accountId, ${parameters}, :now WHERE ${notDoneBefore()} RETURNING id`,
    { ...input, accountId, id, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const rows = await session.batch(insertOnce({ accountId }, idempotencyKey, { insert, outcome: created }));
  const result = toInserted(rows, idempotencyKey, created);
  return mapResult(result, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at) }));
}

export async function loadIdeaBank(session: Session, accountId: string, id: string): Promise<IdeaBank | null> {
  const row = await session.first(
    prepare<StoredRow>(`SELECT ${COLUMNS} FROM idea_banks WHERE account_id = :accountId AND id = :id`, {
      accountId,
      id,
    }),
  );
  return row && toIdeaBank(row);
}

/** For `If-Match`. */
export const loadStoredIdeaBank = async (session: Session, accountId: string, id: string): Promise<Stored | null> =>
  withState(
    await session.first(
      prepare<StoredRow & { state: string }>(
        `SELECT ${COLUMNS}, ${STATE} AS state FROM idea_banks WHERE account_id = :accountId AND id = :id`,
        { accountId, id },
      ),
    ),
    toIdeaBank,
  );

export async function updateIdeaBank(
  session: Session,
  {
    accountId,
    id,
    changes,
    seen,
  }: Seen & { readonly accountId: string; readonly id: string; readonly changes: IdeaBankChanges },
): Promise<IdeaBank | null> {
  const set = setChanges(changes);
  if (set === "") return loadIdeaBank(session, accountId, id);
  const row = await session.first(
    prepare<StoredRow>(
      `UPDATE idea_banks SET ${set} WHERE account_id = :accountId AND id = :id AND ${asSeen(STATE)} RETURNING ${COLUMNS}`,
      { ...changes, accountId, id, seen },
    ),
  );
  return row && toIdeaBank(row);
}

/** Makes the idea bank inaccessible at once. `deleteLeftovers` deletes its contents later. */
export async function deleteIdeaBank(
  session: Session,
  {
    accountId,
    id,
    seen,
    idempotencyKey,
  }: Seen & { readonly accountId: string; readonly id: string; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<IdempotentResult<null>> {
  const sql = `DELETE FROM idea_banks WHERE account_id = :accountId AND id = :id AND ${asSeen(STATE)} AND ${notDoneBefore()} RETURNING id`;
  const deletion = deleteOnce(accountId, { idempotencyKey, sql, values: { id, seen } });
  return toDeleted(await session.batch(deletion), idempotencyKey);
}

/** A count stops here, so that the page reads as many rows at most. */
export const COUNTED_CONTENTS = 1_000;

/** How many proposals and comments are deleted with the idea bank. */
export async function countContents(session: Session, { accountId, id }: { accountId: string; id: string }) {
  const upTo = (rows: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${COUNTED_CONTENTS}))`;
  const sql = `SELECT ${upTo("proposals WHERE account_id = :accountId AND idea_bank_id = :id AND duplicate_of IS NULL")} AS ideas,
    ${upTo("comments WHERE account_id = :accountId AND idea_bank_id = :id")} AS comments`;
  const counted = await session.first(prepare<{ ideas: number; comments: number }>(sql, { accountId, id }));
  return counted ?? { ideas: 0, comments: 0 };
}
