/** Rows of `idea_banks`, and the token revocations of their accounts. */
import type { IdeaBankState, IdeaBankStatus } from "../model/idea-bank.ts";

type IdeaBankRow = {
  account_id: string;
  account_status: string;
  status: IdeaBankStatus;
  internal: number;
  changelog_enabled: number;
  changelog_version: number;
};

/** Tokens of this panelist that were issued at or before `revokedAt` (Unix milliseconds) are dead. */
export type TokenRevocation = { readonly seq: number; readonly panelistId: string; readonly revokedAt: number };

/** The statement for an idea bank's state; the panelist's token names the idea bank, and thereby the tenant. */
export const selectIdeaBankState = (session: D1DatabaseSession, ideaBankId: string): D1PreparedStatement =>
  session
    .prepare(
      `SELECT b.account_id, a.status AS account_status, b.status, b.internal, b.changelog_enabled, b.changelog_version
       FROM idea_banks b JOIN accounts a ON a.id = b.account_id
       WHERE b.id = ?1`,
    )
    .bind(ideaBankId);

export const toIdeaBankState = (row: IdeaBankRow): IdeaBankState => ({
  accountId: row.account_id,
  accountSuspended: row.account_status === "suspended",
  status: row.status,
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  changelogVersion: row.changelog_version,
});

/** An idea bank's state and its account's token revocations after `seq`, oldest first: one round trip, one transaction. */
export async function loadIdeaBankSnapshot(
  session: D1DatabaseSession,
  ideaBankId: string,
  seq: number,
): Promise<{ ideaBank: IdeaBankState | null; revocations: TokenRevocation[] }> {
  const [states, revocations] = await session.batch([
    selectIdeaBankState(session, ideaBankId),
    session
      .prepare(
        `SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations
         WHERE account_id = (SELECT account_id FROM idea_banks WHERE id = ?1) AND seq > ?2
         ORDER BY seq`,
      )
      .bind(ideaBankId, seq),
  ]);
  const row = states?.results[0] as IdeaBankRow | undefined;
  return {
    ideaBank: row === undefined ? null : toIdeaBankState(row),
    revocations: (revocations?.results ?? []) as TokenRevocation[],
  };
}
