/** What a member has chosen to be told of ideas by e-mail: rows of `told_members` and `member_mails`. */
import { MAIL_KINDS, type MailKind, type MailMode, STANDARD_HOUR } from "../../model/member-mails.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { isMember } from "../members/membership.ts";
import { TOLD_BOARDS } from "./told-members.ts";

/** Null: as for all boards. */
type Chosen = Readonly<Record<MailKind, MailMode | null>>;
/** `since`: Unix milliseconds. */
type BoardChoice = { readonly id: string; readonly name: string; readonly chosen: Chosen; readonly since: Since };
type Since = Readonly<Record<MailKind, number>>;

export type MailChoices = {
  readonly all: { readonly chosen: Readonly<Record<MailKind, MailMode>>; readonly since: Since };
  /** The newest boards. */
  readonly boards: readonly BoardChoice[];
  /** Null while none was chosen. */
  readonly timeZone: string | null;
  readonly hour: number;
};

type BoardRow = {
  id: string;
  name: string;
  ideas: MailMode | null;
  ideas_since: number | null;
  comments: MailMode | null;
  comments_since: number | null;
};
type Whose = { readonly accountId: string; readonly person: string };

const COLUMNS = "m.ideas, m.ideas_since, m.comments, m.comments_since";
const MAILS_OF = "member_mails m ON m.account_id = :accountId AND m.email = :person AND m.idea_bank_id =";

export async function loadMailChoices(session: Session, whose: Whose): Promise<MailChoices> {
  const { all, boards, clock } = await session.batch({
    all: prepare<BoardRow>(`SELECT '' AS id, '' AS name, ${COLUMNS} FROM (SELECT 1) LEFT JOIN ${MAILS_OF} ''`, whose),
    boards: prepare<BoardRow>(
      `SELECT b.id, b.name, ${COLUMNS} FROM (SELECT id, name FROM idea_banks WHERE account_id = :accountId
         ORDER BY created_at DESC, id DESC LIMIT ${TOLD_BOARDS}) b LEFT JOIN ${MAILS_OF} b.id ORDER BY b.name, b.id`,
      whose,
    ),
    clock: prepare<{ time_zone: string | null; hour: number }>(
      "SELECT time_zone, hour FROM told_members WHERE account_id = :accountId AND email = :person",
      whose,
    ),
  });
  const [row] = all;
  return {
    all: { chosen: { ideas: row?.ideas ?? "never", comments: row?.comments ?? "never" }, since: sinceOf(row) },
    boards: boards.map(({ id, name, ideas, comments, ...rest }) => ({
      ...{ id, name, chosen: { ideas, comments }, since: sinceOf(rest) },
    })),
    timeZone: clock[0]?.time_zone ?? null,
    hour: clock[0]?.hour ?? STANDARD_HOUR,
  };
}

const sinceOf = (row: Pick<BoardRow, "ideas_since" | "comments_since"> | undefined): Since => ({
  ideas: row?.ideas_since ?? 0,
  comments: row?.comments_since ?? 0,
});

/** `ideaBankId` is empty for all boards; `mode` null for a board that is as they are. */
export type MailChange = {
  readonly kind: MailKind;
  readonly ideaBankId: string;
  readonly mode: MailMode | null;
};

/** What was true of the board before the change, and since when. */
function before({ all, boards }: MailChoices, { kind, ideaBankId }: MailChange) {
  const board = boards.find(({ id }) => id === ideaBankId);
  const own = board?.chosen[kind] ?? null;
  if (board !== undefined && own !== null) return { was: own, since: board.since[kind] };
  return { was: all.chosen[kind], since: Math.max(all.since[kind], board?.since[kind] ?? 0) };
}

/**
 * Changes what the person has chosen; nothing for one who is no member, and of a board that is another account's. What was told by the old choice
 * is not told again by the new one, and what was not told yet is. `nextDigestAt`, `now`: Unix milliseconds.
 */
export async function saveMailChoices(
  session: Session,
  { accountId, person }: Whose,
  {
    choices,
    changes,
    clock,
    nextDigestAt,
    now,
  }: {
    readonly choices: MailChoices;
    readonly changes: readonly MailChange[];
    readonly clock: { readonly timeZone: string; readonly hour: number } | undefined;
    readonly nextDigestAt: number;
    readonly now: number;
  },
): Promise<void> {
  const values = { accountId, person, nextDigestAt, now, ...(clock ?? { timeZone: null, hour: STANDARD_HOUR }) };
  const told =
    "(SELECT iif(e.value ->> 'was' = 'now', told_up_to_now, told_up_to_daily) FROM told_members WHERE account_id = :accountId AND email = :person)";
  const save = (kind: MailKind) => {
    const chosen = changes.filter((change) => change.kind === kind);
    if (chosen.length === 0) return undefined;
    return prepare(
      `INSERT INTO member_mails (account_id, email, idea_bank_id, ${kind}, ${kind}_since)
       SELECT :accountId, :person, e.value ->> 'ideaBankId', e.value ->> 'mode', iif(e.value ->> 'was' = 'never', :now, max(e.value ->> 'since', ${told}))
       FROM json_each(:chosen) e WHERE ${isMember()} AND (e.value ->> 'ideaBankId' = ''
         OR EXISTS (SELECT 1 FROM idea_banks WHERE id = e.value ->> 'ideaBankId' AND account_id = :accountId))
       ON CONFLICT DO UPDATE SET ${kind} = excluded.${kind}, ${kind}_since = excluded.${kind}_since`,
      { ...values, chosen: JSON.stringify(chosen.map((change) => ({ ...change, ...before(choices, change) }))) },
    );
  };
  const [ideas, comments] = MAIL_KINDS.map(save);
  await session.batch({
    known: prepare(
      `INSERT INTO told_members (account_id, email, time_zone, hour, told_up_to_now, told_up_to_daily, next_digest_at)
       SELECT :accountId, :person, :timeZone, :hour, :now, :now, :nextDigestAt WHERE ${isMember()} ON CONFLICT DO NOTHING`,
      values,
    ),
    ...{ ideas, comments },
    // A digest that is due already comes first.
    clock:
      clock &&
      prepare(
        `UPDATE told_members SET time_zone = :timeZone, hour = :hour, next_digest_at = iif(next_digest_at <= :now, next_digest_at, :nextDigestAt)
         WHERE account_id = :accountId AND email = :person`,
        values,
      ),
  });
}
