/** An idea bank's state and the token revocations of its account: what a panelist's request depends on. */
import type { IdeaBankState, IdeaBankStatus } from "../model/idea-bank.ts";

type StateRow = {
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

type RevocationRow = { seq: number; panelist_id: string; revoked_at: number };

/** Tokens of this panelist that were issued at or before `revokedAt` (Unix milliseconds) are invalid. */
export type TokenRevocation = { readonly seq: number; readonly panelistId: string; readonly revokedAt: number };

/**
 * An idea bank's state (null when there is none) and its account's token revocations after `seq`, oldest first: one
 * statement, because there are usually no new revocations and a second statement would cost every reader. The panelist's token
 * names the idea bank, and the idea bank its tenant.
 */
export async function loadIdeaBankSnapshot(
  session: D1DatabaseSession,
  ideaBankId: string,
  seq: number,
): Promise<{ ideaBank: IdeaBankState | null; revocations: TokenRevocation[] }> {
  const { results } = await session
    .prepare(
      `SELECT b.account_id, a.status AS account_status, b.name, b.status, b.internal, b.changelog_enabled,
         b.submissions_enabled, b.voting_enabled, b.comments_enabled, b.changelog_version, r.seq, r.panelist_id, r.revoked_at
       FROM idea_banks b
       JOIN accounts a ON a.id = b.account_id
       LEFT JOIN token_revocations r ON r.account_id = b.account_id AND r.seq > ?2
       WHERE b.id = ?1
       ORDER BY r.seq`,
    )
    .bind(ideaBankId, seq)
    .all<StateRow & (RevocationRow | { seq: null })>();
  const [row] = results;
  return {
    ideaBank: row === undefined ? null : toIdeaBankState(row),
    revocations: results.flatMap((each) =>
      each.seq === null ? [] : [{ seq: each.seq, panelistId: each.panelist_id, revokedAt: each.revoked_at }],
    ),
  };
}

const toIdeaBankState = (row: StateRow): IdeaBankState => ({
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
