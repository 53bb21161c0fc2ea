/** Rows of `panelists`. Every function returns null or false for a panelist who is not the tenant's. */

import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { type KnownPerson, NewPanelist, type Panelist, type PanelistChanges } from "../model/panelist.ts";
import { toTimestamp } from "../model/text.ts";
import type { Seen, Stored } from "../model/version.ts";
import type { Session } from "../store/session.ts";
import { prepare, type Statement } from "../store/statement.ts";
import { type StoredRow, storedFields } from "./columns.ts";
import { deleteOfPanelist } from "./deletions.ts";
import type { TokenRevocation } from "./idea-bank-view.ts";
import { deleteOnce, insertOnce, mapResult, notDoneBefore, toDeleted, toInserted } from "./idempotency.ts";
import { byCreation, pageValues, toPage } from "./pagination.ts";
import { asSeen, withState } from "./versions.ts";

/** The panelist that a column names, or NULL for a deleted one, whose id stays in the column until the last slice. */
export const existingPanelist = (column: string): string =>
  `(SELECT w.id FROM panelists w WHERE w.id = ${column} AND w.deleted_at IS NULL)`;

const { columns, parameters, toFields } = storedFields(NewPanelist);
const COLUMNS = `id, ${columns}, created_at`;

const STATE = `json_array(${columns})`;

const toPanelist = (row: StoredRow): Panelist => ({
  id: row.id,
  ...toFields(row),
  createdAt: toTimestamp(row.created_at),
});

/** The account's panelists with `ids`, a SELECT of identifiers. (The + makes SQLite use the primary key.) */
export const selectPanelists = (ids: string): string =>
  `SELECT ${COLUMNS} FROM panelists WHERE id IN (${ids}) AND +account_id = :accountId AND deleted_at IS NULL`;
export const toPanelists = (rows: readonly StoredRow[]) => rows.map(toPanelist);

/** All panelists, or only the one with this `externalId`. */
export async function listPanelists(
  session: Session,
  {
    accountId,
    externalId,
    request,
  }: { readonly accountId: string; readonly externalId: string | undefined; readonly request: PageRequest },
): Promise<Page<Panelist>> {
  // The + makes SQLite use the index by externalId.
  const [key, named] = externalId === undefined ? ["created_at", ""] : ["+created_at", "AND external_id = :externalId"];
  const rows = await session.all(
    prepare<StoredRow>(
      `SELECT ${COLUMNS} FROM panelists
       WHERE account_id = :accountId AND deleted_at IS NULL ${named} AND (${key}, id) < (:afterKey, :afterId)
       ORDER BY ${key} DESC, id DESC LIMIT :rows`,
      { accountId, externalId, ...pageValues(request) },
    ),
  );
  return toPage(rows, { request, toItem: toPanelist, keyOf: byCreation });
}

