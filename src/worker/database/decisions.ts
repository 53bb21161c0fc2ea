/**
 * Owners' decisions about content. They use the functions of the tenant API, in a session that records the person and the state
 * before and after in the same transaction. Only a member decides.
 */
import type { Owner } from "../model/account.ts";
import type { Session } from "../store/session.ts";
import { prepare, type Statement } from "../store/statement.ts";
import type { AuditStamp } from "./audit-events.ts";

/** The subject of a decision. `ideaBankId` is set for a proposal and for a comment. */
export type Subject = {
  readonly kind: "ideabank" | "proposal" | "comment" | "panelist";
  readonly id: string;
  readonly ideaBankId?: string;
};

export type Decision = Subject & AuditStamp & { readonly accountId: string; readonly owner: Owner };

/** Of a long text only the beginning is recorded, because events do not count as storage. */
const BEGINNING = 200;
const beginning = (column: string): string =>
  `iif(length(${column}) > ${BEGINNING}, substr(${column}, 1, ${BEGINNING}) || '…', ${column})`;
const flag = (column: string): string => `json(iif(${column}, 'true', 'false'))`;

/**
 * The `name` and the `state` of each kind; the state is a JSON object of everything that can be decided. Neither a person's name
 * nor a panelist's comment is recorded.
 */
const SUBJECTS: Record<Subject["kind"], string> = {
  ideabank: `SELECT name, json_object('name', name, 'status', status, 'internal', ${flag("internal")},
      'changelogEnabled', ${flag("changelog_enabled")}, 'changelogMaxEntries', changelog_max_entries,
      'submissionsEnabled', ${flag("submissions_enabled")}, 'votingEnabled', ${flag("voting_enabled")},
      'commentsEnabled', ${flag("comments_enabled")}, 'approvalRequired', ${flag("approval_required")}) AS state
    FROM idea_banks WHERE id = :subjectId AND account_id = :accountId`,
  proposal: `SELECT title AS name, json_object('title', title, 'description', ${beginning("description")}, 'status', status,
      'visibility', visibility, 'response', ${beginning("response")}, 'tags', json(coalesce(tags, '[]')),
      'duplicateOf', duplicate_of, 'lastActivityAt', last_activity_at) AS state
    FROM proposals WHERE id = :subjectId AND account_id = :accountId AND idea_bank_id <> id`,
  comment: `SELECT p.title AS name, json_object('by', iif(c.by_tenant, 'tenant', 'panelist'),
      'body', iif(c.by_tenant, ${beginning("c.body")}, NULL)) AS state
    FROM comments c JOIN proposals p ON p.id = c.proposal_id WHERE c.id = :subjectId AND c.account_id = :accountId`,
  panelist: `SELECT '' AS name, json_object('active', ${flag("active")}, 'tokensRevokedAt', tokens_revoked_at) AS state
    FROM panelists WHERE id = :subjectId AND account_id = :accountId AND deleted_at IS NULL`,
};

/** The statements around a decision. A decision that changes nothing is not recorded. */
export function recordDecision({ owner, kind, id, ideaBankId, ...decision }: Decision): {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
} {
  const { person, actor, address } = owner;
  const values = { ...decision, kind, subjectId: id, ideaBankId, person, actor, address };
  const subject = SUBJECTS[kind];
  return {
    before: [
      // For a person who is not a member, `account_id` is NULL, which fails the transaction (`isNoMember`).
      prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, subject_id,
           idea_bank_id, changes)
         SELECT :eventId, (SELECT id FROM accounts WHERE id = :accountId AND (owner_email = :person
             OR EXISTS (SELECT 1 FROM members WHERE account_id = :accountId AND email = :person))),
           :kind || '-changed', NULL, coalesce((SELECT name FROM (${subject})), ''), :actor, :address, :now, :subjectId, :ideaBankId,
           json_object('before', json((SELECT state FROM (${subject}))))`,
        values,
      ),
    ],
    after: [
      prepare(
        `UPDATE audit_events SET changes = json_set(changes, '$.after', json((SELECT state FROM (${subject})))),
           api_key_name = coalesce((SELECT name FROM (${subject})), api_key_name),
           event = :kind || iif(changes ->> '$.before' IS NULL, '-created',
             iif(EXISTS (SELECT 1 FROM (${subject})), '-changed', '-deleted'))
         WHERE id = :eventId`,
        values,
      ),
      prepare("DELETE FROM audit_events WHERE id = :eventId AND changes -> '$.before' IS changes -> '$.after'", values),
    ],
  };
}

/** Selects one of these events, if any was recorded. */
export const selectRecorded = (eventIds: readonly string[]) =>
  prepare<{ readonly id: string }>(
    "SELECT id FROM audit_events WHERE id IN (SELECT value FROM json_each(:ids)) LIMIT 1",
    {
      ids: JSON.stringify(eventIds),
    },
  );

/** A session in which each round trip is recorded as this decision. */
export function deciding(session: Session, decision: Decision): Session {
  return session.with(recordDecision(decision));
}

/** Whether the error means that the person of a decision is not a member, or not any more. */
export const isNoMember = (error: unknown): boolean =>
  error instanceof Error && /NOT NULL constraint failed: audit_events\.account_id\b/.test(error.message);
