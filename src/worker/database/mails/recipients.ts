/**
 * Who is told: fixed once the sending has started, one row for an address and a decision. `sending` is written before the call and the outcome
 * after it, so whatever happens in between, no e-mail is sent twice: what has no outcome is unknown.
 */
import type { ProposalStatus } from "../../model/proposal.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { authorStays } from "../proposals/deletions.ts";
import type { SlicePosition } from "../slices.ts";
import { IS_MUTED } from "./mutes.ts";
import { IS_SHOWN, newComments } from "./outbox.ts";

/** A slice looks at this many voters, and at as many who follow. */
const FOUND_AT_ONCE = 500;
/** Of the newest comments of an idea, whose authors are told. */
const COMMENTS_LOOKED_AT = 2_000;
/** Not told later than this after the decision. */
const LATEST_MS = 3 * 86_400_000;
/** A call has ended by then. */
const CALL_MS = 15 * 60_000;

/** SQL. Votes of a merge that is under way arrive in the next minutes. */
const isReady = (proposalId: string): string => `NOT EXISTS (SELECT 1 FROM merges WHERE target_id = ${proposalId})`;

type Found = { id: number; account_id: string; proposal_id: string; found_after: string; kind: string };

/**
 * Writes one slice of recipients, of the account whose turn it is. Who was blocked or cannot be reached is not told, and nobody of their own
 * acts. False when no row is ready for its recipients.
 */
export async function findRecipients(session: Session, position: SlicePosition, now: number): Promise<boolean> {
  const next = (after: string) =>
    `SELECT * FROM (SELECT id, account_id, proposal_id, found_after, kind FROM outbox INDEXED BY outbox_under_way
       WHERE started_at IS NOT NULL AND finished_at IS NULL AND found_after IS NOT NULL AND account_id > ${after} AND ${isReady("outbox.proposal_id")}
       ORDER BY account_id, id LIMIT 1)`;
  const row = await session.first(
    prepare<Found>(`${next(":after")} UNION ALL ${next("''")} LIMIT 1`, { after: position.id }),
  );
  if (row === null) return false;
  position.id = row.account_id;
  const values = { outboxId: row.id, proposalId: row.proposal_id, after: row.found_after, now };
  const inOrder = (table: string) =>
    `SELECT panelist_id FROM ${table} WHERE proposal_id = :proposalId AND panelist_id > :after ORDER BY panelist_id LIMIT ${FOUND_AT_ONCE}`;
  const voters = row.kind === "decision" ? `SELECT * FROM (${inOrder("votes")}) UNION` : "";
  const slice = `SELECT panelist_id FROM (${voters} SELECT * FROM (${inOrder("follows")})) ORDER BY panelist_id LIMIT ${FOUND_AT_ONCE}`;
  const first =
    row.kind === "decision" && row.found_after === ""
      ? `UNION SELECT author_id FROM proposals WHERE id = :proposalId
         UNION SELECT panelist_id FROM (SELECT panelist_id FROM comments WHERE proposal_id = :proposalId AND visibility = 'public'
           ORDER BY created_at DESC, id DESC LIMIT ${COMMENTS_LOOKED_AT})`
      : "";
  await session.batch({
    inserted: prepare(
      `INSERT INTO recipients (outbox_id, email, account_id, idea_bank_id, panelist_id, changed_at)
       SELECT o.id, w.email, o.account_id, o.idea_bank_id, w.id, :now
       FROM outbox o CROSS JOIN (SELECT panelist_id FROM (${slice}) ${first}) found CROSS JOIN panelists w ON w.id = found.panelist_id
       WHERE o.id = :outboxId AND o.found_after = :after AND w.account_id = o.account_id AND w.email IS NOT NULL AND w.active = 1
         AND w.deleted_at IS NULL AND w.unreachable_at IS NULL AND w.email IS NOT o.actor AND ${isReady(":proposalId")}
       ON CONFLICT DO NOTHING`,
      values,
    ),
    moved: prepare(
      `UPDATE outbox SET found_after = (SELECT iif(count(*) < ${FOUND_AT_ONCE}, NULL, max(panelist_id)) FROM (${slice}))
       WHERE id = :outboxId AND found_after = :after AND ${isReady(":proposalId")}`,
      values,
    ),
  });
  return true;
}

/** An account that has e-mails to send, and what keeps it from it. Times in Unix milliseconds. */
type MailTurn = {
  readonly accountId: string;
  /** How many e-mails of the day are sent: of this account, and of all. */
  readonly sentToday: number;
  readonly allSentToday: number;
};

