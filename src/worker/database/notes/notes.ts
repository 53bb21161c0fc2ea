/** Rows of `notes`: what members write for their team alone, about an idea or about a person. No panelist and no API key reads them. */
import type { Position } from "../../credentials/cursor.ts";
import { NOTES_AT_MOST } from "../../model/note.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { OWN_ID, tellMembers } from "../mails/member-outbox.ts";
import { toPage } from "../pagination.ts";
import { authorStays } from "../proposals/deletions.ts";
import { OWN_PROPOSAL, type ProposalPath } from "../proposals/proposals.ts";

/** What the notes are about. */
export type NotesOf = ProposalPath | { readonly panelistId: string };

/** `authorId`: the member, also one who has left; null for an import. `of`: the idea that was merged into the one that is shown. */
export type Note = {
  readonly id: string;
  readonly authorId: string | null;
  readonly body: string;
  readonly createdAt: string;
  readonly isEdited: boolean;
  readonly of: { readonly id: string; readonly title: string } | null;
};

type NoteRow = {
  id: string;
  author_id: string | null;
  body: string;
  created_at: number;
  edited_at: number | null;
  of_id: string | null;
  of_title: string | null;
};

const toNote = ({ id, author_id, body, created_at, edited_at, of_id, of_title }: NoteRow): Note => ({
  ...{ id, authorId: author_id, body },
  createdAt: toTimestamp(created_at),
  isEdited: edited_at !== null,
  of: of_id === null ? null : { id: of_id, title: of_title ?? "" },
});

/** The newest notes of a page: of an idea also those of the first 50 ideas that were merged into it, as many of each. */
const SHOWN_AT_MOST = 20;
const MERGED_AT_MOST = 50;

const AFTER = `(created_at, id) < (:afterKey, :afterId) ORDER BY created_at DESC, id DESC LIMIT ${SHOWN_AT_MOST + 1}`;
const OF_PERSON = `SELECT id AS note_id, NULL AS of_id, NULL AS of_title FROM notes WHERE panelist_id = :panelistId AND ${AFTER}`;
const OF_IDEA = `SELECT * FROM (SELECT id AS note_id, NULL AS of_id, NULL AS of_title FROM notes WHERE proposal_id = :proposalId AND ${AFTER})
  UNION ALL SELECT n.id, m.id, m.title FROM (SELECT id, title FROM (SELECT id, title, author_id, idea_bank_id FROM proposals
      WHERE duplicate_of = :proposalId AND account_id = :accountId LIMIT ${MERGED_AT_MOST})
    WHERE idea_bank_id <> id AND ${authorStays("author_id")}) m
    CROSS JOIN notes n ON n.id IN (SELECT id FROM notes WHERE proposal_id = m.id AND ${AFTER})`;

/** A page of notes, the newest first. Empty for what is another account's. */
export async function listNotes(session: Session, { accountId, of, after }: Listed) {
  const values = { accountId, proposalId: null, panelistId: null, ...of };
  const rows = await session.all(
    prepare<NoteRow>(
      `SELECT n.id, n.author_id, n.body, n.created_at, n.edited_at, of_id, of_title
       FROM (${"panelistId" in of ? OF_PERSON : OF_IDEA}) CROSS JOIN notes n ON n.id = note_id
       WHERE n.account_id = :accountId ORDER BY n.created_at DESC, n.id DESC LIMIT ${SHOWN_AT_MOST + 1}`,
      { ...values, afterKey: after?.key ?? Number.MAX_SAFE_INTEGER, afterId: after?.id ?? "" },
    ),
  );
  return toPage(rows, {
    request: { limit: SHOWN_AT_MOST, after },
    toItem: toNote,
    keyOf: ({ created_at }) => created_at,
  });
}

type Listed = { readonly accountId: string; readonly of: NotesOf; readonly after: Position | undefined };

/** A note as the member `person` (by address) writes it now (Unix milliseconds). `named`: the members whom the text names, by id. */
type Written = {
  readonly accountId: string;
  readonly of: NotesOf;
  readonly id: string;
  readonly person: string;
  readonly body: string;
  readonly named: readonly string[];
  readonly now: number;
};

