/**
 * Owners' decisions about content. They use the functions of the tenant API, in a session that records the person and the state
 * before and after in the same transaction. Only a member decides.
 */
import type { Owner } from "../../model/account-key.ts";
import type { Role } from "../../model/role.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { type AuditStamp, isRecordable } from "../activity/audit-events.ts";
import { IDEA_BANKS } from "../idea-banks/idea-banks.ts";
import { isMember, membersOf } from "../members/membership.ts";
import { STATUS } from "../surveys/surveys.ts";
import { recordedFields, WHOLE_TEXTS } from "./proposal-fields.ts";

/** The subject of a decision. `ideaBankId` is set for a proposal and for a comment. */
export type Subject = {
  readonly kind: "ideabank" | "proposal" | "comment" | "panelist" | "survey";
  readonly id: string;
  readonly ideaBankId?: string;
  /** Of a proposal: the decision is about its votes, which are otherwise not the team's. */
  readonly isOfVotes?: boolean;
};

export type Decision = Subject &
  AuditStamp & {
    readonly accountId: string;
    readonly owner: Owner;
    /** The role that the decision needs. */
    readonly needs?: Role | undefined;
    /** The owner has made too many changes, and this one is made all the same: it is recorded a hundred times a day. */
    readonly isUncounted?: boolean;
  };

/** Only the beginning of a long text is recorded, because an event is recorded even where storage is full. */
const BEGINNING = 200;
const beginning = (column: string): string =>
  `iif(length(${column}) > ${BEGINNING}, substr(${column}, 1, ${BEGINNING}) || '…', ${column})`;
const flag = (column: string): string => `json(iif(${column}, 'true', 'false'))`;

const PROPOSAL_STATE = `json_object(${recordedFields(beginning)},
      'duplicateOf', duplicate_of, 'lastActivityAt', last_activity_at)`;

/** Its revision makes a change of words an event that no other field tells of. */
const SURVEY_STATE = `json_object('title', title, 'description', ${beginning("description")}, 'status', ${STATUS}, 'ideaBankId', idea_bank_id,
      'questions', ${beginning("(SELECT coalesce(group_concat(value ->> 'title', ' · '), '') FROM json_each(questions))")},
      'votersOf', voters_of, 'anonymous', ${flag("anonymous")}, 'editable', ${flag("editable")}, 'closesAt', closes_at,
      'maxResponses', max_responses, 'revision', revision)`;

/** Undo is offered for a minute. */
export const UNDO_TEXTS_KEPT_MS = 120_000;

/** What Undo needs besides the state: whole texts, and of a comment everything. A JSON object, NULL when it is not there. */
const TEXTS: Partial<Record<Subject["kind"], string>> = {
  proposal: `SELECT json_object(${WHOLE_TEXTS}, 'respondedAt', responded_at)
    FROM proposals WHERE id = :subjectId AND account_id = :accountId AND idea_bank_id <> id`,
  comment: `SELECT json_object('proposalId', c.proposal_id, 'panelistId', c.panelist_id, 'body', c.body, 'createdAt', c.created_at,
      'byTenant', c.by_tenant, 'onBehalf', c.on_behalf, 'visibility', c.visibility, 'shownAt', c.shown_at)
    FROM comments c WHERE c.id = :subjectId AND c.account_id = :accountId`,
};

/**
 * The `name` and the `state` of each kind; the state is a JSON object of everything that can be decided. Neither a person's name
 * nor a panelist's comment is recorded. `author`: the panelist who wrote the proposal that is named.
 */
const SUBJECTS: Record<Subject["kind"], string> = {
  ideabank: `SELECT name, NULL AS author, ${IDEA_BANKS.RECORDED} AS state
    FROM idea_banks WHERE id = :subjectId AND account_id = :accountId`,
  proposal: `SELECT title AS name, author_id AS author, ${PROPOSAL_STATE} AS state
    FROM proposals WHERE id = :subjectId AND account_id = :accountId AND idea_bank_id <> id`,
  comment: `SELECT p.title AS name, p.author_id AS author, json_object('by', iif(c.by_tenant, 'tenant', 'panelist'),
      'body', iif(c.by_tenant, ${beginning("c.body")}, NULL), 'visibility', c.visibility) AS state
    FROM comments c JOIN proposals p ON p.id = c.proposal_id WHERE c.id = :subjectId AND c.account_id = :accountId`,
  panelist: `SELECT '' AS name, NULL AS author, json_object('active', ${flag("active")}, 'tokensRevokedAt', tokens_revoked_at,
      'clearedAt', cleared_at, 'email', email) AS state
    FROM panelists WHERE id = :subjectId AND account_id = :accountId AND deleted_at IS NULL`,
  survey: `SELECT title AS name, NULL AS author, ${SURVEY_STATE} AS state FROM surveys WHERE id = :subjectId AND account_id = :accountId`,
};