/** In days since 1970. */
export const dayOf = (now: number): number => Math.floor(now / 86_400_000);

/**
 * The account whose turn it is; undefined when nothing is to be sent, or the sending stands still. Not one whose recipients are being written:
 * what an address is told of two ideas is one e-mail. What was left in a call is unknown.
 */
export async function nextMailTurn(
  session: Session,
  position: SlicePosition,
  now: number,
): Promise<MailTurn | undefined> {
  const next = (after: string) =>
    `SELECT * FROM (SELECT account_id FROM outbox o WHERE started_at IS NOT NULL AND finished_at IS NULL AND account_id > ${after}
       AND NOT EXISTS (SELECT 1 FROM outbox f WHERE f.account_id = o.account_id AND f.started_at IS NOT NULL AND f.finished_at IS NULL
         AND f.found_after IS NOT NULL) ORDER BY account_id LIMIT 1)`;
  const { turns } = await session.batch({
    lost: prepare(`UPDATE recipients SET state = 'unknown' WHERE state = 'sending' AND changed_at < :lost`, {
      lost: now - CALL_MS,
    }),
    turns: prepare<{ account_id: string; own: number | null; total: number | null }>(
      `SELECT account_id, (SELECT sent FROM mail_days d WHERE d.day = :day AND d.account_id = t.account_id) AS own,
         (SELECT sum(sent) FROM mail_days WHERE day = :day) AS total
       FROM (${next(":after")} UNION ALL ${next("''")} LIMIT 1) t
       WHERE NOT EXISTS (SELECT 1 FROM mail_stops WHERE until > :now)`,
      { after: position.id, now, day: dayOf(now) },
    ),
  });
  const [turn] = turns;
  if (turn === undefined) return undefined;
  position.id = turn.account_id;
  return { accountId: turn.account_id, sentToday: turn.own ?? 0, allSentToday: turn.total ?? 0 };
}

type Key = { readonly outboxId: number; readonly email: string };

/** One idea in an e-mail. `isSkipped`: it is not told any more. */
export type ToldIdea = Key & {
  readonly accountId: string;
  readonly mailKey: string | null;
  readonly ideaBank: {
    readonly id: string;
    readonly name: string;
    readonly url: string | null;
    readonly publicPage: boolean;
  };
  /** Of the person, else of the board. */
  readonly language: string | null;
  readonly panelistId: string;
  readonly proposalId: string;
  readonly title: string;
  readonly description: string;
  readonly status: ProposalStatus;
  readonly response: string | null;
  readonly tellsStatus: boolean;
  readonly tellsResponse: boolean;
  /** New ones for somebody who follows the idea: how many, and the newest. */
  readonly comments: {
    readonly count: number;
    readonly body: string;
    readonly name: string | null;
    readonly byTeam: boolean;
  } | null;
  readonly isSkipped: boolean;
};

type ClaimedRow = { outbox_id: number; email: string };
type ToldRow = ClaimedRow & {
  account_id: string;
  mail_key: string | null;
  bank_id: string;
  bank: string;
  url: string | null;
  public_page: number;
  language: string | null;
  panelist_id: string;
  proposal_id: string;
  title: string;
  description: string;
  status: ProposalStatus;
  response: string | null;
  tells_status: number;
  tells_response: number;
  kind: string;
  comment: string | null;
  is_told: number;
};

/** SQL: from when on comments are told by a later row. A comment is in the row that waited when it was written, whatever its own time. */
const NEXT_COMMENTS = `(SELECT min(n.created_at) FROM outbox n WHERE n.account_id = o.account_id AND n.proposal_id = o.proposal_id AND n.id > o.id
  AND n.kind = 'comments')`;

/**
 * Takes the e-mails of up to `limit` addresses of the account: from now on nobody else sends them. What an address is told of one board is one
 * e-mail. Returns what they say as it is now, and without what is gone.
 */