type PanelistCreation = {
  readonly accountId: string;
  readonly id: string;
  readonly input: NewPanelist;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * `refused` when another panelist of the tenant has this `externalId`. With one, a token may have been signed for the panelist
 * before.
 */
export async function createPanelist(
  session: Session,
  { accountId, id, input, now, idempotencyKey }: PanelistCreation,
): Promise<IdempotentResult<Panelist>> {
  const insert = prepare(
    `INSERT INTO panelists (id, account_id, ${columns}, created_at, tokens_issued)
     SELECT :id, :accountId, ${parameters}, :now, :externalId IS NOT NULL WHERE ${notDoneBefore()}
     ON CONFLICT DO NOTHING RETURNING id`,
    { ...input, accountId, id, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const rows = await session.batch(insertOnce({ accountId }, idempotencyKey, { insert, outcome: created }));
  const result = toInserted(rows, idempotencyKey, created);
  return mapResult(result, ({ id, at }) => ({ id, ...input, createdAt: toTimestamp(at) }));
}

/**
 * Creates those of `people` who do not exist, and gives everybody's identifier in their order. It is null for a person who was deleted
 * and whose rows are still being removed.
 */
export async function putPanelists(
  session: Session,
  {
    accountId,
    people,
    now,
  }: {
    readonly accountId: string;
    readonly people: readonly (KnownPerson & { readonly id: string })[];
    readonly now: number;
  },
): Promise<{ readonly ids: readonly (string | null)[]; readonly created: number }> {
  const values = { accountId, now, people: JSON.stringify(people) };
  const { inserted, found } = await session.batch({
    inserted: prepare<{ id: string }>(
      `INSERT INTO panelists (id, account_id, external_id, display_name, created_at, tokens_issued)
       SELECT value ->> 'id', :accountId, value ->> 'externalId', value ->> 'displayName', :now, 1 FROM json_each(:people) WHERE 1
       ON CONFLICT DO NOTHING RETURNING id`,
      values,
    ),
    found: prepare<{ id: string | null }>(
      `SELECT (SELECT id FROM panelists WHERE account_id = :accountId AND external_id = e.value ->> 'externalId' AND deleted_at IS NULL) AS id
       FROM json_each(:people) e ORDER BY e.key`,
      values,
    ),
  });
  return { ids: found.map(({ id }) => id), created: inserted.length };
}

export async function loadPanelist(session: Session, accountId: string, id: string): Promise<Panelist | null> {
  const row = await session.first(
    prepare<StoredRow>(
      `SELECT ${COLUMNS} FROM panelists WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL`,
      {
        accountId,
        id,
      },
    ),
  );
  return row && toPanelist(row);
}

/** For `If-Match`. */
export const loadStoredPanelist = async (session: Session, accountId: string, id: string): Promise<Stored | null> =>
  withState(
    await session.first(
      prepare<StoredRow & { state: string }>(
        `SELECT ${COLUMNS}, ${STATE} AS state FROM panelists WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL`,
        { accountId, id },
      ),
    ),
    toPanelist,
  );

/** The account's panelists with these identifiers, in no order. */
export async function loadPanelists(
  session: Session,
  accountId: string,
  ids: readonly string[],
): Promise<readonly Panelist[]> {
  const sql = selectPanelists("SELECT value FROM json_each(:ids)");
  return toPanelists(await session.all(prepare<StoredRow>(sql, { accountId, ids: JSON.stringify(ids) })));
}

/**
 * `"other-id"` when the panelist has another `externalId`, which cannot change because the identifier is derived from it. If the
 * panelist is deactivated, a trigger revokes the tokens.
 */
export async function updatePanelist(
  session: Session,
  {
    accountId,
    id,
    changes: { externalId, displayName, active },
    seen,
  }: Seen & { readonly accountId: string; readonly id: string; readonly changes: PanelistChanges },
): Promise<(Written & { readonly panelist: Panelist }) | "other-id" | null> {
  const { owned, updated, revoked } = await session.batch({
    owned: prepare(
      `SELECT 1 FROM panelists WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL AND ${asSeen(STATE)}`,
      { accountId, id, seen },
    ),
    updated: prepare<StoredRow>(
      `UPDATE panelists SET display_name = iif(:named, :displayName, display_name), active = coalesce(:active, active)
       WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL AND ${asSeen(STATE)}
         AND (NOT :identified OR external_id IS :externalId) RETURNING ${COLUMNS}`,
      {
        accountId,
        id,
        seen,
        identified: externalId !== undefined,
        externalId,
        named: displayName !== undefined,
        displayName,
        active,
      },
    ),
    revoked: selectRevocation(accountId, id),
  });
  const [row] = updated;
  if (row !== undefined) return { panelist: toPanelist(row), revocation: revoked[0] };
  return owned.length === 1 ? "other-id" : null;
}

/** The result of a write to a panelist. `revocation` is the one that a trigger has recorded in the same transaction, if any. */
export type Written = { readonly revocation: TokenRevocation | undefined };

/** `now` is in Unix milliseconds. */
export type PanelistDeletion = Seen & {
  readonly accountId: string;
  readonly id: string;
  /** Proposals and comments are deleted, too. */
  readonly deletesContent: boolean;
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * Hides the panelist and ends the tokens at once. The votes are deleted in slices. Proposals and comments stay without an author,
 * or are deleted in slices, too. A repeated deletion returns the first one's revocation, because that answer may have been lost.
 */
export async function deletePanelist(
  session: Session,
  { accountId, id, deletesContent, now, seen, idempotencyKey }: PanelistDeletion,
): Promise<Written & { readonly result: IdempotentResult<null> }> {
  const sql = `UPDATE panelists SET deleted_at = :now, active = 0, external_id = NULL, display_name = NULL,
      deletes_content = :deletesContent
    WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL AND ${asSeen(STATE)} AND ${notDoneBefore()} RETURNING id`;
  const { revoked, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { id, now, seen, deletesContent } }),
    revoked: selectRevocation(accountId, id),
    slice: deleteOfPanelist(accountId, id),
  });
  return { result: toDeleted(results, idempotencyKey), revocation: revoked[0] };
}

/** The revocation that a trigger has written in the same transaction, if any. */
const selectRevocation = (accountId: string, id: string): Statement<TokenRevocation> =>
  prepare(
    `SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations
     WHERE panelist_id = :id AND account_id = :accountId`,
    { accountId, id },
  );

/** `newExternalId`: the panelist is created if there is none. Its server may have signed tokens for who has only read. */
type RevokedPanelist = { readonly accountId: string; readonly id: string; readonly newExternalId?: string };

/** SQL: the new `tokens_revoked_at`, as `revokePanelistTokens` says. */
export const REVOKED_NOW = `CASE
      WHEN tokens_revoked_at >= unixepoch() * 1000 THEN max(tokens_revoked_at, (unixepoch() + 1) * 1000)
      ELSE CAST(unixepoch('subsec') * 1000 AS INTEGER) END`;

/**
 * Revokes every token that was issued until now, by D1's clock, which also dates the tokens. A token's time is in whole seconds,
 * so a token that is issued after a revocation is dated in the next second. A second revocation within a second ends that token
 * too, and no further token is issued until the second is over (`prepareTokenIssue`). So revocations never run ahead of the clock.
 */
export async function revokePanelistTokens(
  session: Session,
  { accountId, id, newExternalId }: RevokedPanelist,
  idempotencyKey?: IdempotencyKey,
): Promise<Written & { readonly result: IdempotentResult<null> }> {
  const isNew = newExternalId !== undefined;
  const sql = `UPDATE panelists SET tokens_revoked_at = ${REVOKED_NOW}
    WHERE account_id = :accountId AND id = :id ${isNew ? "AND (external_id = :newExternalId OR deleted_at IS NOT NULL)" : "AND deleted_at IS NULL"} AND ${notDoneBefore()} RETURNING id`;
  const { revoked, ...results } = await session.batch({
    created: isNew
      ? prepare(
          `INSERT INTO panelists (id, account_id, external_id, created_at, tokens_issued)
           SELECT :id, :accountId, :newExternalId, CAST(unixepoch('subsec') * 1000 AS INTEGER), 1 WHERE ${notDoneBefore()}
           ON CONFLICT DO NOTHING`,
          { accountId, id, newExternalId, idempotencyKey: idempotencyKey?.key },
        )
      : undefined,
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { id, ...(isNew && { newExternalId }) } }),
    revoked: selectRevocation(accountId, id),
  });
  return { result: toDeleted(results, idempotencyKey), revocation: revoked[0] };
}
