/** The content of an account's first page: the set-up so far, what waits and needs attention, and the last 30 days. */
import type { Owner } from "../../model/account-key.ts";
import { WARNED_MS } from "../../model/api-key.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { SEEN_UP_TO } from "../comments/recent-comments.ts";
import { OWN_ID } from "../mails/member-outbox.ts";
import { MAIL_STOP, type MailStop } from "../mails/recipients.ts";
import { isMember, membersOf } from "../members/membership.ts";
import { authorStays } from "../proposals/deletions.ts";
import { selectWaiting } from "../proposals/pending-proposals.ts";
import { type CountRow, OPEN_STATUSES, selectUnanswered } from "../proposals/queue.ts";
import { RESPONSES, STATUS } from "../surveys/surveys.ts";
import { isSiteTokenValid } from "../tokens/site-tokens.ts";

/** For an account with more idea banks, the newest ones are read. */
const BANKS_AT_MOST = 50;
const SHOWN_BANKS = 3;
/** A count of what was made stops here, and one of what waits. So the page reads 20,000 rows at most. */
export const COUNTED_AT_MOST = 500;
export const COUNTED_WAITING = 1_000;
const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
/** E-mails that failed, responses, and notes that name the member are named for so long. */
const NAMED_MS = 7 * DAY_MS;
const MAILS_AT_MOST = 200;
/** Of the account's notes that name somebody, the newest of the last days are looked at. */
const NOTES_AT_MOST = 200;

const BANKS = `(SELECT id, status, url, public_page FROM idea_banks WHERE account_id = :accountId ORDER BY created_at DESC LIMIT ${BANKS_AT_MOST})`;

/** Of the events of this kind, members are told of those about invitations and new members. */
const EVER_INVITED = `SELECT 1 FROM audit_events WHERE account_id = :accountId AND event = 'changed' AND notice IS NOT NULL`;

/** For an account with more surveys, the newest ones are looked at. */
const SURVEYS_AT_MOST = 50;

type IdeaBankRow = { id: string; name: string };
type EndingRow = { id: string; name: string; expires_at: number };
type SurveyRow = {
  id: string;
  title: string;
  board: string;
  responses: number;
  recent: number;
  closes_at: number | null;
};
type MailRow = { idea_bank_id: string; proposal_id: string; title: string; unknown: number; refused: number };
type NamedRow = {
  proposal_id: string | null;
  idea_bank_id: string | null;
  panelist_id: string | null;
  about: string;
  author: string | null;
  created_at: number;
};
type LeakedRow = { id: string; name: string };
type WebhookRow = { id: string; url: string; state: string; failing_since: number | null };
/** How many were made in the last 30 days and in the 30 days before. */
type MadeRow = { recent: number; before: number };

export type Made = Readonly<MadeRow>;

/** How many `rows` were made from `:month` on, and in the month before; `rows` names the table, with what stands before its time. */
const made = (rows: string) => {
  const between = (from: string, until: string) =>
    `(SELECT count(*) FROM (SELECT 1 FROM ${rows} AND created_at >= ${from} AND created_at < ${until} LIMIT ${COUNTED_AT_MOST}))`;
  return `SELECT ${between(":month", ":now")} AS recent, ${between(":monthBefore", ":month")} AS before`;
};

/** The ideas of a month, and all their votes. */
const ideasOf = (from: string, until: string) =>
  `SELECT count(*) AS ideas, coalesce(sum(votes), 0) AS votes FROM (SELECT p.votes FROM ${BANKS} b CROSS JOIN proposals p ON p.idea_bank_id = b.id
     AND p.duplicate_of IS NULL AND p.created_at >= ${from} AND p.created_at < ${until} LIMIT ${COUNTED_AT_MOST})`;

/** `ended`: all tokens of the account were ended since the board's was handed out, and nobody has said that this is looked after. */
const DARK = `SELECT b.id, b.name FROM accounts a CROSS JOIN ${BANKS} newest CROSS JOIN idea_banks b ON b.id = newest.id
  WHERE a.id = :accountId AND a.tokens_ended_at IS NOT NULL AND coalesce(a.code_renewed_at, 0) < a.tokens_ended_at
    AND b.site_token_issued_at * 1000 <= a.tokens_ended_at AND NOT ${isSiteTokenValid("b")} LIMIT 4`;

/** A `CountRow` of the open ideas that the member has: of the newest 1,000 of the member. */
const ASSIGNED = `SELECT count(*) AS looked, coalesce(sum(idea_bank_id <> id AND status IN (${OPEN_STATUSES.map((status) => `'${status}'`)})), 0) AS count
  FROM (SELECT idea_bank_id, id, status FROM proposals WHERE assignee = ${OWN_ID} AND account_id = :accountId AND duplicate_of IS NULL
    ORDER BY created_at DESC, id DESC LIMIT ${COUNTED_WAITING})`;

