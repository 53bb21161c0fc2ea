/**
 * What members are told of ideas: whose turn it is, what is new for each, and the mark "told up to". The mark is moved before the sending, and
 * only from where it was read. So of two runs one sends, and what a missed run has left is told by the next one.
 */
import type { MailMode } from "../../model/member-mails.ts";
import type { ProposalStatus } from "../../model/proposal.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { isMember } from "../members/membership.ts";
import { authorStays } from "../proposals/deletions.ts";
import { OPEN_STATUSES } from "../proposals/queue.ts";
import type { SlicePosition } from "../slices.ts";
import { dayOf } from "./recipients.ts";

/** A day's e-mail, or the one that comes at once. */
export type ToldMode = Exclude<MailMode, "never">;

/** Of an account with more boards, the newest ones are read. */
export const TOLD_BOARDS = 100;
/** A count of what is new on a board stops here. */
export const COUNTED_NEWS = 1_000;
/** The most that one e-mail names of a board. */
const NAMED_NEWS = 10;
/** Of what is told, this much of a text is read. */
const TEXT = 1_000;
/** Between two e-mails at once to the same member. */
const AT_ONCE_MS = 600_000;
/** Of each status of a board, the most wanted are searched for those without a response. */
const WANTED_SEARCHED = 50;
const WANTED = 3;
/** What waits for approval is counted up to this. */
export const COUNTED_WAITING = 100;

/** A member who may be told now. Times in Unix milliseconds. */
export type MemberTurn = {
  readonly accountId: string;
  readonly email: string;
  /** Everything until then was told. */
  readonly told: number;
  /** Of a day's e-mail: when it was due, and by which clock the next one is. */
  readonly dueAt: number;
  readonly timeZone: string | null;
  readonly hour: number;
  /** How many e-mails of the day are sent: of this account, and of all. */
  readonly sentToday: number;
  readonly allSentToday: number;
};

/** `upTo`: what was written later is told by the next e-mail (Unix milliseconds). */
type When = { readonly mode: ToldMode; readonly upTo: number };

const MARKS: Readonly<Record<ToldMode, string>> = { now: "told_up_to_now", daily: "told_up_to_daily" };

const TURN = (mode: ToldMode) =>
  `t.account_id AS accountId, t.email, t.${MARKS[mode]} AS told, t.next_digest_at AS dueAt, t.time_zone AS timeZone, t.hour,
   coalesce((SELECT sent FROM mail_days d WHERE d.day = :day AND d.account_id = t.account_id), 0) AS sentToday,
   coalesce((SELECT sum(sent) FROM mail_days WHERE day = :day), 0) AS allSentToday`;
const NOT_STOPPED = "NOT EXISTS (SELECT 1 FROM mail_stops WHERE until > :now)";

/** The next members whose digest is due, and whom this run has not looked at. */
const DUE = `SELECT ${TURN("daily")} FROM told_members t
  WHERE t.next_digest_at <= :now AND (t.next_digest_at, t.account_id, t.email) > (:afterTime, :afterAccount, :afterEmail) AND ${NOT_STOPPED}
  ORDER BY t.next_digest_at, t.account_id, t.email LIMIT :limit`;

/** The next members who are told of something at once, but for those who had such an e-mail within ten minutes. */
const AT_ONCE = `SELECT ${TURN("now")} FROM (SELECT DISTINCT account_id, email FROM member_mails INDEXED BY member_mails_at_once
    WHERE (ideas = 'now' OR comments = 'now') AND (account_id, email) > (:afterAccount, :afterEmail) ORDER BY account_id, email LIMIT :limit) m
  CROSS JOIN told_members t ON t.account_id = m.account_id AND t.email = m.email
  WHERE ${NOT_STOPPED} ORDER BY t.account_id, t.email`;

