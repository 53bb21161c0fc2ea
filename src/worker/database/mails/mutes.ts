/** Which e-mails an address does not get: about one idea, one board, or all of a tenant. What was asked for last counts. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** What a link ends: everything about the idea, the board, or all boards of the account. */
export const MUTE_SCOPES = ["idea", "board", "all"] as const;
export type MuteScope = (typeof MUTE_SCOPES)[number];

/**
 * SQL: the person `w` is not told of the idea `p`. What was switched off for an idea that was merged into this one stays off. Following an
 * idea after the board was switched off is a wish of its own.
 */
export const IS_MUTED = `EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = p.account_id AND m.email = w.email AND (m.scope_id = p.id
    OR m.scope_id IN (SELECT d.id FROM proposals d WHERE d.duplicate_of = p.id)
    OR m.scope_id IN (p.idea_bank_id, p.account_id) AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.proposal_id = p.id AND f.panelist_id = w.id
      AND f.created_at > m.created_at)))`;

/** A person in a link, and the board and idea of the e-mail that it stood in. */
export type MuteLink = { readonly panelistId: string; readonly ideaBankId: string; readonly proposalId: string };

export type Muting = {
  readonly accountId: string;
  readonly mailKey: string | null;
  /** Null when it is gone, or nobody may read it any more. */
  readonly names: Readonly<Record<"idea" | "board", string | null>>;
  readonly email: string | null;
  readonly language: string | null;
  /** What is off. */
  readonly muted: readonly MuteScope[];
};

type Row = {
  account_id: string;
  mail_key: string | null;
  bank: string | null;
  title: string | null;
  email: string | null;
  language: string | null;
  idea: number;
  board: number;
  every: number;
};

/** Null when the person is gone. */
export async function loadMuting(session: Session, link: MuteLink): Promise<Muting | null> {
  const isOff = (scope: string) =>
    `EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = a.id AND m.email = w.email AND m.scope_id = ${scope})`;
  const row = await session.first(
    prepare<Row>(
      `SELECT a.id AS account_id, a.mail_key, b.name AS bank, iif(p.listed = 1, p.title, NULL) AS title, w.email,
         coalesce(w.language, b.language) AS language, ${isOff("p.id")} AS idea, ${isOff("b.id")} AS board, ${isOff("a.id")} AS every
       FROM panelists w JOIN accounts a ON a.id = w.account_id LEFT JOIN idea_banks b ON b.id = :ideaBankId AND b.account_id = a.id
         LEFT JOIN proposals p ON p.id = :proposalId AND p.idea_bank_id = b.id
       WHERE w.id = :panelistId AND w.deleted_at IS NULL`,
      link,
    ),
  );
  if (row === null) return null;
  const off = { idea: row.idea, board: row.board, all: row.every };
  return {
    ...{ accountId: row.account_id, mailKey: row.mail_key, email: row.email, language: row.language },
    names: { idea: row.title, board: row.bank },
    muted: MUTE_SCOPES.filter((scope) => off[scope] === 1),
  };
}

const idsOf = ({ accountId }: Muting, { ideaBankId, proposalId }: MuteLink): Readonly<Record<MuteScope, string>> => ({
  idea: proposalId,
  board: ideaBankId,
  all: accountId,
});

/** Safe to repeat. Whoever follows the idea does no longer. */
export async function mute(
  session: Session,
  { muting, scope, link, now }: { muting: Muting; scope: MuteScope; link: MuteLink; now: number },
): Promise<void> {
  const values = {
    accountId: muting.accountId,
    email: muting.email,
    scopeId: idsOf(muting, link)[scope],
    now,
    ...link,
  };
  await session.batch({
    muted: prepare(
      `INSERT INTO mutes (account_id, email, scope_id, created_at) VALUES (:accountId, :email, :scopeId, :now)
       ON CONFLICT DO UPDATE SET created_at = max(created_at, excluded.created_at)`,
      values,
    ),
    followed:
      scope === "idea"
        ? prepare(
            `DELETE FROM follows WHERE proposal_id = :proposalId
               AND panelist_id IN (SELECT id FROM panelists WHERE account_id = :accountId AND email = :email)`,
            values,
          )
        : undefined,
  });
}

/** Takes back what this link can switch off. Safe to repeat. */
export async function unmute(session: Session, { muting, link }: { muting: Muting; link: MuteLink }): Promise<void> {
  const ids = JSON.stringify(Object.values(idsOf(muting, link)));
  await session.run(
    prepare(
      "DELETE FROM mutes WHERE account_id = :accountId AND email = :email AND scope_id IN (SELECT value FROM json_each(:ids))",
      { accountId: muting.accountId, email: muting.email, ids },
    ),
  );
}