const IS_OWN = `notes.id = :id AND notes.account_id = :accountId AND author_id = ${OWN_ID}`;

const valuesOf = ({ of, named, ...note }: Written) => ({
  ...note,
  named: JSON.stringify(named),
  ...{ ideaBankId: null, proposalId: null, panelistId: null },
  ...of,
});

/**
 * What follows a text in its transaction: those whom it names are told, unless an earlier text of the note has named them. Who was named, is not
 * any more and waits for the e-mail is forgotten, so it is not sent (member-outbox.ts).
 */
const tellNamed = (values: ReturnType<typeof valuesOf>) => ({
  told: tellMembers(
    "named",
    `SELECT e.value AS member_id, notes.id AS subject_id FROM notes CROSS JOIN json_each(:named) e
     WHERE ${IS_OWN} AND e.value NOT IN (SELECT value FROM json_each(notes.named))`,
    values,
  ),
  remembered: prepare(
    `UPDATE notes SET named = (SELECT json_group_array(value) FROM (
       SELECT was.value FROM json_each(notes.named) was WHERE NOT EXISTS (SELECT 1 FROM member_outbox o WHERE o.account_id = :accountId
         AND o.member_id = was.value AND o.subject_id = :id AND o.kind = 'named')
       UNION SELECT value FROM json_each(:named))) WHERE ${IS_OWN}`,
    values,
  ),
});

/** The subject, if the account has it. */
const subjectOf = (of: NotesOf): string =>
  "panelistId" in of
    ? "SELECT NULL AS proposal_id, id AS panelist_id FROM panelists WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL"
    : `SELECT id AS proposal_id, NULL AS panelist_id FROM proposals WHERE ${OWN_PROPOSAL}`;

/** `full`: there are 200. Null when what the note is about is not the account's. */
export async function addNote(session: Session, note: Written): Promise<"added" | "full" | null> {
  const values = valuesOf(note);
  const subject = subjectOf(note.of);
  const column = "panelistId" in note.of ? "panelist_id" : "proposal_id";
  const { found, added } = await session.batch({
    found: prepare(subject, values),
    added: prepare<{ id: string }>(
      `INSERT INTO notes (id, account_id, proposal_id, panelist_id, author_id, body, created_at)
       SELECT :id, :accountId, s.proposal_id, s.panelist_id, ${OWN_ID}, :body, :now FROM (${subject}) s
       WHERE ${NOTES_AT_MOST} > (SELECT count(*) FROM notes n WHERE n.${column} = s.${column}) RETURNING id`,
      values,
    ),
    ...tellNamed(values),
  });
  if (found.length === 0) return null;
  return added.length === 1 ? "added" : "full";
}

/** SQL: the note is about this, or about an idea that was merged into it. */
const isOf = (of: NotesOf): string =>
  "panelistId" in of
    ? "panelist_id = :panelistId"
    : `(proposal_id = :proposalId OR proposal_id IN (SELECT id FROM proposals WHERE duplicate_of = :proposalId AND account_id = :accountId))`;

/** False for a note that is not there, and for another member's. */
export async function editNote(session: Session, note: Written): Promise<boolean> {
  const values = valuesOf(note);
  const { edited } = await session.batch({
    edited: prepare<{ id: string }>(
      `UPDATE notes SET edited_at = iif(body = :body, edited_at, :now), body = :body WHERE ${IS_OWN} AND ${isOf(note.of)} RETURNING id`,
      values,
    ),
    ...tellNamed(values),
  });
  return edited.length === 1;
}

/** Deletes a note, whoever wrote it. Those who were not told of it yet are not told. False when it is not there. */
export async function deleteNote(
  session: Session,
  { accountId, of, id }: Pick<Written, "accountId" | "of" | "id">,
): Promise<boolean> {
  const rows = await session.all(
    prepare<{ id: string }>(
      `DELETE FROM notes WHERE id = :id AND account_id = :accountId AND ${isOf(of)} RETURNING id`,
      {
        ...{ accountId, id, proposalId: null, panelistId: null },
        ...of,
      },
    ),
  );
  return rows.length === 1;
}
