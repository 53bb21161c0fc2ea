/** An idea bank's state and the token revocations of its account: what a panelist's request depends on. */
import type { IdeaBankState, IdeaBankStatus } from "../model/idea-bank.ts";
import { rowsOf } from "./statement.ts";

export type StateRow = {
  account_id: string;
  account_status: string;
  name: string;
  status: IdeaBankStatus;
  internal: number;
  changelog_enabled: number;
  submissions_enabled: number;
  voting_enabled: number;
  comments_enabled: number;
  changelog_version: number;
};

/** Of idea_banks b and accounts a. */
export const STATE_COLUMNS = `b.account_id, a.status AS account_status, b.name, b.status, b.internal, b.changelog_enabled,
  b.submissions_enabled, b.voting_enabled, b.comments_enabled, b.changelog_version`;

/** An account with more revocations is not read as a list. */
export const MAX_LISTED = 2_000;

/** Tokens of this panelist that were issued at or before `revokedAt` (Unix milliseconds) are not valid. */
export type TokenRevocation = { readonly seq: number; readonly panelistId: string; readonly revokedAt: number };

/**
 * `ideaBank` is null when there is none. `revocations` are those of its account after the `seq` that was asked for, oldest first;
 * more than `MAX_LISTED` are not complete. `ownRevokedAt` is that of the one panelist.
 */
export type LoadedSnapshot = {
  readonly ideaBank: IdeaBankState | null;
  readonly revocations: readonly TokenRevocation[];
  readonly ownRevokedAt: number | null;
  /** The rows that were read with it, if any were asked for. */
  readonly alongside: readonly unknown[] | undefined;
};

type Row = (StateRow | { account_id: null }) & { own_revoked_at: number | null; revocations: string };

/** What goes with an idea bank, and is read in the same transaction. */
export type Alongside = {
  readonly select: (session: D1DatabaseSession) => D1PreparedStatement;
  /** Takes the rows, and the idea bank of that moment. */
  readonly keep: (rows: readonly unknown[], ideaBank: IdeaBankState) => Promise<void>;
};

/**
 * One statement and one row, however many revocations there are: about 2,000 rows are read at most. `alongside` is read in the
 * same transaction.
 */
export async function loadIdeaBankSnapshot(
  session: D1DatabaseSession,
  ideaBankId: string,
  panelistId: string,
  seq: number,
  alongside?: Alongside,
): Promise<LoadedSnapshot> {
  const statement = session
    .prepare(
      `SELECT ${STATE_COLUMNS}, (SELECT revoked_at FROM token_revocations WHERE panelist_id = ?2) AS own_revoked_at,
         (SELECT json_group_array(json_array(seq, panelist_id, revoked_at)) FROM (
            SELECT seq, panelist_id, revoked_at FROM token_revocations
            WHERE account_id = b.account_id AND seq > ?3 ORDER BY seq LIMIT ${MAX_LISTED + 1})) AS revocations
       FROM (SELECT 1) LEFT JOIN idea_banks b ON b.id = ?1 LEFT JOIN accounts a ON a.id = b.account_id`,
    )
    .bind(ideaBankId, panelistId, seq);
  const [snapshot, read] = await session.batch(
    alongside === undefined ? [statement] : [statement, alongside.select(session)],
  );
  const [row] = rowsOf<Row>(snapshot);
  const listed: [number, string, number][] = row === undefined ? [] : JSON.parse(row.revocations);
  return {
    ideaBank: row === undefined || row.account_id === null ? null : toIdeaBankState(row),
    revocations: listed.map(([at, id, revokedAt]) => ({ seq: at, panelistId: id, revokedAt })),
    ownRevokedAt: row?.own_revoked_at ?? null,
    alongside: read?.results,
  };
}

export const toIdeaBankState = (row: StateRow): IdeaBankState => ({
  accountId: row.account_id,
  accountSuspended: row.account_status === "suspended",
  name: row.name,
  status: row.status,
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  submissionsEnabled: row.submissions_enabled === 1,
  votingEnabled: row.voting_enabled === 1,
  commentsEnabled: row.comments_enabled === 1,
  changelogVersion: row.changelog_version,
});
