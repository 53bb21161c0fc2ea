/** Who writes an official response to which idea. It keeps nobody out: colleagues read it, and a conflict is shown on saving. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { membersOf } from "./membership.ts";

/** Somebody who thinks for so long is not named any more. A page says every 30 seconds that its member goes on. */
const RECENT_MS = 3 * 60_000;

/** A colleague, and what the colleague responds to. */
export type Writing = { readonly proposalId: string; readonly name: string };
type WritingRow = { proposal_id: string; name: string };

/** `person`: the member's address; `now` is in Unix milliseconds. */
type Of = { readonly accountId: string; readonly person: string; readonly now: number };

/** A response that was posted since is no longer written. */
const selectWriting = ({ accountId, person, now }: Of) =>
  prepare<WritingRow>(
    `SELECT w.proposal_id, coalesce(m.name, m.email) AS name FROM writing_members w JOIN (${membersOf()}) m ON m.id = w.member_id
     WHERE w.account_id = :accountId AND w.written_at > :since AND m.email <> :person
       AND NOT EXISTS (SELECT 1 FROM proposals p WHERE p.id = w.proposal_id AND p.responded_at >= w.written_at) ORDER BY 2`,
    { accountId, person, since: now - RECENT_MS },
  );

const toWriting = (rows: readonly WritingRow[]): readonly Writing[] =>
  rows.map(({ proposal_id: proposalId, name }) => ({ proposalId, name }));

/** The account's members who are writing at present, but for this one. */
export const listWriting = async (session: Session, of: Of): Promise<readonly Writing[]> =>
  toWriting(await session.all(selectWriting(of)));

/**
 * Notes that the member writes about the idea, or with `ends` no longer does, and returns who else does. Null when the account has no such
 * idea.
 */
export async function noteWriting(
  session: Session,
  of: Of,
  { ends, ...path }: { readonly ideaBankId: string; readonly proposalId: string; readonly ends: boolean },
): Promise<readonly Writing[] | null> {
  const { noted, others } = await session.batch({
    noted: prepare(
      `INSERT INTO writing_members (account_id, member_id, proposal_id, written_at)
       SELECT :accountId, m.id, p.id, :writtenAt FROM (${membersOf()}) m CROSS JOIN proposals p
       WHERE m.email = :person AND p.id = :proposalId AND p.account_id = :accountId AND p.idea_bank_id = :ideaBankId
       ON CONFLICT DO UPDATE SET proposal_id = excluded.proposal_id, written_at = excluded.written_at RETURNING 1`,
      { accountId: of.accountId, person: of.person, writtenAt: ends ? 0 : of.now, ...path },
    ),
    others: selectWriting(of),
  });
  return noted.length === 0 ? null : toWriting(others).filter(({ proposalId }) => proposalId === path.proposalId);
}
