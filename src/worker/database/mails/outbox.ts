/**
 * The outbox of e-mails to people: a decision writes one row in its own transaction, and no decision waits for an e-mail. When the sending
 * starts is told what is different from before: so nothing that was taken back, and the present state of what was decided twice.
 */
import type { ProposalChanges } from "../../model/proposal.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { authorStays } from "../proposals/deletions.ts";
import { IS_MUTED } from "./mutes.ts";

/** What happens to ideas of a board within this time is one e-mail. */
const TOGETHER_MS = 600_000;
/** The last of these decisions can still be undone. */
const UNDO_MS = 60_000;

/**
 * What of a decision is told: false tells nobody, true also of an edited response, and undefined of what is told by itself: a new status, the
 * first response. `actor`: the member who decides, by address.
 */
export type Telling = Readonly<Record<"status" | "response", boolean | undefined>> & {
  readonly actor?: string | undefined;
};

/** Nobody is told that an idea is where it began. */
const TELLS_STATUS = "(:status IS NOT NULL AND :status <> 'submitted' AND :status IS NOT p.status)";
const TELLS_RESPONSE = "(:response IS NOT NULL AND :response IS NOT p.response AND (p.response IS NULL OR :tellsEdit))";

/**
 * The statement to put before the change; undefined for one of which nobody is told. A change that is then refused is told to nobody, because
 * nothing is different. Needs no recipients yet: a board where nobody has an address has a row that ends empty.
 */
export function tell(
  { accountId, ideaBankId, proposalId }: { accountId: string; ideaBankId: string; proposalId: string },
  {
    changes: { minor = false, ...changes },
    telling,
    now,
    when,
  }: {
    changes: ProposalChanges;
    telling: Telling | undefined;
    now: number;
    /** SQL about the proposal: what the change needs, where others may have made the same one. */
    when?: undefined | { readonly condition: string; readonly values: NonNullable<Parameters<typeof prepare>[1]> };
  },
): Statement | undefined {
  if (telling === undefined) return undefined;
  const isTold = (what: "status" | "response") => telling[what] ?? !minor;
  const status = isTold("status") ? changes.status : undefined;
  const response = isTold("response") ? changes.response?.text : undefined;
  if (status === undefined && response === undefined) return undefined;
  return prepare(
    `INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, actor, status_before, responded_before, tells_status, tells_response,
       created_at, starts_at)
     SELECT p.account_id, p.idea_bank_id, p.id, 'decision', :actor, p.status, p.responded_at, ${TELLS_STATUS}, ${TELLS_RESPONSE}, :now,
       coalesce((SELECT min(starts_at) FROM outbox o WHERE o.idea_bank_id = p.idea_bank_id AND o.started_at IS NULL
         AND o.starts_at > :now + ${UNDO_MS}), :now + ${TOGETHER_MS + UNDO_MS})
     FROM proposals p JOIN idea_banks b ON b.id = p.idea_bank_id JOIN accounts a ON a.id = p.account_id
     WHERE p.id = :proposalId AND p.account_id = :accountId AND p.idea_bank_id = :ideaBankId AND p.duplicate_of IS NULL
       AND a.notifies_people = 1 AND b.notifies_people = 1 AND (${TELLS_STATUS} OR ${TELLS_RESPONSE})
       ${when === undefined ? "" : `AND EXISTS (SELECT 1 FROM proposals WHERE ${when.condition})`}
     ON CONFLICT (proposal_id, kind) WHERE started_at IS NULL DO UPDATE SET
       tells_status = max(tells_status, excluded.tells_status), tells_response = max(tells_response, excluded.tells_response),
       actor = iif(actor IS excluded.actor, actor, NULL)`,
    {
      ...when?.values,
      ...{ accountId, ideaBankId, proposalId, now, status, response },
      actor: telling.actor,
      tellsEdit: telling.response === true,
    },
  );
}

/** The next slice takes the others. */
const STARTED_AT_ONCE = 200;

/** Whether people may read the idea now: hidden, waiting, merged, of a closed board and of a deleted author is told to nobody. */
export const IS_SHOWN = `(p.listed = 1 AND b.status = 'OPEN' AND b.internal = 0 AND b.notifies_people = 1 AND a.notifies_people = 1
  AND a.status = 'active' AND ${authorStays("p.author_id")})`;

/** SQL: the comments on the proposal that are news for those who follow it. `when`: the condition of the time, when each was written or approved. */
export const newComments = (proposalId: string, when: (at: string) => string): string => {
  const of = `SELECT * FROM comments WHERE proposal_id = ${proposalId} AND visibility = 'public'`;
  return `${of} AND shown_at IS NULL AND ${when("comments.created_at")} UNION ALL ${of} AND ${when("shown_at")}`;
};

const DIFFERS = `EXISTS (SELECT 1 FROM proposals p JOIN idea_banks b ON b.id = p.idea_bank_id JOIN accounts a ON a.id = b.account_id
  WHERE p.id = outbox.proposal_id AND p.idea_bank_id = outbox.idea_bank_id AND ${IS_SHOWN} AND `;
const NEW_STATUS = `(tells_status = 1 AND ${DIFFERS} p.status IS NOT status_before AND p.status <> 'submitted'))`;
const NEW_RESPONSE = `(tells_response = 1 AND ${DIFFERS} p.response IS NOT NULL AND p.responded_at IS NOT responded_before))`;
const NEW_COMMENT = `(kind = 'comments' AND ${DIFFERS} EXISTS (${newComments("p.id", (at) => `${at} >= outbox.created_at`)})))`;