const VOTES = `SELECT title AS name, author_id AS author, json_object('votes', votes) AS state
    FROM proposals WHERE id = :subjectId AND account_id = :accountId AND idea_bank_id <> id`;

/**
 * A state as the event has it: not the address of a person, only whether there is one, and whether it is another one than in the state
 * `before`.
 */
const toldState = (kind: Subject["kind"], state: string, before: string = state): string => {
  const [is, was] = [`${state} ->> '$.email'`, `${before} ->> '$.email'`];
  return kind === "panelist"
    ? `json_set(${state}, '$.email', iif(${is} IS NULL, NULL, iif(${is} IS ${was} OR ${was} IS NULL, 'given', 'another')))`
    : state;
};

/** The account's id; NULL for a person who is not a member, or in a lesser role, which fails the transaction (`isNoMember`). */
const accountOfMember = (needs: Role): string => `iif(${isMember(":accountId", ":person", needs)}, :accountId, NULL)`;

const IS_RECORDABLE = isRecordable("event LIKE :kind || '-%' AND actor IS :actor", {
  accountId: ":accountId",
  now: ":now",
});

/** Around the changes of proposals: the triggers of their history find there who acts. */
const actingMember = (values: Pick<Owner, "person" | "actor"> & { readonly accountId: string }) => ({
  before: [
    prepare(
      `INSERT INTO acting_members (account_id, member_id, actor)
       SELECT :accountId, (SELECT id FROM (${membersOf()}) WHERE email = :person), :actor`,
      values,
    ),
  ],
  after: [prepare("DELETE FROM acting_members WHERE account_id = :accountId", values)],
});

/**
 * The statements around a decision. Until its event is written, `undo_texts` has what was there before; then only the texts, if they were
 * changed. A decision that changes nothing is not recorded.
 */
