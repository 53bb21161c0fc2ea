/**
 * Rows of `sign_in_codes`: the codes with which people sign in on a board's page. Times are Unix milliseconds.
 *
 * Each limit is counted in the statement that writes, so requests at the same moment share it. A code belongs to the browser that asked
 * for it: it is found by that browser, and nobody else can use it up or replace it.
 */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { isOpenPage } from "./open-pages.ts";

const HOUR_MS = 3_600_000;
const CODE_MS = 600_000;
/** A right code that is sent again within this time gives the same sign-in: a button that was pressed twice. */
const AGAIN_MS = 10_000;
/** The same form, sent twice within this time, sends one e-mail. */
const TWICE_MS = 5_000;

/** In an hour. docs/security.md has the reasons (`npm test` holds the two against each other). */
export const LIMITS = {
  /** E-mails to a mailbox, of all boards of an account: its people are the account's. */
  mailbox: 12,
  /** Of those, the ones that one sender asked for. */
  mailboxOfSender: 4,
  /** E-mails that one sender asked for, on all boards. */
  sender: 30,
  /** E-mails of a board. */
  board: 1_000,
  /** E-mails of a board, while more than `board` are sent, to browsers that have signed in with their mailbox before. */
  boardOfKnown: 2_000,
  /** Codes that are entered for a mailbox, right or wrong. */
  tries: 60,
  /** Of those, for e-mails that one sender asked for. */
  triesOfSender: 20,
  /** Codes that are entered for one e-mail. */
  triesOfCode: 5,
} as const;

/** `browser`, `mailbox`, `sender` and `code` are hashes. */
type NewCode = {
  readonly id: string;
  readonly ideaBankId: string;
  readonly browser: string;
  readonly email: string;
  readonly mailbox: string;
  readonly sender: string;
  readonly code: string;
  readonly now: number;
  /** The browser has signed in with this mailbox before. */
  readonly isKnown: boolean;
};

/** The time of a code that was sent, and how it stands. `code` is its hash. */
export type SentCode = {
  readonly id: string;
  readonly code: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly tries: number;
  readonly email: string;
};

/** So many of a browser's codes are looked at. */
const LOOKED_AT = 5;

const selectSent = (ideaBankId: string, browser: string) =>
  prepare<SentCode>(
    `SELECT id, code, created_at AS createdAt, expires_at AS expiresAt, tries, email FROM sign_in_codes
     WHERE idea_bank_id = :ideaBankId AND browser = :browser AND code IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ${LOOKED_AT}`,
    { ideaBankId, browser },
  );

/** The condition that fewer than `most` e-mails of an hour fulfill `which`. It looks at no more rows than that. */
const fewerThan = (most: number | string, which: string): string =>
  `${most} > (SELECT count(*) FROM (SELECT 1 FROM sign_in_codes WHERE ${which} AND created_at > :now - ${HOUR_MS} LIMIT ${most}))`;

const OF_MAILBOX = "account_id = b.account_id AND mailbox = :mailbox";

/**
 * Reserves a code before its e-mail is sent. `added`: the e-mail may be sent. Otherwise `twice` is the time at which this browser asked for
 * the same a moment ago; undefined when a limit is reached, or the board takes no sign-ins by e-mail any more.
 */
export async function addCode(
  session: Session,
  code: NewCode,
): Promise<{ readonly added: boolean; readonly twice: number | undefined }> {
  const values = {
    ...code,
    expiresAt: code.now + CODE_MS,
    boardMost: code.isKnown ? LIMITS.boardOfKnown : LIMITS.board,
  };
  const twice = `idea_bank_id = :ideaBankId AND browser = :browser AND email = :email AND code IS NOT NULL AND created_at > :now - ${TWICE_MS}`;
  const { asked, inserted } = await session.batch({
    asked: prepare<{ at: number }>(
      `SELECT created_at AS at FROM sign_in_codes WHERE ${twice} ORDER BY created_at DESC LIMIT 1`,
      values,
    ),
    inserted: prepare(
      `INSERT INTO sign_in_codes (id, account_id, idea_bank_id, browser, email, mailbox, sender, code, created_at, expires_at)
       SELECT :id, b.account_id, b.id, :browser, :email, :mailbox, :sender, :code, :now, :expiresAt
       FROM idea_banks b JOIN accounts a ON a.id = b.account_id
       WHERE b.id = :ideaBankId AND ${isOpenPage} AND b.email_sign_in = 1 AND NOT EXISTS (SELECT 1 FROM sign_in_codes WHERE ${twice})
         AND ${fewerThan(LIMITS.mailbox, OF_MAILBOX)}
         AND ${fewerThan(LIMITS.mailboxOfSender, `${OF_MAILBOX} AND sender = :sender`)}
         AND ${fewerThan(LIMITS.sender, "sender = :sender")}
         AND ${fewerThan(":boardMost", "idea_bank_id = :ideaBankId")}
       RETURNING id`,
      values,
    ),
  });
  return { added: inserted.length === 1, twice: asked[0]?.at };
}

