/** Rows of `surveys`. Every function returns null or false for a survey that is not the tenant's. */

import type { Created, IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, mapOnce, NOT_DONE_BEFORE } from "./idempotency.ts";
import { byCreation, pageBindings, toPage } from "./pagination.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  status: Survey["status"];
  created_at: number;
  updated_at: number;
};

const COLUMNS = "id, title, description, status, created_at, updated_at";

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
  const { results } = await session
    .prepare(
      `SELECT ${COLUMNS} FROM surveys WHERE account_id = ?1 AND (created_at, id) < (?2, ?3)
       ORDER BY created_at DESC, id DESC LIMIT ?4`,
    )
    .bind(accountId, ...pageBindings(request))
    .all<Row>();
  return toPage(results, request, toSurvey, byCreation);
}

export async function createSurvey(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
  input: NewSurvey,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<Survey>> {
  const insert = session
    .prepare(
      `INSERT INTO surveys (id, account_id, title, description, status, created_at, updated_at)
       SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?7 WHERE ${NOT_DONE_BEFORE} RETURNING id`,
    )
    .bind(accountId, idempotencyKey?.key ?? null, id, input.title, input.description, input.status, now);
  const created: Created = { id, at: now };
  const { once } = await insertOnce(session, { accountId }, idempotencyKey, insert, created);
  return mapOnce(once, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at), updatedAt: toTimestamp(at) }));
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
