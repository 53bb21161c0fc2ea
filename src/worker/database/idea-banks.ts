/** Rows of `idea_banks`, for the tenant API. Every function returns null or false for an idea bank that is not the tenant's. */
import type { IdeaBank, IdeaBankChanges, IdeaBankStatus, NewIdeaBank } from "../model/idea-bank.ts";
import type { Created, IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, mapOnce, NOT_DONE_BEFORE } from "./idempotency.ts";
import { byCreation, pageBindings, toPage } from "./pagination.ts";

type Row = {
  id: string;
  name: string;
  status: IdeaBankStatus;
  internal: number;
  changelog_enabled: number;
  changelog_max_entries: number;
  submissions_enabled: number;
  voting_enabled: number;
  comments_enabled: number;
  approval_required: number;
  created_at: number;
};

const COLUMNS = `id, name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled, voting_enabled,
  comments_enabled, approval_required, created_at`;

const toIdeaBank = (row: Row): IdeaBank => ({
  id: row.id,
  name: row.name,
  status: row.status,
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  changelogMaxEntries: row.changelog_max_entries,
  submissionsEnabled: row.submissions_enabled === 1,
  votingEnabled: row.voting_enabled === 1,
  commentsEnabled: row.comments_enabled === 1,
  approvalRequired: row.approval_required === 1,
  createdAt: toTimestamp(row.created_at),
});

export async function listIdeaBanks(
  session: D1DatabaseSession,
  accountId: string,
  request: PageRequest,
): Promise<Page<IdeaBank>> {
  const { results } = await session
    .prepare(
      `SELECT ${COLUMNS} FROM idea_banks WHERE account_id = ?1 AND (created_at, id) < (?2, ?3)
       ORDER BY created_at DESC, id DESC LIMIT ?4`,
    )
    .bind(accountId, ...pageBindings(request))
    .all<Row>();
  return toPage(results, request, toIdeaBank, byCreation);
}

export async function createIdeaBank(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
  input: NewIdeaBank,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<IdeaBank>> {
  const insert = session
    .prepare(
      `INSERT INTO idea_banks
         (id, account_id, name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
          voting_enabled, comments_enabled, approval_required, created_at)
       SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 WHERE ${NOT_DONE_BEFORE} RETURNING id`,
    )
    .bind(
      accountId,
      idempotencyKey?.key ?? null,
      id,
      input.name,
      input.status,
      Number(input.internal),
      Number(input.changelogEnabled),
      input.changelogMaxEntries,
      Number(input.submissionsEnabled),
      Number(input.votingEnabled),
      Number(input.commentsEnabled),
      Number(input.approvalRequired),
      now,
    );
  const created: Created = { id, at: now };
  const { once } = await insertOnce(session, { accountId }, idempotencyKey, insert, created);
  return mapOnce(once, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at) }));
}

export async function loadIdeaBank(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
): Promise<IdeaBank | null> {
  const row = await session
    .prepare(`SELECT ${COLUMNS} FROM idea_banks WHERE account_id = ?1 AND id = ?2`)
    .bind(accountId, id)
    .first<Row>();
  return row && toIdeaBank(row);
}

export async function updateIdeaBank(
  session: D1DatabaseSession,
  accountId: string,
  id: string,
  changes: IdeaBankChanges,
): Promise<IdeaBank | null> {
  const toInteger = (flag: boolean | undefined) => (flag === undefined ? null : Number(flag));
  const row = await session
    .prepare(
      `UPDATE idea_banks SET name = coalesce(?3, name), status = coalesce(?4, status), internal = coalesce(?5, internal),
         changelog_enabled = coalesce(?6, changelog_enabled),
         changelog_max_entries = coalesce(?7, changelog_max_entries),
         submissions_enabled = coalesce(?8, submissions_enabled), voting_enabled = coalesce(?9, voting_enabled),
         comments_enabled = coalesce(?10, comments_enabled), approval_required = coalesce(?11, approval_required)
       WHERE account_id = ?1 AND id = ?2 RETURNING ${COLUMNS}`,
    )
    .bind(
      accountId,
      id,
      changes.name ?? null,
      changes.status ?? null,
      toInteger(changes.internal),
      toInteger(changes.changelogEnabled),
      changes.changelogMaxEntries ?? null,
      toInteger(changes.submissionsEnabled),
      toInteger(changes.votingEnabled),
      toInteger(changes.commentsEnabled),
      toInteger(changes.approvalRequired),
    )
    .first<Row>();
  return row && toIdeaBank(row);
}

/** From now on nobody can access its proposals. `deleteLeftovers` deletes them later. */
export async function deleteIdeaBank(session: D1DatabaseSession, accountId: string, id: string): Promise<boolean> {
  const row = await session
    .prepare("DELETE FROM idea_banks WHERE account_id = ?1 AND id = ?2 RETURNING id")
    .bind(accountId, id)
    .first();
  return row !== null;
}