/** `position` moves on; so within a run each member has one turn, and nobody holds up the others. `isLast`: no other is left. */
export async function nextMembers(
  session: Session,
  position: SlicePosition,
  { mode, now, upTo, limit }: When & { readonly now: number; readonly limit: number },
): Promise<{ readonly turns: readonly MemberTurn[]; readonly isLast: boolean }> {
  const [afterAccount = "", afterEmail = ""] = position.id.split(" ");
  const values = { now, day: dayOf(now), limit, afterTime: position.at, afterAccount, afterEmail };
  const rows = await session.all(prepare<MemberTurn>(mode === "daily" ? DUE : AT_ONCE, values));
  const last = rows.at(-1);
  if (last === undefined) return { turns: [], isLast: true };
  Object.assign(position, { at: last.dueAt, id: `${last.accountId} ${last.email}` });
  const turns = mode === "daily" ? rows : rows.filter(({ told }) => told <= upTo - AT_ONCE_MS);
  return { turns, isLast: rows.length < limit };
}

export type NewIdea = { readonly id: string; readonly title: string; readonly description: string };
/** New comments on one idea. `body`: of the newest. */
export type NewComments = {
  readonly id: string;
  readonly title: string;
  readonly count: number;
  readonly body: string;
};

/** What is new on one board. Counts stop at 1,000; the newest ideas, and those with most comments, are named. */
type BoardNews = {
  readonly id: string;
  readonly name: string;
  readonly ideas: { readonly count: number; readonly named: readonly NewIdea[] };
  readonly comments: { readonly count: number; readonly ideas: number; readonly named: readonly NewComments[] };
};

/** What is new for a member. `account`: the address of the account's creator. */
export type MemberNews = { readonly turn: MemberTurn; readonly account: string; readonly boards: readonly BoardNews[] };

/** What was chosen for the board, else for all boards. */
const modeOf = (kind: "ideas" | "comments") => `coalesce(own.${kind}, al.${kind}, 'never')`;
/** Since when. */
const sinceOf = (kind: "ideas" | "comments") =>
  `iif(own.${kind} IS NULL, max(coalesce(own.${kind}_since, 0), coalesce(al.${kind}_since, 0)), own.${kind}_since)`;

/** The member wrote it: as a person, or at the desk, where the event has the time of what it is about. */
const isOwn = (row: string, author: string) =>
  `(EXISTS (SELECT 1 FROM panelists w WHERE w.id = ${row}.${author} AND w.email = m.email)
    OR EXISTS (SELECT 1 FROM audit_events e WHERE e.account_id = m.account_id AND e.created_at = ${row}.created_at AND e.subject_id = ${row}.id AND e.actor = m.email))`;

/** Of an imported idea nobody is told. The history of any other begins with who created it, if that was not its author. */
const IS_NOT_IMPORTED = `(p.panelist_writes > 0 OR EXISTS (SELECT 1 FROM proposal_steps s
  WHERE s.proposal_id = p.id AND s.number = 1 AND s.changes -> '$.created' IS NOT NULL))`;
const NEW_IDEAS = `SELECT p.id, p.title, p.description, p.created_at FROM proposals p
  WHERE p.idea_bank_id = m.bank_id AND p.duplicate_of IS NULL AND p.created_at > m.ideas_after AND p.created_at <= :upTo
    AND p.visibility <> 'hidden' AND ${IS_NOT_IMPORTED} AND NOT ${isOwn("p", "author_id")} AND ${authorStays("p.author_id")} ORDER BY p.created_at DESC, p.id DESC`;
const NEW_COMMENTS = `SELECT c.proposal_id, c.body, c.created_at FROM comments c
  WHERE c.idea_bank_id = m.bank_id AND c.created_at > m.comments_after AND c.created_at <= :upTo
    AND c.visibility <> 'hidden' AND c.shown_at IS NOT 0 AND NOT ${isOwn("c", "panelist_id")} AND ${authorStays("c.panelist_id")} ORDER BY c.created_at DESC, c.id DESC LIMIT ${COUNTED_NEWS}`;
const COMMENTED = `SELECT proposal_id, count(*) AS count, sum(count(*)) OVER () AS total, count(*) OVER () AS ideas, max(created_at), body
  FROM (${NEW_COMMENTS}) GROUP BY proposal_id ORDER BY 2 DESC, proposal_id LIMIT ${NAMED_NEWS}`;

/** A time that nothing is later than. */
const NEVER = Number.MAX_SAFE_INTEGER;

type NewsRow = {
  account_id: string;
  email: string;
  account: string;
  bank_id: string;
  name: string;
  ideas: number;
  named: string;
  commented: string;
};