function recordDecision({
  owner,
  kind,
  id,
  ideaBankId,
  isOfVotes = false,
  isUncounted = false,
  needs = "member",
  ...decision
}: Decision): {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
} {
  const { person, actor, address } = owner;
  const values = { ...decision, kind, subjectId: id, ideaBankId, person, actor, address };
  const subject = isOfVotes ? VOTES : SUBJECTS[kind];
  const texts = TEXTS[kind] ?? "NULL";
  const account = accountOfMember(needs);
  const acting = kind === "proposal" && !isOfVotes ? actingMember(values) : { before: [], after: [] };
  return {
    before: [
      prepare(
        `INSERT INTO undo_texts (event_id, account_id, before, created_at)
         SELECT :eventId, ${account}, json_object('name', s.name, 'author', s.author, 'state', json(s.state), 'texts', json((${texts}))), :now
         FROM (SELECT 1) LEFT JOIN (${subject}) s
         ${isUncounted ? `WHERE ${IS_RECORDABLE} OR ${account} IS NULL` : ""}`,
        values,
      ),
      ...acting.before,
    ],
    after: [
      ...acting.after,
      prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_name, author_id, actor, address, created_at, subject_id, idea_bank_id, changes)
         SELECT u.event_id, u.account_id,
           :kind || iif(u.before ->> '$.state' IS NULL, '-created', iif(s.state IS NULL, '-deleted', '-changed')),
           coalesce(s.name, u.before ->> '$.name', ''), coalesce(s.author, u.before ->> '$.author'), :actor, :address, :now, :subjectId, :ideaBankId,
           json_object('before', json(${toldState(kind, "(u.before ->> '$.state')")}), 'after', json(${toldState(kind, "s.state", "(u.before ->> '$.state')")}))
         FROM undo_texts u LEFT JOIN (${subject}) s WHERE u.event_id = :eventId AND u.before ->> '$.state' IS NOT s.state`,
        values,
      ),
      prepare(
        `DELETE FROM undo_texts WHERE event_id = :eventId
           AND (before ->> '$.texts' IS (${texts}) OR NOT EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId))`,
        values,
      ),
      prepare(
        `UPDATE undo_texts SET before = before ->> '$.texts', after = (${texts}) WHERE event_id = :eventId`,
        values,
      ),
    ],
  };
}

/** The settings in `one` (a JSON object) that differ in `other`. */
const differing = (one: string, other: string): string =>
  `(SELECT json_group_object(d.key, json(${one} -> ('$.' || d.key))) FROM json_each(${one}) d
     WHERE ${one} -> ('$.' || d.key) IS NOT ${other} -> ('$.' || d.key))`;

/** This many decisions about several proposals keep what each was before, for undoing them: more than a person makes in a minute. */
const WHOLE = 150;
/** The number of the other proposals that stay named. */
const NAMED = 3;

/**
 * The statements around a decision about several proposals: one event, whose `changes` have `count` and `each`, without the titles,
 * which can have many authors. If it has changed one of them, the event is that of a decision about this one; if none, it is not recorded.
 */
export function recordTogether(
  {
    owner: { person, actor, address },
    ...decision
  }: AuditStamp & { readonly accountId: string; readonly owner: Owner },
  proposals: readonly { readonly id: string; readonly ideaBankId: string }[],
): { readonly before: readonly Statement[]; readonly after: readonly Statement[] } {
  const ids = JSON.stringify(proposals.map(({ id }) => id));
  const values = { ...decision, person, actor, address, ids, ideaBankId: proposals[0]?.ideaBankId };
  const acting = actingMember(values);
  return {
    before: [
      prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_name, actor, address, created_at, subject_id, idea_bank_id, changes)
         SELECT :eventId, ${accountOfMember("member")}, 'proposals-changed', '', :actor, :address, :now, :ideaBankId, :ideaBankId,
           json_object('each', (SELECT json_group_array(json_array(id, ${PROPOSAL_STATE})) FROM (SELECT * FROM proposals
             WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY created_at, id) proposals WHERE account_id = :accountId AND idea_bank_id <> proposals.id))`,
        values,
      ),
      ...acting.before,
    ],
    after: [
      ...acting.after,
      prepare(
        `WITH now AS MATERIALIZED (
           SELECT p.id, p.idea_bank_id AS bank, e.value -> 1 AS was, ${PROPOSAL_STATE} AS state
           FROM audit_events a JOIN json_each(a.changes, '$.each') e CROSS JOIN proposals p ON p.id = e.value ->> 0 WHERE a.id = :eventId)
         UPDATE audit_events SET changes = (SELECT json_object('count', count(*), 'each',
             json_group_array(json_array(id, bank, '', json(${differing("was", "state")}), json(${differing("state", "was")}))))
           FROM now WHERE was IS NOT state)
         WHERE id = :eventId`,
        values,
      ),
      prepare(
        `UPDATE audit_events SET event = 'proposal-changed', subject_id = changes ->> '$.each[0][0]', idea_bank_id = changes ->> '$.each[0][1]',
           (api_key_name, author_id) = (SELECT title, author_id FROM proposals WHERE id = changes ->> '$.each[0][0]'),
           changes = json_object('before', json(changes -> '$.each[0][3]'), 'after', json(changes -> '$.each[0][4]'))
         WHERE id = :eventId AND changes ->> '$.count' = 1`,
        values,
      ),
      prepare("DELETE FROM audit_events WHERE id = :eventId AND changes ->> '$.count' = 0", values),
      prepare(
        `UPDATE audit_events SET changes = json_set(changes, '$.each', (
             SELECT json_group_array(json(value)) FROM json_each(changes, '$.each') WHERE key < ${NAMED}))
         WHERE event = 'proposals-changed' AND id = (SELECT event_id FROM kept_events WHERE account_id = :accountId AND kind = 1
           AND position = (SELECT position FROM audit_events WHERE id = :eventId) - ${WHOLE})`,
        values,
      ),
    ],
  };
}

/** Selects the event, if it was recorded. */
export const selectRecorded = (eventId: string) =>
  prepare<{ readonly id: string }>("SELECT id FROM audit_events WHERE id = :eventId", { eventId });

/** A session in which each round trip is recorded as this decision. */
export function deciding(session: Session, decision: Decision): Session {
  return session.with(recordDecision(decision));
}

/** Whether the error means that the person who decides is not a member (any longer), or has not the role for it. */
export const isNoMember = (error: unknown): boolean =>
  error instanceof Error && /NOT NULL constraint failed: (audit_events|undo_texts)\.account_id\b/.test(error.message);
