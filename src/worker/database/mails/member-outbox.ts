/**
 * The outbox of e-mails to one member: what a colleague did writes a row in its own transaction, and waits for no e-mail. A row is deleted
 * before its e-mail is sent, so of two runs of the job one sends; it comes back if the e-mail surely was not sent.
 */
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { membersOf } from "../members/membership.ts";
import { authorStays } from "../proposals/deletions.ts";
import type { SlicePosition } from "../slices.ts";
import { dayOf } from "./recipients.ts";

/** So many of a member wait. One e-mail has them all. */
export const WAITING_AT_MOST = 100;
/** Of a note, this much is read. */
const TEXT = 1_000;

/** SQL: the member `:person`, by id. */
export const OWN_ID = `(SELECT id FROM (${membersOf()}) WHERE email = :person)`;

/**
 * The statement that puts e-mails to members into the outbox. `subjects` selects `member_id` and `subject_id`, with the `values`. Nobody is
 * told of their own acts.
 */
export const tellMembers = (
  kind: "assigned" | "named",
  subjects: string,
  values: Readonly<Record<string, string | number | null>> & {
    readonly accountId: string;
    readonly person: string;
    readonly now: number;
  },
): Statement =>
  prepare(
    `INSERT INTO member_outbox (account_id, member_id, subject_id, kind, actor, created_at)
     SELECT :accountId, s.member_id, s.subject_id, '${kind}', ${OWN_ID}, :now FROM (${subjects}) s
     WHERE s.member_id IN (SELECT id FROM (${membersOf()}) WHERE email <> :person)
       AND ${WAITING_AT_MOST} > (SELECT count(*) FROM member_outbox o WHERE o.account_id = :accountId AND o.member_id = s.member_id)
     ON CONFLICT DO UPDATE SET actor = excluded.actor, created_at = excluded.created_at`,
    values,
  );

/** A member for whom something waits. */
export type OutboxTurn = {
  readonly accountId: string;
  readonly memberId: string;
  readonly sentToday: number;
  readonly allSentToday: number;
};

/** `upTo`: what was done later is told by a later run (Unix milliseconds). */
type When = { readonly now: number; readonly upTo: number };

/** The next members; `position` moves on, so within a run each has one turn. `isLast`: no other is left. */
export async function nextOutboxTurns(
  session: Session,
  position: SlicePosition,
  { now, upTo, limit }: When & { readonly limit: number },
): Promise<{ readonly turns: readonly OutboxTurn[]; readonly isLast: boolean }> {
  const [afterAccount = "", afterMember = ""] = position.id.split(" ");
  const turns = await session.all(
    prepare<OutboxTurn>(
      `SELECT account_id AS accountId, member_id AS memberId,
         coalesce((SELECT sent FROM mail_days d WHERE d.day = :day AND d.account_id = o.account_id), 0) AS sentToday,
         coalesce((SELECT sum(sent) FROM mail_days WHERE day = :day), 0) AS allSentToday
       FROM (SELECT DISTINCT account_id, member_id FROM member_outbox
         WHERE (account_id, member_id) > (:afterAccount, :afterMember) AND created_at <= :upTo
         ORDER BY account_id, member_id LIMIT :limit) o
       WHERE NOT EXISTS (SELECT 1 FROM mail_stops WHERE until > :now)`,
      { now, upTo, day: dayOf(now), limit, afterAccount, afterMember },
    ),
  );
  const last = turns.at(-1);
  if (last !== undefined) position.id = `${last.accountId} ${last.memberId}`;
  return { turns, isLast: turns.length < limit };
}

/** The idea that a member is told of. */
export type AssignedIdea = {
  readonly ideaBankId: string;
  readonly ideaId: string;
  readonly title: string;
  readonly board: string;
};
/** The note, and the idea or the person that it is about. */
export type NamingNote = { readonly body: string } & (
  | { readonly ideaBankId: string; readonly ideaId: string; readonly title: string }
  | { readonly panelistId: string; readonly title: string | null }
);

/** A row as it was taken. `email` is null for who is no member any more, and `what` for what is gone or somebody else's by now. */
export type TakenRow = {
  readonly account_id: string;
  readonly member_id: string;
  readonly subject_id: string;
  readonly kind: "assigned" | "named";
  readonly actor: string | null;
  readonly created_at: number;
  readonly email: string | null;
  readonly account: string;
  /** The name or the address of the member who did it; null for who has left. */
  readonly by: string | null;
  readonly what: string | null;
};