export async function claimMails(
  session: Session,
  { accountId, limit, now }: { readonly accountId: string; readonly limit: number; readonly now: number },
): Promise<readonly ToldIdea[]> {
  const claimed = await session.all(
    prepare<ClaimedRow>(
      `UPDATE recipients SET state = 'sending', changed_at = :now WHERE state = 'waiting' AND (outbox_id, email) IN (
         SELECT r.outbox_id, r.email FROM (SELECT DISTINCT idea_bank_id, email FROM recipients WHERE account_id = :accountId AND state = 'waiting'
             ORDER BY idea_bank_id, email LIMIT :limit) g
           CROSS JOIN recipients r ON r.account_id = :accountId AND r.idea_bank_id = g.idea_bank_id AND r.email = g.email AND r.state = 'waiting')
       RETURNING outbox_id, email`,
      { accountId, limit, now },
    ),
  );
  if (claimed.length === 0) return [];
  // A comment of one's own is no news.
  const comment = `(SELECT json_object('count', count(*), 'body', substr(max(printf('%015d', c.created_at) || c.body), 16, 1000), 'name', (
         SELECT n.display_name FROM panelists n WHERE n.id = c.panelist_id AND n.deleted_at IS NULL), 'byTeam', json(iif(c.by_tenant, 'true', 'false')))
       FROM (${newComments("o.proposal_id", (at) => `${at} >= o.created_at AND ${at} < coalesce(${NEXT_COMMENTS}, 9e15)`)}) c
       WHERE c.panelist_id IS NOT w.id AND ${authorStays("c.panelist_id")})`;
  const rows = await session.all(
    prepare<ToldRow>(
      `SELECT r.outbox_id, r.email, a.id AS account_id, a.mail_key, o.idea_bank_id AS bank_id, coalesce(b.name, '') AS bank, b.url,
         coalesce(b.public_page, 0) AS public_page, coalesce(w.language, b.language) AS language, r.panelist_id, o.proposal_id,
         coalesce(p.title, '') AS title, coalesce(p.description, '') AS description, coalesce(p.status, '') AS status, p.response,
         o.tells_status, o.tells_response, o.kind, iif(o.kind = 'comments', ${comment}, NULL) AS comment,
         coalesce(${IS_SHOWN} AND w.email IS r.email AND w.active = 1 AND w.deleted_at IS NULL AND o.created_at > :latest
           AND (o.kind = 'decision' OR EXISTS (SELECT 1 FROM follows f WHERE f.proposal_id = p.id AND f.panelist_id = w.id))
           AND NOT ${IS_MUTED}, 0) AS is_told
       FROM json_each(:claimed) e CROSS JOIN recipients r ON r.outbox_id = e.value ->> 0 AND r.email = e.value ->> 1
         CROSS JOIN outbox o ON o.id = r.outbox_id
         LEFT JOIN proposals p ON p.id = o.proposal_id AND p.idea_bank_id = o.idea_bank_id
         LEFT JOIN idea_banks b ON b.id = o.idea_bank_id LEFT JOIN accounts a ON a.id = o.account_id LEFT JOIN panelists w ON w.id = r.panelist_id
       ORDER BY r.outbox_id`,
      { claimed: JSON.stringify(claimed.map(({ outbox_id, email }) => [outbox_id, email])), latest: now - LATEST_MS },
    ),
  );
  return rows.map(toTold);
}

function toTold(row: ToldRow): ToldIdea {
  const comments = row.comment === null ? null : (JSON.parse(row.comment) as NonNullable<ToldIdea["comments"]>);
  const { title, description, status, response, language } = row;
  return {
    ...{ outboxId: row.outbox_id, email: row.email, accountId: row.account_id, mailKey: row.mail_key },
    ideaBank: { id: row.bank_id, name: row.bank, url: row.url, publicPage: row.public_page === 1 },
    ...{ title, description, status, response, language, panelistId: row.panelist_id, proposalId: row.proposal_id },
    ...{ tellsStatus: row.tells_status === 1, tellsResponse: row.tells_response === 1, comments },
    isSkipped: row.is_told !== 1 || comments?.count === 0,
  };
}

/** `waiting`: it was not sent, and will be. */
export type EndState = "sent" | "unknown" | "refused" | "skipped" | "waiting";
export type Ended = Key & { readonly state: EndState; readonly panelistId: string; readonly isUnreachable: boolean };

/** Writes what became of claimed e-mails. `mails`: how many were sent, or may have been. */
export async function endMails(
  session: Session,
  { accountId, ended, mails, now }: { accountId: string; ended: readonly Ended[]; mails: number; now: number },
): Promise<void> {
  const values = { accountId, now, mails, day: dayOf(now), ended: JSON.stringify(ended) };
  const counted = (state: string) =>
    `${state} = ${state} + (SELECT count(*) FROM json_each(:ended) WHERE value ->> 'outboxId' = outbox.id AND value ->> 'state' = '${state}')`;
  await session.batch({
    states: prepare(
      `UPDATE recipients SET changed_at = :now, state = e.state FROM (SELECT value ->> 'outboxId' AS id, value ->> 'email' AS email,
           value ->> 'state' AS state FROM json_each(:ended)) e
       WHERE recipients.outbox_id = e.id AND recipients.email = e.email AND recipients.state = 'sending'`,
      values,
    ),
    counts: prepare(
      `UPDATE outbox SET ${["sent", "unknown", "refused"].map(counted).join(", ")}
       WHERE id IN (SELECT value ->> 'outboxId' FROM json_each(:ended))`,
      values,
    ),
    day:
      mails === 0
        ? undefined
        : prepare(
            `INSERT INTO mail_days (day, account_id, sent) VALUES (:day, :accountId, :mails)
             ON CONFLICT DO UPDATE SET sent = sent + excluded.sent`,
            values,
          ),
    unreachable: ended.some(({ isUnreachable }) => isUnreachable)
      ? prepare(
          `UPDATE panelists SET unreachable_at = :now WHERE account_id = :accountId AND email IN (
             SELECT value ->> 'email' FROM json_each(:ended) WHERE value ->> 'isUnreachable')`,
          values,
        )
      : undefined,
  });
}