/** Fixes what is told by a slice of the rows whose time has come. One that has nothing left to tell is finished. False when none was left. */
export async function startDue(session: Session, now: number): Promise<boolean> {
  const started = await session.run(
    prepare(
      `UPDATE outbox SET started_at = :now, (tells_status, tells_response, found_after, finished_at) = (SELECT s, r,
           iif(s OR r OR c, '', NULL), iif(s OR r OR c, NULL, :now) FROM (SELECT ${NEW_STATUS} AS s, ${NEW_RESPONSE} AS r, ${NEW_COMMENT} AS c))
       WHERE id IN (SELECT id FROM outbox WHERE started_at IS NULL AND starts_at <= :now ORDER BY starts_at LIMIT ${STARTED_AT_ONCE})`,
      { now },
    ),
  );
  return started > 0;
}

/** A page of a person or an idea shows this many. */
const SHOWN_AT_MOST = 10;

/** What was told of an idea, the newest first: counts of e-mails. `at`: when the sending started; null while it has not. */
export type ToldOfIdea = {
  readonly kind: "decision" | "comments";
  readonly at: number | null;
  readonly startsAt: number;
  readonly isFinished: boolean;
  readonly sent: number;
  readonly unknown: number;
  readonly refused: number;
};

/** A count stops here: a page reads as many votes, comments and followers at most. */
export const COUNTED_PEOPLE = 1_000;

/** How many addresses are told when something is decided about these ideas now, counted up to 1,000. */
export async function countTold(
  session: Session,
  { accountId, proposalIds, actor }: { accountId: string; proposalIds: readonly string[]; actor: string | undefined },
): Promise<number> {
  const of = (table: string, which = "") =>
    `SELECT * FROM (SELECT proposal_id, panelist_id FROM json_each(:ids) CROSS JOIN ${table} ON proposal_id = value ${which} LIMIT ${COUNTED_PEOPLE})`;
  const row = await session.first(
    prepare<{ people: number }>(
      `SELECT count(*) AS people FROM (SELECT DISTINCT w.email FROM (
           ${of("votes")} UNION ${of("comments", "AND visibility = 'public'")} UNION ${of("follows")} UNION SELECT q.id, q.author_id FROM json_each(:ids) e CROSS JOIN proposals q ON q.id = e.value) x
         CROSS JOIN panelists w ON w.id = x.panelist_id CROSS JOIN proposals p ON p.id = x.proposal_id
           JOIN idea_banks b ON b.id = p.idea_bank_id JOIN accounts a ON a.id = p.account_id
         WHERE p.account_id = :accountId AND ${IS_SHOWN} AND w.email IS NOT NULL AND w.active = 1 AND w.deleted_at IS NULL
           AND w.unreachable_at IS NULL AND w.email IS NOT :actor AND NOT ${IS_MUTED} LIMIT ${COUNTED_PEOPLE})`,
      { accountId, ids: JSON.stringify(proposalIds), actor },
    ),
  );
  return row?.people ?? 0;
}

type ToldRow = Omit<ToldOfIdea, "isFinished" | "startsAt"> & { starts_at: number; finished_at: number | null };

/** What was taken back before the sending starts is not told, so it is not listed. */
export async function listToldOfIdea(
  session: Session,
  { accountId, proposalId }: { accountId: string; proposalId: string },
): Promise<readonly ToldOfIdea[]> {
  const rows = await session.all(
    prepare<ToldRow>(
      `SELECT kind, started_at AS at, starts_at, finished_at, sent, unknown, refused FROM outbox
       WHERE proposal_id = :proposalId AND account_id = :accountId AND (finished_at IS NULL OR sent + unknown + refused > 0)
         AND (started_at IS NOT NULL OR ${NEW_STATUS} OR ${NEW_RESPONSE} OR ${NEW_COMMENT})
       ORDER BY id DESC LIMIT ${SHOWN_AT_MOST}`,
      { accountId, proposalId },
    ),
  );
  return rows.map(({ starts_at, finished_at, ...row }) => ({
    ...row,
    startsAt: starts_at,
    isFinished: finished_at !== null,
  }));
}

/** Rows, and their recipients, are kept this long. */
const KEPT_MS = 30 * 86_400_000;
const SLICE = 500;

/** Deletes one slice of what is too old. False when nothing was left. */
export async function deleteOldMails(session: Session, now: number): Promise<boolean> {
  const values = { expired: now - KEPT_MS };
  const oldest = `(SELECT id FROM outbox WHERE created_at < :expired ORDER BY created_at LIMIT 1)`;
  const { old } = await session.batch({
    recipients: prepare(
      `DELETE FROM recipients WHERE outbox_id = ${oldest} AND email IN (SELECT email FROM recipients WHERE outbox_id = ${oldest} LIMIT ${SLICE})`,
      values,
    ),
    old: prepare<{ id: number }>(
      `DELETE FROM outbox WHERE id = ${oldest} AND NOT EXISTS (SELECT 1 FROM recipients WHERE outbox_id = outbox.id) RETURNING id`,
      values,
    ),
    days: prepare("DELETE FROM mail_days WHERE day < :expired / 86400000", values),
    left: prepare(`SELECT ${oldest} AS id`, values),
  });
  return old.length > 0;
}