/**
 * What is new for these members until `upTo`, for those who are members now. Those for whom nothing is new are left out. Each row is found by
 * an index, and at most 1,000 ideas and comments of a board are read.
 */
export async function readNews(
  session: Session,
  turns: readonly MemberTurn[],
  { mode, upTo }: When,
): Promise<readonly MemberNews[]> {
  const rows = await session.all(
    prepare<NewsRow>(
      `SELECT account_id, email, account, bank_id, name,
         (SELECT count(*) FROM (SELECT 1 FROM (${NEW_IDEAS}) LIMIT ${COUNTED_NEWS})) AS ideas,
         (SELECT json_group_array(json_object('id', id, 'title', title, 'description', substr(description, 1, ${TEXT})))
           FROM (${NEW_IDEAS} LIMIT ${NAMED_NEWS})) AS named,
         (SELECT json_group_array(json_object('id', n.proposal_id, 'count', n.count, 'total', n.total, 'ideas', n.ideas, 'body', substr(n.body, 1, ${TEXT}),
           'title', (SELECT title FROM proposals WHERE id = n.proposal_id))) FROM (${COMMENTED}) n) AS commented
       FROM (
         SELECT a.id AS account_id, a.owner_email AS account, e.value ->> 'email' AS email, b.id AS bank_id, b.name,
           iif(${modeOf("ideas")} = :mode, max(e.value ->> 'told', ${sinceOf("ideas")}), ${NEVER}) AS ideas_after,
           iif(${modeOf("comments")} = :mode, max(e.value ->> 'told', ${sinceOf("comments")}), ${NEVER}) AS comments_after
         FROM json_each(:members) e CROSS JOIN accounts a ON a.id = e.value ->> 'accountId'
           CROSS JOIN idea_banks b ON b.id IN (SELECT id FROM idea_banks WHERE account_id = a.id ORDER BY created_at DESC, id DESC LIMIT ${TOLD_BOARDS})
           LEFT JOIN member_mails own ON own.account_id = a.id AND own.email = e.value ->> 'email' AND own.idea_bank_id = b.id
           LEFT JOIN member_mails al ON al.account_id = a.id AND al.email = e.value ->> 'email' AND al.idea_bank_id = ''
         WHERE a.status = 'active' AND b.account_id = a.id AND ${isMember("a.id", "e.value ->> 'email'")}
           AND (${modeOf("ideas")} = :mode OR ${modeOf("comments")} = :mode)) m
       ORDER BY account_id, email, name, bank_id`,
      { members: JSON.stringify(turns.map(({ accountId, email, told }) => ({ accountId, email, told }))), mode, upTo },
    ),
  );
  return turns.flatMap((turn) => {
    const own = rows.filter((row) => row.account_id === turn.accountId && row.email === turn.email).map(toBoard);
    const boards = own.filter(({ ideas, comments }) => ideas.count + comments.count > 0);
    return boards.length === 0 ? [] : [{ turn, account: rows.find(isOf(turn))?.account ?? "", boards }];
  });
}

const isOf =
  ({ accountId, email }: MemberTurn) =>
  (row: NewsRow) =>
    row.account_id === accountId && row.email === email;

function toBoard({ bank_id: id, name, ideas, named, commented }: NewsRow): BoardNews {
  const comments = JSON.parse(commented) as readonly (NewComments & { total: number; ideas: number })[];
  return {
    ...{ id, name },
    ideas: { count: ideas, named: JSON.parse(named) as readonly NewIdea[] },
    comments: { count: comments[0]?.total ?? 0, ideas: comments[0]?.ideas ?? 0, named: comments },
  };
}

/** What a day's e-mail says besides what is new. */
export type Standing = {
  /** Ideas that wait for approval, counted up to 100. */
  readonly waiting: number;
  /** The most wanted open ideas without a response. */
  readonly wanted: readonly { readonly id: string; readonly title: string; readonly votes: number }[];
};