/** Rows of the account whose recipients are complete, once none of its e-mails is waiting. */
export const finishMails = (
  session: Session,
  { accountId, now }: { accountId: string; now: number },
): Promise<number> =>
  session.run(
    prepare(
      `UPDATE outbox SET finished_at = :now WHERE account_id = :accountId AND started_at IS NOT NULL AND finished_at IS NULL AND found_after IS NULL
         AND NOT EXISTS (SELECT 1 FROM recipients WHERE account_id = :accountId AND state = 'waiting')`,
      { accountId, now },
    ),
  );

/** Every e-mail stands still until this time. */
export const stopMails = (session: Session, { reason, now, until }: { reason: string; now: number; until: number }) =>
  session.run(
    prepare(
      `INSERT INTO mail_stops (id, reason, since, until) VALUES (1, :reason, :now, :until)
       ON CONFLICT DO UPDATE SET reason = excluded.reason, until = excluded.until, since = iif(until < :now - 7200000, :now, since)`,
      { reason, now, until },
    ),
  );

/** Why no e-mail is sent. `since`, `until`: Unix milliseconds. */
export type MailStop = { readonly reason: string; readonly since: number; readonly until: number };

/** SQL: the one row, while they stand still at the time `:now`. */
export const MAIL_STOP = "SELECT reason, since, until FROM mail_stops WHERE until > :now";

/** The key that the account's links are signed with. `fresh`: it, where there is none yet. */
export async function mailKeyOf(session: Session, accountId: string, fresh: string): Promise<string> {
  const row = await session.first(
    prepare<{ mail_key: string }>(
      "UPDATE accounts SET mail_key = coalesce(mail_key, :fresh) WHERE id = :accountId RETURNING mail_key",
      { accountId, fresh },
    ),
  );
  return row?.mail_key ?? fresh;
}

/** A person's page shows this many. */
const SHOWN_OF_PERSON = 20;

/** An e-mail to a person about an idea, as it stands. `at`: Unix milliseconds. */
export type ToldOfPerson = {
  readonly proposalId: string;
  readonly ideaBankId: string;
  readonly title: string;
  readonly kind: "decision" | "comments";
  readonly state: EndState | "sending";
  readonly at: number;
};

/** The newest e-mails to the person in the last 30 days. None for another account's. */
export const listToldOfPerson = (
  session: Session,
  { accountId, panelistId }: { accountId: string; panelistId: string },
): Promise<readonly ToldOfPerson[]> =>
  session.all(
    prepare<ToldOfPerson>(
      `SELECT o.proposal_id AS proposalId, o.idea_bank_id AS ideaBankId, p.title, o.kind, r.state, r.changed_at AS at
       FROM (SELECT outbox_id, email FROM recipients WHERE panelist_id = :panelistId ORDER BY outbox_id DESC LIMIT ${SHOWN_OF_PERSON}) found
         CROSS JOIN recipients r ON r.outbox_id = found.outbox_id AND r.email = found.email
         CROSS JOIN outbox o ON o.id = r.outbox_id CROSS JOIN proposals p ON p.id = o.proposal_id AND p.idea_bank_id = o.idea_bank_id
       WHERE r.account_id = :accountId ORDER BY r.outbox_id DESC`,
      { accountId, panelistId },
    ),
  );

/** Whether the mail service refuses the person's address. False for another account's person. */
export async function loadUnreachable(
  session: Session,
  { accountId, panelistId }: { accountId: string; panelistId: string },
): Promise<boolean> {
  const sql =
    "SELECT 1 AS yes FROM panelists WHERE id = :panelistId AND account_id = :accountId AND unreachable_at IS NOT NULL AND deleted_at IS NULL";
  return (await session.first(prepare<{ yes: number }>(sql, { accountId, panelistId }))) !== null;
}
