/** What a panelist's request needs to know of an idea bank: its state, and the token revocations of its account. */
import type { IdeaBankState, IdeaBankStatus } from "../model/idea-bank.ts";

type StateRow = {
  account_id: string;
  account_status: string;
  status: IdeaBankStatus;
  internal: number;
  changelog_enabled: number;
  changelog_version: number;
};

/** Tokens of this panelist that were issued at or before `revokedAt` (Unix milliseconds) are dead. */
export type TokenRevocation = { readonly seq: number; readonly panelistId: string; readonly revokedAt: number };

/**
 * An idea bank's state (null when there is none) and its account's token revocations after `seq`, oldest first: one round
 * trip, one transaction. The panelist's token names the idea bank, and thereby the tenant.
 */
export async function loadIdeaBankSnapshot(
  session: D1DatabaseSession,
  ideaBankId: string,
  seq: number,
): Promise<{ ideaBank: IdeaBankState | null; revocations: TokenRevocation[] }> {
  const [states, revocations] = await session.batch([
    session
      .prepare(
        `SELECT b.account_id, a.status AS account_status, b.status, b.internal, b.changelog_enabled, b.changelog_version
         FROM idea_banks b JOIN accounts a ON a.id = b.account_id
         WHERE b.id = ?1`,
      )
      .bind(ideaBankId),
    session
      .prepare(
        `SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations
         WHERE account_id = (SELECT account_id FROM idea_banks WHERE id = ?1) AND seq > ?2
         ORDER BY seq`,
      )
      .bind(ideaBankId, seq),
  ]);
  const row = states?.results[0] as StateRow | undefined;
  return {
    ideaBank: row === undefined ? null : toIdeaBankState(row),
    revocations: (revocations?.results ?? []) as TokenRevocation[],
  };
}

const toIdeaBankState = (row: StateRow): IdeaBankState => ({
  accountId: row.account_id,
  accountSuspended: row.account_status === "suspended",
  status: row.status,
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  changelogVersion: row.changelog_version,
});