/** The ideas and people on which a colleague's note names the member, the newest first. */
const NAMED = `SELECT n.proposal_id, p.idea_bank_id, n.panelist_id, coalesce(p.title, q.display_name, q.external_id, q.id) AS about,
    coalesce(m.name, m.email) AS author, max(n.created_at) AS created_at
  FROM (SELECT * FROM notes WHERE account_id = :accountId AND named <> '[]' AND created_at > :recently ORDER BY created_at DESC LIMIT ${NOTES_AT_MOST}) n
    LEFT JOIN proposals p ON p.id = n.proposal_id AND p.idea_bank_id <> p.id AND ${authorStays("p.author_id")}
    LEFT JOIN panelists q ON q.id = n.panelist_id AND q.deleted_at IS NULL
    LEFT JOIN (${membersOf()}) m ON m.id = n.author_id
  WHERE ${OWN_ID} IN (SELECT value FROM json_each(n.named)) AND n.author_id IS NOT ${OWN_ID} AND (p.id IS NOT NULL OR q.id IS NOT NULL)
  GROUP BY n.proposal_id, n.panelist_id ORDER BY 6 DESC LIMIT 4`;

/** A member says that no page is dark any more. `now` is in Unix milliseconds. */
export const noteRenewedCode = (
  session: Session,
  values: Pick<Owner, "person" | "actor"> & { readonly accountId: string; readonly now: number },
): Promise<number> =>
  session.run(
    prepare(
      `UPDATE accounts SET code_renewed_at = :now WHERE id = :accountId AND ${isMember(":accountId", ":person", "member")}`,
      { ...values },
    ),
  );

/** More than was counted. */
export type Count = { readonly count: number; readonly isMore: boolean };
const toCount = ([row]: readonly CountRow[]): Count => ({
  count: row?.count ?? 0,
  isMore: (row?.looked ?? 0) >= COUNTED_WAITING,
});

/**
 * `person`: the address of the member for whom the page is; `now` is in Unix milliseconds. One round trip; the rows that it reads do not grow
 * with what the account stores.
 */
