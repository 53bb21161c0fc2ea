/** Rows of `panelists`. Every function returns null or false for a panelist who is not the tenant's. */
import type { IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import { type KnownPerson, NewPanelist, type Panelist } from "../../model/panelist.ts";
import type { Seen } from "../../model/stored-state.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import type { TokenRevocation } from "../idea-banks/idea-bank-view.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "../idempotency.ts";
import { deleteAllOfPanelist, deleteOfPanelist } from "../proposals/deletions.ts";
import { type Change, type Creation, type ResourceRow, storedResource } from "../resource.ts";
import { AT_ONCE } from "../slices.ts";
import { PANELIST_ENDED_NOW, PANELIST_SWITCHED_OFF } from "../tokens/token-dates.ts";
import { ADDRESS_FOLLOWS, addressValues } from "./address.ts";

/** The panelist that a column names, or NULL for a deleted one, whose id stays in the column until the last slice. */
export const existingPanelist = (column: string): string =>
  `(SELECT w.id FROM panelists w WHERE w.id = ${column} AND w.deleted_at IS NULL)`;

/** SQL about a row of `panelists`: blocked since the time `:since`, or everything that it wrote was deleted since. */
const IS_BLOCKED_SINCE = `(deletes_content = 1 OR coalesce(cleared_at, 0) >= :since OR (active = 0 AND coalesce(tokens_revoked_at, 0) >= :since))`;
/** SQL: the panelist in the column `author`, if there is one, is not so. */
export const notBlockedSince = (author: string): string =>
  `NOT EXISTS (SELECT 1 FROM panelists WHERE id = ${author} AND ${IS_BLOCKED_SINCE})`;

/** Whether one of these panelists, or the author of one of these proposals, was blocked since then (Unix milliseconds). */
export async function isBlockedSince(
  session: Session,
  { accountId, ids, since }: { readonly accountId: string; readonly ids: readonly string[]; readonly since: number },
): Promise<boolean> {
  const sql = `SELECT 1 FROM panelists WHERE id IN (SELECT value FROM json_each(:ids)
      UNION SELECT author_id FROM proposals WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId)
    AND +account_id = :accountId AND ${IS_BLOCKED_SINCE}`;
  return (await session.first(prepare(sql, { accountId, ids: JSON.stringify(ids), since }))) !== null;
}

/** Changes and deletions do more than to change the row, because they revoke tokens: see below. */
export const PANELISTS = storedResource({
  table: "panelists",
  fields: NewPanelist,
  times: ["createdAt"],
  stays: "deleted_at IS NULL",
  unique: "externalId",
  // With an `externalId`, a token may have been signed for the panelist before.
  also: { tokens_issued: ":externalId IS NOT NULL", mailbox: ":mailbox" },
  computed: {
    select: { emailVerified: "email_verified" },
    read: ({ email_verified }) => ({ emailVerified: email_verified === 1 }),
    initial: () => ({ emailVerified: false }),
  },
});
export const { list: listPanelists, load: loadPanelist } = PANELISTS;

/** `refused` when another panelist of the tenant has this `externalId`. */
export async function createPanelist(
  session: Session,
  creation: Creation<NewPanelist>,
): Promise<Written & { readonly result: IdempotentResult<Panelist> }> {
  const { accountId, id, input } = creation;
  const { revoked, ...rows } = await session.batch({
    ...PANELISTS.creating(creation, { values: addressValues(input.email) }),
    revoked: input.active ? undefined : selectRevocation(accountId, id),
  });
  return { result: PANELISTS.toCreated(rows, creation), revocation: revoked?.[0] };
}

type NewPeople = {
  readonly accountId: string;
  readonly people: readonly (KnownPerson & { readonly id: string })[];
  readonly now: number;
};

/** The statement that creates those of `people` who do not exist. */
export const insertPeople = ({ accountId, people, now }: NewPeople): Statement<{ id: string }> =>
  prepare(
    `INSERT INTO panelists (id, account_id, external_id, display_name, email, mailbox, created_at, tokens_issued)
       SELECT value ->> 'id', :accountId, value ->> 'externalId', value ->> 'displayName', value ->> 'email', value ->> 'mailbox', :now, 1
       FROM json_each(:people) WHERE 1
       ON CONFLICT DO NOTHING RETURNING id`,
    {
      ...{ accountId, now },
      people: JSON.stringify(people.map((person) => ({ ...person, ...addressValues(person.email) }))),
    },
  );

/**
 * Creates those of `people` who do not exist, and gives everybody's identifier in their order. It is null for a person who was deleted
 * and whose rows are still being removed.
 */
export async function putPanelists(
  session: Session,
  { accountId, people, now }: NewPeople,
): Promise<{ readonly ids: readonly (string | null)[]; readonly created: number }> {
  const { inserted, found } = await session.batch({
    inserted: insertPeople({ accountId, people, now }),
    found: prepare<{ id: string | null }>(
      `SELECT (SELECT id FROM panelists WHERE account_id = :accountId AND external_id = e.value ->> 'externalId' AND deleted_at IS NULL) AS id
       FROM json_each(:people) e ORDER BY e.key`,
      { accountId, people: JSON.stringify(people) },
    ),
  });
  return { ids: found.map(({ id }) => id), created: inserted.length };
}

/** The account's panelists with these identifiers, in no order. */
export async function loadPanelists(
  session: Session,
  accountId: string,
  ids: readonly string[],
): Promise<readonly Panelist[]> {
  const sql = PANELISTS.select("SELECT value FROM json_each(:ids)");
  return PANELISTS.toItems(await session.all(prepare<ResourceRow>(sql, { accountId, ids: JSON.stringify(ids) })));
}

/** Counted up to `most`. */
export async function countPanelists(session: Session, accountId: string, most: number): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL LIMIT ${most})`;
  return (await session.first(prepare<{ count: number }>(sql, { accountId })))?.count ?? 0;
}

/**
 * `"other-id"` when the panelist has another `externalId`, which cannot change because the identifier is derived from it.
 * Deactivating the panelist revokes the tokens. While what a cleared panelist wrote is still being deleted, it stays inactive. `now` is in
 * Unix milliseconds.
 */
export async function updatePanelist(
  session: Session,
  { changes: { externalId, ...changes }, ...change }: Change<NewPanelist>,
): Promise<(Written & { readonly panelist: Panelist }) | "other-id" | null> {
  const { accountId, id, seen, now } = change;
  const { owned, updated, revoked } = await session.batch({
    owned: prepare(`SELECT 1 FROM panelists WHERE ${PANELISTS.AS_SEEN}`, { accountId, id, seen }),
    updated: PANELISTS.updating(
      { ...change, changes },
      {
        set: [
          `tokens_revoked_at = iif(:active = 0, ${PANELIST_SWITCHED_OFF}, tokens_revoked_at)`,
          ...(changes.email === undefined ? [] : ADDRESS_FOLLOWS),
          // Somebody new would be written by the one whose words are still being deleted.
          ...(changes.active ? ["active = iif(deletes_content, active, 1)"] : []),
        ],
        when: externalId === undefined ? "TRUE" : "external_id IS :externalId",
        values: { externalId, active: changes.active, clock: now, ...addressValues(changes.email) },
      },
    ),
    revoked: selectRevocation(accountId, id),
  });
  const [row] = updated;
  if (row !== undefined) return { panelist: PANELISTS.toItem(row), revocation: revoked[0] };
  return owned.length === 1 ? "other-id" : null;
}

/** The result of a write to a panelist. `revocation` is the one that a trigger has recorded in the same transaction, if any. */
type Written = { readonly revocation: TokenRevocation | undefined };

/** `now` is in Unix milliseconds. */
type PanelistDeletion = Seen & {
  readonly accountId: string;
  readonly id: string;
  /** Proposals and comments are deleted, too. */
  readonly deletesContent: boolean;
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * Hides the panelist and ends the tokens at once. The votes are deleted in slices. Proposals and comments stay without an author,
 * or are hidden at once and deleted in slices, too. A repeated deletion returns the first one's revocation, because that answer may have been lost.
 */
export async function deletePanelist(
  session: Session,
  { accountId, id, deletesContent, now, seen, idempotencyKey }: PanelistDeletion,
): Promise<Written & { readonly result: IdempotentResult<null> }> {
  const sql = `UPDATE panelists SET deleted_at = :now, active = 0, external_id = NULL, display_name = NULL, email = NULL,
      email_verified = 0, mailbox = NULL,
      tokens_revoked_at = ${PANELIST_SWITCHED_OFF}, deletes_content = max(deletes_content, :deletesContent)
    WHERE ${PANELISTS.AS_SEEN} AND ${notDoneBefore()} RETURNING id`;
  const panelist = { accountId, id, deletesContent };
  const { revoked, left, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { id, now, clock: now, seen, deletesContent } }),
    revoked: selectRevocation(accountId, id),
    slice: deleteOfPanelist(panelist),
    left: prepare<{ salts: number }>(
      `SELECT EXISTS (SELECT 1 FROM surveys WHERE account_id = :accountId AND salt IS NOT NULL) AS salts
       FROM panelists WHERE id = :id AND account_id = :accountId AND deleted_at IS NOT NULL`,
      { accountId, id },
    ),
  });
  // The job does it if this is lost.
  if (left[0]?.salts === 1) await session.batch({ slice: await deleteAllOfPanelist(session, panelist, AT_ONCE) });
  return { result: toDeleted(results, idempotencyKey), revocation: revoked[0] };
}

/**
 * Blocks the panelist, and deletes everything that it has written, voted for and followed: hidden at once, deleted in slices. The panelist
 * stays, so that no token is issued and nobody signs in with the address. False when there is none.
 */
export async function clearPanelist(
  session: Session,
  { accountId, id, now }: { readonly accountId: string; readonly id: string; readonly now: number },
): Promise<Written & { readonly isCleared: boolean }> {
  const panelist = { accountId, id };
  const values = { ...panelist, now, clock: now };
  const { cleared, revoked, left } = await session.batch({
    cleared: prepare(
      `UPDATE panelists SET active = 0, deletes_content = 1, cleared_at = :now, tokens_revoked_at = ${PANELIST_SWITCHED_OFF}
       WHERE account_id = :accountId AND id = :id AND deleted_at IS NULL RETURNING id`,
      values,
    ),
    revoked: selectRevocation(accountId, id),
    slice: deleteOfPanelist(panelist),
    left: prepare<{ salts: number }>(
      "SELECT EXISTS (SELECT 1 FROM surveys WHERE account_id = :accountId AND salt IS NOT NULL) AS salts",
      panelist,
    ),
  });
  // The job does it if this is lost.
  if (cleared.length > 0 && left[0]?.salts === 1)
    await session.batch({ slice: await deleteAllOfPanelist(session, panelist, AT_ONCE) });
  return { isCleared: cleared.length > 0, revocation: revoked[0] };
}

/** The revocation that a trigger has written in the same transaction, if any. */
const selectRevocation = (accountId: string, id: string): Statement<TokenRevocation> =>
  prepare(
    `SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations
     WHERE panelist_id = :id AND account_id = :accountId`,
    { accountId, id },
  );

/** `newExternalId`: the panelist is created if there is none. Its server may have signed tokens for who has only read. */
type RevokedPanelist = {
  readonly accountId: string;
  readonly id: string;
  readonly newExternalId?: string;
  /** Unix milliseconds. */
  readonly now: number;
};

/** Revokes every token that was issued until now, by the rule of token-dates.ts. */
export async function revokePanelistTokens(
  session: Session,
  { accountId, id, newExternalId, now }: RevokedPanelist,
  idempotencyKey?: IdempotencyKey,
): Promise<Written & { readonly result: IdempotentResult<null> }> {
  const isNew = newExternalId !== undefined;
  const sql = `UPDATE panelists SET tokens_revoked_at = ${PANELIST_ENDED_NOW}
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
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { id, clock: now, ...(isNew && { newExternalId }) } }),
    revoked: selectRevocation(accountId, id),
  });
  return { result: toDeleted(results, idempotencyKey), revocation: revoked[0] };
}
