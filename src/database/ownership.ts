/** Whether what a path names is the tenant's: asked only when a request is refused for another reason, so that 403 comes first. */

/** The identifiers of a path of the tenant API, outermost first. */
export type PathIds = {
  readonly surveyId?: string;
  readonly panelistId?: string;
  readonly ideaBankId?: string;
  readonly proposalId?: string;
  readonly commentId?: string;
};

/** One round trip, or none when the path names nothing. */
export async function ownsPath(session: D1DatabaseSession, accountId: string, ids: PathIds): Promise<boolean> {
  const { sql, values } = toQuery(ids);
  if (sql === undefined) return true;
  const row = await session
    .prepare(sql)
    .bind(accountId, ...values)
    .first();
  return row !== null;
}

function toQuery({ surveyId, panelistId, ideaBankId, proposalId, commentId }: PathIds) {
  if (surveyId !== undefined)
    return { sql: "SELECT 1 FROM surveys WHERE account_id = ?1 AND id = ?2", values: [surveyId] };
  if (panelistId !== undefined) {
    return { sql: "SELECT 1 FROM panelists WHERE account_id = ?1 AND id = ?2", values: [panelistId] };
  }
  if (commentId !== undefined) {
    return {
      sql: `SELECT 1 FROM comments c JOIN proposals p ON p.id = c.proposal_id
            WHERE c.account_id = ?1 AND c.id = ?2 AND p.id = ?3 AND p.idea_bank_id = ?4`,
      values: [commentId, proposalId, ideaBankId],
    };
  }
  if (proposalId !== undefined) {
    return {
      sql: "SELECT 1 FROM proposals WHERE account_id = ?1 AND id = ?2 AND idea_bank_id = ?3",
      values: [proposalId, ideaBankId],
    };
  }
  if (ideaBankId !== undefined) {
    return { sql: "SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?2", values: [ideaBankId] };
  }
  return { sql: undefined, values: [] };
}