const memberOf = (id: string, column = "email") =>
  `(SELECT ${column} FROM (${membersOf("member_outbox.account_id")}) m WHERE m.id = ${id} AND EXISTS (
     SELECT 1 FROM accounts a WHERE a.id = member_outbox.account_id AND a.status = 'active'))`;
const ASSIGNED = `SELECT json_object('ideaBankId', p.idea_bank_id, 'ideaId', p.id, 'title', p.title, 'board', b.name)
  FROM proposals p JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE p.id = subject_id AND p.account_id = member_outbox.account_id AND p.assignee = member_id AND p.duplicate_of IS NULL AND ${authorStays("p.author_id")}`;
const NAMED = `SELECT iif(n.panelist_id IS NULL, json_object('body', substr(n.body, 1, ${TEXT}), 'ideaBankId', b.id, 'ideaId', p.id, 'title', p.title),
    json_object('body', substr(n.body, 1, ${TEXT}), 'panelistId', w.id, 'title', w.display_name))
  FROM notes n LEFT JOIN proposals p ON p.id = n.proposal_id LEFT JOIN idea_banks b ON b.id = p.idea_bank_id
    LEFT JOIN panelists w ON w.id = n.panelist_id AND w.deleted_at IS NULL
  WHERE n.id = subject_id AND n.account_id = member_outbox.account_id
    AND member_outbox.member_id IN (SELECT value FROM json_each(n.named)) AND (b.id IS NOT NULL AND ${authorStays("p.author_id")} OR w.id IS NOT NULL)`;

/** Takes everything of these members out of the outbox, the newest last. */
export async function takeOutbox(
  session: Session,
  turns: readonly OutboxTurn[],
  { upTo }: Pick<When, "upTo">,
): Promise<readonly TakenRow[]> {
  if (turns.length === 0) return [];
  const rows = await session.all(
    prepare<TakenRow>(
      `DELETE FROM member_outbox WHERE created_at <= :upTo AND (account_id, member_id) IN (
         SELECT value ->> 'accountId', value ->> 'memberId' FROM json_each(:turns))
       RETURNING account_id, member_id, subject_id, kind, actor, created_at, ${memberOf("member_id")} AS email,
         (SELECT owner_email FROM accounts a WHERE a.id = account_id) AS account, ${memberOf("actor", "coalesce(name, email)")} AS "by",
         iif(kind = 'assigned', (${ASSIGNED}), (${NAMED})) AS what`,
      { turns: JSON.stringify(turns.map(({ accountId, memberId }) => ({ accountId, memberId }))), upTo },
    ),
  );
  return rows.toSorted((one, other) => one.created_at - other.created_at);
}

/** Writes how many e-mails were sent, or may have been, by account; and puts back the rows of those that surely were not. */
export async function endOutbox(
  session: Session,
  { sentTo, unsent }: { readonly sentTo: readonly string[]; readonly unsent: readonly TakenRow[] },
  now: number,
): Promise<void> {
  if (sentTo.length + unsent.length === 0) return;
  await session.batch({
    counted:
      sentTo.length === 0
        ? undefined
        : prepare(
            `INSERT INTO mail_days (day, account_id, sent) SELECT :day, value, count(*) FROM json_each(:ids) WHERE true GROUP BY value
             ON CONFLICT DO UPDATE SET sent = sent + excluded.sent`,
            { day: dayOf(now), ids: JSON.stringify(sentTo) },
          ),
    putBack:
      unsent.length === 0
        ? undefined
        : prepare(
            `INSERT INTO member_outbox (account_id, member_id, subject_id, kind, actor, created_at)
             SELECT value ->> 'account_id', value ->> 'member_id', value ->> 'subject_id', value ->> 'kind', value ->> 'actor', value ->> 'created_at'
             FROM json_each(:rows) WHERE EXISTS (SELECT 1 FROM accounts WHERE id = value ->> 'account_id') ON CONFLICT DO NOTHING`,
            { rows: JSON.stringify(unsent.map(({ what: _, ...row }) => row)) },
          ),
  });
}
