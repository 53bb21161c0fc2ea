/** Rows of `surveys`. Every function returns null or false for a survey that is not the tenant's. */

import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { NewSurvey, type Survey, type SurveyChanges } from "../model/survey.ts";
import { toTimestamp } from "../model/text.ts";
import type { Seen, Stored } from "../model/version.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { hasChanges, type StoredRow, setChanges, storedFields } from "./columns.ts";
import { deleteOnce, insertOnce, mapResult, notDoneBefore, toDeleted, toInserted } from "./idempotency.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "./pagination.ts";
import { asSeen, withState } from "./versions.ts";

type Row = StoredRow & { readonly updated_at: number; readonly fit?: number };

const { columns, parameters, toFields } = storedFields(NewSurvey);
const COLUMNS = `id, ${columns}, created_at, updated_at`;
export const SURVEY_BYTES = `octet_length(title) + octet_length(description) + coalesce(octet_length(url), 0) + ${ITEM_BYTES}`;

const STATE = `json_array(${columns})`;

const selectPage = (columns: string, rows: string) =>
  `SELECT ${columns} FROM surveys WHERE account_id = :accountId AND (created_at, id) < (:afterKey, :afterId)
   ORDER BY created_at DESC, id DESC LIMIT ${rows}`;
const SIZES = selectPage(`${SURVEY_BYTES} AS bytes`, ":rows");

const toSurvey = (row: Row): Survey => ({
  id: row.id,
  ...toFields(row),
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

/** The account's surveys with the identifiers in the subquery `ids`. */
export const selectSurveys = (ids: string): string =>
  `SELECT ${COLUMNS} FROM surveys WHERE id IN (${ids}) AND +account_id = :accountId`;
export const toSurveys = (rows: readonly Row[]) => rows.map(toSurvey);

type SurveyCreation = {
  readonly accountId: string;
  readonly id: string;
  readonly input: NewSurvey;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

export async function listSurveys(session: Session, accountId: string, request: PageRequest): Promise<Page<Survey>> {
  const rows = await session.all(
    prepare<Row>(`WITH ${fitOf(SIZES)} ${selectPage(`${COLUMNS}, ${FIT}`, FITTING_ROWS)}`, {
      accountId,
      ...pageValues(request),
    }),
  );
  return toPage(rows, { request, toItem: toSurvey, keyOf: byCreation });
}

export async function createSurvey(
  session: Session,
  { accountId, id, input, now, idempotencyKey }: SurveyCreation,
): Promise<IdempotentResult<Survey>> {
  const insert = prepare(
    `INSERT INTO surveys (id, account_id, ${columns}, created_at, updated_at)
     SELECT :id, :accountId, ${parameters}, :now, :now WHERE ${notDoneBefore()} RETURNING id`,
    { ...input, accountId, id, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const rows = await session.batch(insertOnce({ accountId }, idempotencyKey, { insert, outcome: created }));
  const result = toInserted(rows, idempotencyKey, created);
  return mapResult(result, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at), updatedAt: toTimestamp(at) }));
}

export async function loadSurvey(session: Session, accountId: string, id: string): Promise<Survey | null> {
  const row = await session.first(
    prepare<Row>(`SELECT ${COLUMNS} FROM surveys WHERE account_id = :accountId AND id = :id`, { accountId, id }),
  );
  return row && toSurvey(row);
}

/** For `If-Match`. */
export const loadStoredSurvey = async (session: Session, accountId: string, id: string): Promise<Stored | null> =>
  withState(
    await session.first(
      prepare<Row & { state: string }>(
        `SELECT ${COLUMNS}, ${STATE} AS state FROM surveys WHERE account_id = :accountId AND id = :id`,
        { accountId, id },
      ),
    ),
    toSurvey,
  );

type SurveyUpdate = Pick<SurveyCreation, "accountId" | "id" | "now"> & Seen & { readonly changes: SurveyChanges };

export async function updateSurvey(
  session: Session,
  { accountId, id, now, seen, changes }: SurveyUpdate,
): Promise<Survey | null> {
  const updatedAt = `updated_at = iif(${hasChanges(changes)}, updated_at, max(updated_at, :now))`;
  const set = [setChanges(changes), updatedAt].filter(Boolean).join(", ");
  const row = await session.first(
    prepare<Row>(
      `UPDATE surveys SET ${set} WHERE account_id = :accountId AND id = :id AND ${asSeen(STATE)} RETURNING ${COLUMNS}`,
      { ...changes, accountId, id, now, seen },
    ),
  );
  return row && toSurvey(row);
}

export async function deleteSurvey(
  session: Session,
  {
    accountId,
    id,
    seen,
    idempotencyKey,
  }: Seen & { readonly accountId: string; readonly id: string; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<IdempotentResult<null>> {
  const sql = `DELETE FROM surveys WHERE account_id = :accountId AND id = :id AND ${asSeen(STATE)} AND ${notDoneBefore()} RETURNING id`;
  const deletion = deleteOnce(accountId, { idempotencyKey, sql, values: { id, seen } });
  return toDeleted(await session.batch(deletion), idempotencyKey);
}
