/** Rows of `surveys`. Every function returns null or false for a survey that is not the tenant's. */

import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, mapResult, notDoneBefore } from "./idempotency.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "./pagination.ts";
import { prepare } from "./statement.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  status: Survey["status"];
  created_at: number;
  updated_at: number;
  fit?: number;
};

const COLUMNS = "id, title, description, status, created_at, updated_at";

const selectPage = (columns: string, rows: string) =>
  `SELECT ${columns} FROM surveys WHERE account_id = :accountId AND (created_at, id) < (:afterKey, :afterId)
   ORDER BY created_at DESC, id DESC LIMIT ${rows}`;
const SIZES = selectPage(`octet_length(title) + octet_length(description) + ${ITEM_BYTES} AS bytes`, ":rows");

const toSurvey = (row: Row): Survey => ({
  id: row.id,
  title: row.title,
  description: row.description,
  status: row.status,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

export async function listSurveys(
  session: D1DatabaseSession,
  accountId: string,
  request: PageRequest,
): Promise<Page<Survey>> {
  const { results } = await prepare(session, `WITH ${fitOf(SIZES)} ${selectPage(`${COLUMNS}, ${FIT}`, FITTING_ROWS)}`, {
    accountId,
    ...pageValues(request),
  }).all<Row>();
  return toPage(results, request, toSurvey, byCreation);
}

export async function createSurvey(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
  input: NewSurvey,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<IdempotentResult<Survey>> {
  const insert = prepare(
    session,
    `INSERT INTO surveys (id, account_id, title, description, status, created_at, updated_at)
     SELECT :id, :accountId, :title, :description, :status, :now, :now WHERE ${notDoneBefore()} RETURNING id`,
    { ...input, accountId, id, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const { result } = await insertOnce(session, { accountId }, idempotencyKey, insert, created);
  return mapResult(result, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at), updatedAt: toTimestamp(at) }));
}

export async function loadSurvey(session: D1DatabaseSession, accountId: string, id: string): Promise<Survey | null> {
  const row = await session
    .prepare(`SELECT ${COLUMNS} FROM surveys WHERE account_id = ?1 AND id = ?2`)
    .bind(accountId, id)
    .first<Row>();
  return row && toSurvey(row);
}

export async function updateSurvey(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
  changes: SurveyChanges,
  now: number,
): Promise<Survey | null> {
  const row = await session
    .prepare(
      `UPDATE surveys SET title = coalesce(?3, title), description = coalesce(?4, description),
         status = coalesce(?5, status),
         updated_at = iif(
           coalesce(?3, title) = title AND coalesce(?4, description) = description AND coalesce(?5, status) = status,
           updated_at, max(updated_at, ?6))
       WHERE account_id = ?1 AND id = ?2 RETURNING ${COLUMNS}`,
    )
    .bind(accountId, id, changes.title ?? null, changes.description ?? null, changes.status ?? null, now)
    .first<Row>();
  return row && toSurvey(row);
}

export async function deleteSurvey(session: D1DatabaseSession, accountId: string, id: string): Promise<boolean> {
  const row = await session
    .prepare("DELETE FROM surveys WHERE account_id = ?1 AND id = ?2 RETURNING id")
    .bind(accountId, id)
    .first();
  return row !== null;
}
