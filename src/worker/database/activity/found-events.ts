/** The audit events that an owner looks for. */
import type { Identifier } from "../../credentials/id.ts";
import type { AuditEvent } from "../../model/audit-event.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { ACCOUNT_OF_OWNER } from "../idempotency.ts";
import { accountOf, readAtVisit, type Visit } from "../members/owners.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { authorStays } from "../proposals/deletions.ts";
import { EVENT_COLUMNS, type EventRow, FIRST_TITLES, toEvent } from "./audit-events.ts";

/** A page looks at this many events. The next page continues after them. */
const LOOKED_AT = 1_000;

export const EVENT_KINDS = ["keys", "ideas", "boards", "people", "webhooks", "members"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What the events are about, as SQL. `changed` is about a key, or about the members and settings of the account. */
const KINDS: Record<EventKind, string> = {
  keys: `(event = 'changed' AND api_key_id IS NOT NULL) OR event IN ('created', 'rotated', 'leaked', 'revoked', 'expiring', 'refused',
    'used-after-revocation', 'signing-secret-read', 'long-token-issued', 'tokens-ended')`,
  ideas: `event LIKE 'proposal%' OR event LIKE 'comment-%'
    OR (event = 'exported' AND changes ->> '$.after.exported' IN ('ideas', 'comments', 'voters'))`,
  boards:
    "event LIKE 'ideabank-%' OR event LIKE 'survey-%' OR event = 'signing-secret-rotated' OR event LIKE 'visitor-token%'",
  people: "event LIKE 'panelist-%' OR (event = 'exported' AND changes ->> '$.after.exported' IN ('people', 'person'))",
  webhooks: "event LIKE 'webhook-%'",
  members: `(event = 'changed' AND api_key_id IS NULL) OR event IN ('signed-in', 'sign-in-link-used-again') OR event LIKE 'account-%'
    OR event = 'quota-changed'`,
};

/** `actor` is any part of an address or a name, in any case. `from` and `until` are in Unix milliseconds; `until` is not included. */
type EventFilter = {
  readonly apiKeyId: string | undefined;
  /** Decisions about this proposal, alone or with others, and about its comments that still exist. */
  readonly proposalId: string | undefined;
  readonly actor: string | undefined;
  readonly kind: EventKind | undefined;
  readonly from: number | undefined;
  readonly until: number | undefined;
};

/** The titles and names of these proposals, idea banks, API keys and panelists, by their identifiers. */
export async function loadNames(
  session: Session,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const named = (column: string, table: string) =>
    `SELECT id, ${column} AS name FROM ${table} WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId`;
  const sql = `${named("title", "proposals")} AND ${authorStays("author_id")} UNION ALL ${named("name", "idea_banks")}
    UNION ALL ${named("name", "api_keys")} UNION ALL ${named("coalesce(display_name, external_id, 'Unnamed person')", "panelists")} AND deleted_at IS NULL`;
  const rows = await session.all(prepare<{ id: string; name: string }>(sql, { accountId, ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const OF_PROPOSAL = `(subject_id = :proposalId OR event = 'proposals-changed' AND instr(changes, :proposalId) > 0
  OR event LIKE 'comment-%' AND EXISTS (SELECT 1 FROM comments c WHERE c.id = subject_id AND c.proposal_id = :proposalId))`;

/** Newest first. A page may have fewer events than it could, and another one follow. */
export async function findAuditEvents(
  session: Session,
  { visit, request, filter }: { readonly visit: Visit; readonly request: PageRequest; readonly filter: EventFilter },
): Promise<{ readonly accountId: Identifier; readonly page: Page<AuditEvent> }> {
  const { apiKeyId, proposalId, actor, kind, from, until } = filter;
  const looked = (columns: string, end: string) =>
    `SELECT ${columns} FROM audit_events WHERE account_id = ${ACCOUNT_OF_OWNER} ${apiKeyId === undefined ? "" : "AND api_key_id = :apiKeyId"}
       AND created_at >= :from AND created_at < :until AND (created_at, id) < (:afterKey, :afterId)
     ORDER BY created_at DESC, id DESC ${end}`;
  const values = {
    ...{ email: visit.email, apiKeyId, proposalId, actor, from: from ?? 0, until: until ?? Number.MAX_SAFE_INTEGER },
    ...pageValues(request),
  };
  const rows = await readAtVisit(session, visit, {
    found: prepare<EventRow>(
      `SELECT ${EVENT_COLUMNS}, ${FIRST_TITLES} FROM (${looked(EVENT_COLUMNS, `LIMIT ${LOOKED_AT}`)})
       WHERE ${actor === undefined ? "TRUE" : "instr(lower(actor), lower(:actor)) > 0"} AND ${proposalId === undefined ? "TRUE" : OF_PROPOSAL} AND (${kind === undefined ? "TRUE" : KINDS[kind]}) LIMIT :rows`,
      values,
    ),
    lastLookedAt: prepare<Pick<EventRow, "id" | "created_at">>(
      looked("created_at, id", `LIMIT 1 OFFSET ${LOOKED_AT - 1}`),
      values,
    ),
  });
  const [last] = rows.lastLookedAt;
  const { items, next } = toPage(rows.found, { request, toItem: toEvent, keyOf: byCreation });
  return {
    accountId: accountOf(rows),
    page: { items, next: next ?? (last && { key: last.created_at, id: last.id }) },
  };
}