/** For an e-mail that was not sent: it counts for nothing, and nothing is kept of it. */
export const forgetCode = (session: Session, id: string): Promise<number> =>
  session.run(prepare("DELETE FROM sign_in_codes WHERE id = :id", { id }));

/** For an e-mail of which nobody knows whether it was sent: it counts, and no address and no code is kept. */
export const emptyCode = (session: Session, id: string): Promise<number> =>
  session.run(prepare("UPDATE sign_in_codes SET code = NULL, email = NULL WHERE id = :id", { id }));

/** The codes that were sent to this browser for this board, the newest first. */
export const listSent = (session: Session, ideaBankId: string, browser: string): Promise<readonly SentCode[]> =>
  session.all(selectSent(ideaBankId, browser));

/** Entered codes of an hour: `sum(tries)` over the rows that limits have let in, which bounds the rows. */
const triedFewerThan = (most: number, which: string): string =>
  `${most} > (SELECT coalesce(sum(tries), 0) FROM sign_in_codes t WHERE t.account_id = sign_in_codes.account_id AND t.mailbox = sign_in_codes.mailbox
     ${which} AND t.created_at > :now - ${HOUR_MS})`;

/**
 * Counts a code that somebody has entered, before it is compared: of any number of guesses at the same moment, five reach the code.
 * `counted` is false when there is none to compare with. `sent` are the browser's codes afterwards, the newest first.
 */
export async function countTry(
  session: Session,
  { ideaBankId, browser, now }: { readonly ideaBankId: string; readonly browser: string; readonly now: number },
): Promise<{ readonly counted: boolean; readonly sent: readonly SentCode[] }> {
  const values = { ideaBankId, browser, now };
  const rows = await session.batch({
    counted: prepare(
      `UPDATE sign_in_codes SET tries = tries + 1
       WHERE id = (SELECT id FROM sign_in_codes WHERE idea_bank_id = :ideaBankId AND browser = :browser AND code IS NOT NULL
           ORDER BY created_at DESC, id DESC LIMIT 1)
         AND expires_at > :now AND tries < ${LIMITS.triesOfCode}
         AND ${triedFewerThan(LIMITS.tries, "")} AND ${triedFewerThan(LIMITS.triesOfSender, "AND t.sender = sign_in_codes.sender")}
       RETURNING id`,
      values,
    ),
    sent: selectSent(ideaBankId, browser),
  });
  return { counted: rows.counted.length === 1, sent: rows.sent };
}

const USED = "used ";

export const wasUsed = ({ code }: Pick<SentCode, "code">): boolean => code.startsWith(USED);

/** The hash of a code, whether it was used or not. */
export const hashOfSent = (sent: Pick<SentCode, "code">): string =>
  wasUsed(sent) ? sent.code.slice(USED.length) : sent.code;

/** Whether no code is waited for any more: nothing of its row is shown then. */
export const isOver = (sent: SentCode, now: number): boolean => wasUsed(sent) || sent.expiresAt <= now;

/** Ends the browser's codes, used ones too. */
export const endCodes = (
  session: Session,
  browser: { readonly ideaBankId: string; readonly browser: string; readonly now: number },
): Promise<number> =>
  session.run(
    prepare(
      "UPDATE sign_in_codes SET expires_at = :now WHERE idea_bank_id = :ideaBankId AND browser = :browser AND expires_at > :now",
      browser,
    ),
  );

/** SQL, for the transaction in which a right code signs in: the code `:codeId` is not over. `:code` is its hash. */
export const IS_GOOD = `EXISTS (SELECT 1 FROM sign_in_codes WHERE id = :codeId AND code IN (:code, '${USED}' || :code) AND expires_at > :now)`;

/** Of several uses at the same moment the first marks it, and the others find the person whom it has made. */
export const USE_CODE = `UPDATE sign_in_codes SET code = '${USED}' || code, expires_at = min(expires_at, :now + ${AGAIN_MS})
  WHERE id = :codeId AND code = :code`;