/** Of these accounts, by their ids. Reads at most 50 ideas of each status and board, and 100 that wait. */
export async function readStanding(
  session: Session,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const top = (status: ProposalStatus) =>
    `SELECT * FROM (SELECT id, title, votes, response FROM proposals INDEXED BY proposals_top
       WHERE idea_bank_id = b.id AND status = '${status}' AND listed = 1 ORDER BY votes DESC, id DESC LIMIT ${WANTED_SEARCHED})`;
  const rows = await session.all(
    prepare<{ id: string; waiting: number; wanted: string }>(
      `SELECT a.id,
         (SELECT count(*) FROM (SELECT 1 FROM proposals WHERE account_id = a.id AND visibility = 'pending' AND duplicate_of IS NULL
           LIMIT ${COUNTED_WAITING})) AS waiting,
         (SELECT json_group_array(json(found)) FROM (
            SELECT w.value AS found FROM (SELECT id FROM idea_banks WHERE account_id = a.id ORDER BY created_at DESC, id DESC LIMIT ${TOLD_BOARDS}) b
              CROSS JOIN json_each((SELECT json_group_array(json_object('id', id, 'title', title, 'votes', votes)) FROM (
                SELECT id, title, votes FROM (${OPEN_STATUSES.map(top).join(" UNION ALL ")})
                WHERE response IS NULL AND votes > 0 ORDER BY votes DESC, id LIMIT ${WANTED}))) w
            ORDER BY w.value ->> 'votes' DESC, w.value ->> 'id' LIMIT ${WANTED})) AS wanted
       FROM json_each(:ids) e CROSS JOIN accounts a ON a.id = e.value`,
      { ids: JSON.stringify(accountIds) },
    ),
  );
  return new Map(
    rows.map(({ id, waiting, wanted }) => [id, { waiting, wanted: JSON.parse(wanted) as Standing["wanted"] }]),
  );
}

/** Moves the mark of a member to `upTo`; a digest's next time is `nextAt`. */
type Claim = { readonly turn: MemberTurn; readonly nextAt: number };

/** Returns the turns whose mark was moved: nobody else has taken them, and they are members still. */
export async function claimMembers(
  session: Session,
  claims: readonly Claim[],
  { mode, upTo }: When,
): Promise<readonly MemberTurn[]> {
  if (claims.length === 0) return [];
  const mark = MARKS[mode];
  const rows = await session.all(
    prepare<{ account_id: string; email: string }>(
      `UPDATE told_members SET ${mark} = :upTo${mode === "daily" ? ", next_digest_at = e.value ->> 'nextAt'" : ""}
       FROM json_each(:claims) e WHERE told_members.account_id = e.value ->> 'accountId' AND told_members.email = e.value ->> 'email'
         AND ${mark} = e.value ->> 'told' AND (:mode = 'now' OR next_digest_at = e.value ->> 'dueAt')
         AND ${isMember("told_members.account_id", "told_members.email")}
       RETURNING account_id, email`,
      { claims: JSON.stringify(claims.map(({ turn, nextAt }) => ({ ...turn, nextAt }))), mode, upTo },
    ),
  );
  const taken = new Set(rows.map(({ account_id, email }) => `${account_id} ${email}`));
  return claims.map(({ turn }) => turn).filter(({ accountId, email }) => taken.has(`${accountId} ${email}`));
}

/** Writes how many e-mails were sent, or may have been; and puts back the marks of those that surely were not. */
export async function endMembers(
  session: Session,
  { sent, unsent }: { readonly sent: readonly MemberTurn[]; readonly unsent: readonly MemberTurn[] },
  { mode, upTo, now }: When & { readonly now: number },
): Promise<void> {
  if (sent.length + unsent.length === 0) return;
  const mark = MARKS[mode];
  await session.batch({
    counted:
      sent.length === 0
        ? undefined
        : prepare(
            `INSERT INTO mail_days (day, account_id, sent) SELECT :day, value, count(*) FROM json_each(:ids) WHERE true GROUP BY value
             ON CONFLICT DO UPDATE SET sent = sent + excluded.sent`,
            { day: dayOf(now), ids: JSON.stringify(sent.map(({ accountId }) => accountId)) },
          ),
    putBack:
      unsent.length === 0
        ? undefined
        : prepare(
            `UPDATE told_members SET ${mark} = e.value ->> 'told'${mode === "daily" ? ", next_digest_at = e.value ->> 'dueAt'" : ""}
             FROM json_each(:turns) e WHERE told_members.account_id = e.value ->> 'accountId' AND told_members.email = e.value ->> 'email'
               AND ${mark} = :upTo`,
            { turns: JSON.stringify(unsent), upTo },
          ),
  });
}