export async function loadHome(
  session: Session,
  { accountId, person, now }: { readonly accountId: string; readonly person: string; readonly now: number },
) {
  const values = {
    accountId,
    person,
    now,
    recently: now - NAMED_MS,
    soon: now + MONTH_MS,
    month: now - MONTH_MS,
    monthBefore: now - 2 * MONTH_MS,
  };
  const inBanks = (table: string) => `${BANKS} b CROSS JOIN ${table} p ON p.idea_bank_id = b.id`;
  const rows = await session.batch({
    boards: prepare<IdeaBankRow>(
      `SELECT b.id, b.name FROM idea_banks b JOIN ${BANKS} newest ON newest.id = b.id
       ORDER BY b.status <> 'OPEN', b.created_at, b.id LIMIT ${SHOWN_BANKS}`,
      values,
    ),
    steps: prepare<{
      opened: number;
      placed: number;
      shared: number;
      ideas: number;
      colleagues: number;
      people: number;
    }>(
      `SELECT EXISTS (SELECT 1 FROM ${BANKS} WHERE status <> 'DRAFT') AS opened,
         EXISTS (SELECT 1 FROM ${BANKS} WHERE url IS NOT NULL) AS placed,
         EXISTS (SELECT 1 FROM ${BANKS} WHERE public_page = 1) AS shared,
         EXISTS (SELECT 1 FROM ${inBanks("proposals")} AND p.duplicate_of IS NULL) AS ideas,
         EXISTS (SELECT 1 FROM panelists WHERE account_id = :accountId AND deleted_at IS NULL) AS people,
         EXISTS (SELECT 1 FROM invitations WHERE account_id = :accountId) OR EXISTS (${EVER_INVITED})
           OR (SELECT count(*) FROM (${membersOf()})) > 1 AS colleagues`,
      values,
    ),
    ending: prepare<EndingRow>(
      `SELECT id, name, expires_at FROM api_keys WHERE account_id = :accountId AND revoked_at IS NULL AND expires_at > :now AND expires_at <= :soon
         AND expires_at - :now <= ${WARNED_MS} ORDER BY expires_at LIMIT 4`,
      values,
    ),
    endingTokens: prepare<EndingRow>(
      `SELECT b.id, b.name, b.site_token_expires_at * 1000 AS expires_at FROM idea_banks b JOIN ${BANKS} newest ON newest.id = b.id
       WHERE ${isSiteTokenValid("b")} AND b.site_token_expires_at * 1000 <= :soon ORDER BY b.site_token_expires_at LIMIT 4`,
      values,
    ),
    leaked: prepare<LeakedRow>(
      `SELECT id, name FROM api_keys WHERE account_id = :accountId AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
         AND leaked_at IS NOT NULL LIMIT 4`,
      values,
    ),
    webhooks: prepare<WebhookRow>(
      `SELECT id, shown_url AS url, state, failing_since FROM webhooks WHERE account_id = :accountId
         AND (state = 'failed' OR (state = 'active' AND failing_since IS NOT NULL)) LIMIT 4`,
      values,
    ),
    surveys: prepare<SurveyRow>(
      `SELECT surveys.id, title, b.name AS board, ${RESPONSES} AS responses, closes_at, iif(anonymous, 0, (SELECT count(*) FROM (
           SELECT 1 FROM survey_responses WHERE survey_id = surveys.id AND created_at > :recently LIMIT ${COUNTED_WAITING}))) AS recent
       FROM (SELECT * FROM surveys WHERE account_id = :accountId ORDER BY created_at DESC, id DESC LIMIT ${SURVEYS_AT_MOST}) surveys
       JOIN idea_banks b ON b.id = surveys.idea_bank_id WHERE ${STATUS} = 'OPEN' LIMIT 4`,
      values,
    ),
    waiting: selectWaiting(accountId, COUNTED_WAITING),
    unanswered: prepare<CountRow>(selectUnanswered(BANKS, COUNTED_WAITING), values),
    unseen: prepare<CountRow>(
      `SELECT count(*) AS looked, coalesce(sum(by_tenant = 0 AND visibility <> 'hidden'), 0) AS count FROM (
         SELECT p.by_tenant, p.visibility FROM ${inBanks("comments")} AND p.created_at > ${SEEN_UP_TO} LIMIT ${COUNTED_WAITING})`,
      values,
    ),
    failedMails: prepare<MailRow>(
      `SELECT o.idea_bank_id, o.proposal_id, p.title, sum(o.unknown) AS unknown, sum(o.refused) AS refused
       FROM (SELECT * FROM outbox WHERE account_id = :accountId AND unknown + refused > 0 AND created_at > :recently
         ORDER BY created_at DESC LIMIT ${MAILS_AT_MOST}) o
       CROSS JOIN proposals p ON p.id = o.proposal_id AND p.idea_bank_id = o.idea_bank_id GROUP BY o.proposal_id LIMIT 4`,
      values,
    ),
    assigned: prepare<CountRow>(ASSIGNED, values),
    named: prepare<NamedRow>(NAMED, values),
    dark: prepare<IdeaBankRow>(DARK, values),
    mailStops: prepare<MailStop>(MAIL_STOP, { now }),
    recent: prepare<{ ideas: number; votes: number }>(ideasOf(":month", ":now"), values),
    before: prepare<{ ideas: number; votes: number }>(ideasOf(":monthBefore", ":month"), values),
    comments: prepare<MadeRow>(made(inBanks("comments")), values),
    people: prepare<MadeRow>(made("panelists WHERE account_id = :accountId AND deleted_at IS NULL"), values),
  });
  const nothing: Made = { recent: 0, before: 0 };
  const [steps] = rows.steps;
  const [[recent], [before]] = [rows.recent, rows.before];
  return {
    /** Those that are open come first, then the oldest. */
    boards: rows.boards,
    /** A board is open, or was: it is closed. */
    wasOpened: steps?.opened === 1,
    /** On the tenant's site: a board names the page where it stands, or somebody has come from there. */
    isPlaced: steps?.placed === 1 || steps?.people === 1,
    /** A board has a page of its own. */
    hasPage: steps?.shared === 1,
    hasIdeas: steps?.ideas === 1,
    hasColleagues: steps?.colleagues === 1,
    endingKeys: rows.ending.map(toEnding),
    endingTokens: rows.endingTokens.map(toEnding),
    /** What waits for approval, each counted up to 1,000. */
    waiting: rows.waiting[0] ?? { ideas: 0, comments: 0 },
    /** Open ideas without a response, of those that people see. */
    unanswered: toCount(rows.unanswered),
    /** Comments of people since the member has opened the page of comments. */
    unseenComments: toCount(rows.unseen),
    failedMails: rows.failedMails.map(({ idea_bank_id, proposal_id, ...mails }) => ({
      ...mails,
      ideaBankId: idea_bank_id,
      proposalId: proposal_id,
    })),
    /** Open ideas of the member. */
    assigned: toCount(rows.assigned),
    /** Where notes of the last 7 days name the member. `author`: null for a member who has left. */
    named: rows.named.map(({ proposal_id, idea_bank_id, panelist_id, created_at, ...note }) => ({
      ...note,
      path: proposal_id === null ? `people/${panelist_id}` : `idea-banks/${idea_bank_id}/ideas/${proposal_id}`,
      at: toTimestamp(created_at),
    })),
    /** Boards whose pages show nothing, because their tokens were ended. */
    darkBoards: rows.dark,
    /** Why e-mails to people stand still, while they do. */
    mailStop: rows.mailStops[0],
    leakedKeys: rows.leaked,
    openSurveys: rows.surveys.map(({ closes_at, ...survey }) => ({
      ...survey,
      closesAt: closes_at === null ? null : toTimestamp(closes_at),
    })),
    failingWebhooks: rows.webhooks.map(({ id, url, state }) => ({ id, url, hasStopped: state === "failed" })),
    month: {
      ideas: { recent: recent?.ideas ?? 0, before: before?.ideas ?? 0 },
      votes: { recent: recent?.votes ?? 0, before: before?.votes ?? 0 },
      comments: rows.comments[0] ?? nothing,
      people: rows.people[0] ?? nothing,
    },
  };
}

const toEnding = ({ id, name, expires_at }: EndingRow) => ({ id, name, expiresAt: toTimestamp(expires_at) });

export type Home = Awaited<ReturnType<typeof loadHome>>;
