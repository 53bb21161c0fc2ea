/** Rows of `idea_banks`, for the tenant API. Every function returns null or false for an idea bank that is not the tenant's. */
import type { IdeaBank, IdeaBankChanges, IdeaBankStatus, NewIdeaBank } from "../model/idea-bank.ts";
import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { deleteOnce, insertOnce, mapResult, notDoneBefore, toDeleted, toInserted } from "./idempotency.ts";
import { byCreation, pageValues, toPage } from "./pagination.ts";

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
  url: string | null;
  created_at: number;
};

const COLUMNS = `id, name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled, voting_enabled,
  comments_enabled, approval_required, url, created_at`;

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
  url: row.url,
  createdAt: toTimestamp(row.created_at),
});

/** The account's idea banks with `ids`, a SELECT of identifiers. (The + makes SQLite use the primary key.) */
export const selectIdeaBanks = (ids: string): string =>
  `SELECT ${COLUMNS} FROM idea_banks WHERE id IN (${ids}) AND +account_id = :accountId`;
export const toIdeaBanks = (rows: readonly Row[]) => rows.map(toIdeaBank);

export async function listIdeaBanks(
  session: Session,
  {
    accountId,
    request,
    status,
  }: { readonly accountId: string; readonly request: PageRequest; readonly status?: IdeaBankStatus | undefined },
): Promise<Page<IdeaBank>> {
  const rows = await session.all(
    prepare<Row>(
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
    `INSERT INTO idea_banks
       (id, account_id, name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
        voting_enabled, comments_enabled, approval_required, url, created_at)
     SELECT :id, :accountId, :name, :status, :internal, :changelogEnabled, :changelogMaxEntries, :submissionsEnabled,
       :votingEnabled, :commentsEnabled, :approvalRequired, :url, :now WHERE ${notDoneBefore()} RETURNING id`,
    { ...input, accountId, id, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const rows = await session.batch(insertOnce({ accountId }, idempotencyKey, { insert, outcome: created }));
  const result = toInserted(rows, idempotencyKey, created);
  return mapResult(result, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at) }));
}

export async function loadIdeaBank(session: Session, accountId: string, id: string): Promise<IdeaBank | null> {
  const row = await session.first(
    prepare<Row>(`SELECT ${COLUMNS} FROM idea_banks WHERE account_id = :accountId AND id = :id`, {
      accountId,
      id,
    }),
  );
  return row && toIdeaBank(row);
}

const UNCHANGED = {
  name: null,
  status: null,
  internal: null,
  changelogEnabled: null,
  changelogMaxEntries: null,
  submissionsEnabled: null,
  votingEnabled: null,
  commentsEnabled: null,
  approvalRequired: null,
  url: null,
} as const satisfies Record<keyof IdeaBankChanges, null>;

export async function updateIdeaBank(
  session: Session,
  { accountId, id, changes }: { readonly accountId: string; readonly id: string; readonly changes: IdeaBankChanges },
): Promise<IdeaBank | null> {
  const row = await session.first(
    prepare<Row>(
      `UPDATE idea_banks SET name = coalesce(:name, name), status = coalesce(:status, status),
       internal = coalesce(:internal, internal), changelog_enabled = coalesce(:changelogEnabled, changelog_enabled),
       changelog_max_entries = coalesce(:changelogMaxEntries, changelog_max_entries),
       submissions_enabled = coalesce(:submissionsEnabled, submissions_enabled),
       voting_enabled = coalesce(:votingEnabled, voting_enabled),
       comments_enabled = coalesce(:commentsEnabled, comments_enabled),
       approval_required = coalesce(:approvalRequired, approval_required), url = iif(:placed, :url, url)
     WHERE account_id = :accountId AND id = :id RETURNING ${COLUMNS}`,
      { ...UNCHANGED, ...changes, placed: changes.url !== undefined, accountId, id },
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
    idempotencyKey,
  }: { readonly accountId: string; readonly id: string; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<IdempotentResult<null>> {
  const sql = `DELETE FROM idea_banks WHERE account_id = :accountId AND id = :id AND ${notDoneBefore()} RETURNING id`;
  return toDeleted(await session.batch(deleteOnce(accountId, { idempotencyKey, sql, values: { id } })), idempotencyKey);
}
