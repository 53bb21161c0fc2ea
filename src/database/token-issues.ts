/** What a compound token is issued on: an idea bank and a panelist of the same tenant. One round trip. */
import { clearExpired, NOT_DONE_BEFORE, type Once, type Retry, recall, toOnce } from "./idempotency.ts";

/** `issuedAt` is in Unix seconds, and after the panelist's last "revoke all tokens". It says nothing that signs a token. */
export type TokenIssue = { readonly panelistId: string; readonly issuedAt: number };

/** By id, or by the tenant's own name; `newPanelistId` is the id of the panelist that such a name creates. */
export type NamedPanelist =
  | { readonly panelistId: string }
  | { readonly externalId: string; readonly newPanelistId: string };

/**
 * Finds the panelist, or creates the one that `externalId` names. `refused` when the idea bank or the panelist is not the
 * tenant's; `inactive` when the panelist is switched off. `now` is in Unix milliseconds.
 */
export async function findTokenIssue(
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  panelist: NamedPanelist,
  now: number,
  retry: Retry | undefined,
): Promise<Once<TokenIssue> | { readonly kind: "inactive" }> {
  const [column, value] = "panelistId" in panelist ? ["id", panelist.panelistId] : ["external_id", panelist.externalId];
  // ?1 account, ?2 idempotency key, ?3 idea bank, ?4 panelist, ?5 the second after which a token is alive
  const found = `FROM panelists p WHERE p.account_id = ?1 AND p.${column} = ?4
    AND EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?3) AND ${NOT_DONE_BEFORE}`;
  const issuedAt = "max(?5, coalesce(p.tokens_revoked_at, 0) / 1000 + 1)";
  const bindings = [accountId, retry?.key ?? null, ideaBankId, value, Math.floor(now / 1000)];

  const statements = [
    ...(retry ? [clearExpired(session, accountId, retry)] : []),
    ...("newPanelistId" in panelist
      ? [insertPanelist(session, accountId, ideaBankId, panelist, now, retry?.key ?? null)]
      : []),
    session.prepare(`SELECT p.id AS panelistId, p.active, ${issuedAt} AS issuedAt ${found}`).bind(...bindings),
    ...(retry
      ? [
          session
            .prepare(
              `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
               SELECT ?1, ?2, ?6, json_object('panelistId', p.id, 'issuedAt', ${issuedAt}), ?7 ${found} AND p.active = 1`,
            )
            .bind(...bindings, retry.requestHash, retry.now),
          recall(session, accountId, retry),
        ]
      : []),
  ];
  const results = await session.batch(statements);
  const row = results.at(retry ? -3 : -1)?.results[0] as { panelistId: string; active: number; issuedAt: number };
  if (row === undefined) return retry ? toOnce(results.at(-1), retry) : { kind: "refused" };
  if (row.active === 0) return { kind: "inactive" };
  return { kind: "done", outcome: { panelistId: row.panelistId, issuedAt: row.issuedAt } };
}

const insertPanelist = (
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  { externalId, newPanelistId }: { externalId: string; newPanelistId: string },
  now: number,
  retryKey: string | null,
): D1PreparedStatement =>
  session
    .prepare(
      `INSERT INTO panelists (id, account_id, external_id, created_at)
       SELECT ?3, ?1, ?4, ?5
       WHERE EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?6) AND ${NOT_DONE_BEFORE}
       ON CONFLICT (account_id, external_id) DO NOTHING`,
    )
    .bind(accountId, retryKey, newPanelistId, externalId, now, ideaBankId);
