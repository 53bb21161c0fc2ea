/** The team's notes on an idea or on a person: a box that says who sees it, and what its forms do. */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import type { Position } from "../../credentials/cursor.ts";
import { createId } from "../../credentials/id.ts";
import { listMembers } from "../../database/members/members.ts";
import { addNote, deleteNote, editNote, type Note, type NotesOf } from "../../database/notes/notes.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { type Member, memberLabel, whoCanAct } from "../../model/member.ts";
import { handleOf, membersNamedIn, NewNote, NOTES_AT_MOST } from "../../model/note.ts";
import type { Page } from "../../model/pagination.ts";
import { openOwn } from "../account-databases.ts";
import { decide, idsOf, noSuchContent, orNotFound } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { ForMembers } from "../frame/for-members.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { Time } from "../frame/times.tsx";
import type { Told } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { assigneeOf } from "./assignee.tsx";
import { textOf } from "./opened-idea.ts";

const ACTS = { "add-note": "note-added", "edit-note": "note-saved", "delete-note": "note-deleted" } as const;
type Act = keyof typeof ACTS;
export const isOfNotes = (what: string): what is Act => what in ACTS;

/** Adds, edits or deletes a note, and returns what the page then says. Throws `invalid-request` and `not-found`. */
export async function changeNotes(
  c: Context<OwnerEnv>,
  { of, what, fields }: { readonly of: NotesOf; readonly what: Act; readonly fields: URLSearchParams },
): Promise<Told> {
  // A decision that changes nothing of what is recorded: it asks whether the person may decide.
  const subject =
    "panelistId" in of
      ? ({ kind: "panelist", id: of.panelistId } as const)
      : ({ kind: "proposal", id: of.proposalId, ideaBankId: of.ideaBankId } as const);
  if (what === "delete-note") {
    const { noteId: id } = idsOf({ noteId: fields.get("noteId") ?? "" });
    const { answer } = await decide(c, subject, ({ session, accountId }) => deleteNote(session, { accountId, of, id }));
    if (!answer) throw noSuchContent();
    return ACTS[what];
  }
  const { note: body } = parseOrThrow(NewNote, { note: textOf(fields, "note") });
  const own = await openOwn(c);
  const members = whoCanAct(await listMembers(own.session, own.accountId, Date.now()));
  const written = { of, body, person: c.var.owner.person, named: membersNamedIn(body, members) };
  if (what === "edit-note") {
    const { noteId: id } = idsOf({ noteId: fields.get("noteId") ?? "" });
    const { answer } = await decide(c, subject, ({ session, accountId, now }) =>
      editNote(session, { accountId, now, id, ...written }),
    );
    if (!answer) throw noSuchContent();
    return ACTS[what];
  }
  const id = createId(own.accountId, secureRandomBytes);
  const { answer } = await decide(c, subject, ({ session, accountId, now }) =>
    addNote(session, { accountId, now, id, ...written }),
  );
  if (orNotFound(answer) === "full")
    throw invalid([{ path: "note", message: `There are ${NOTES_AT_MOST} notes already. Delete one first.` }]);
  return ACTS[what];
}

/**
 * Where a page of notes begins, as its address says; the parameter is taken out of the address, because the list of comments beside it has a
 * cursor of its own, which is good for the same address only.
 */
export function takeNotesPage(c: Context<OwnerEnv>): Position | undefined {
  const url = new URL(c.req.url);
  const [, key, id] = /^(\d{1,15})-(\w{12})$/.exec(url.searchParams.get("notes") ?? "") ?? [];
  url.searchParams.delete("notes");
  // A form was read before this line, so the body is not needed.
  c.req.raw = new Request(url, { method: c.req.method, headers: c.req.raw.headers });
  return key === undefined || id === undefined ? undefined : { key: Number(key), id };
}

type Props = {
  readonly notes: Page<Note>;
  readonly members: readonly Member[];
  /** The visitor, by address. */
  readonly person: string;
  /** Whom a note names gets an e-mail. */
  readonly tellsMembers: boolean;
  /** The page, to which the forms are sent, and its later pages of notes. */
  readonly action: string;
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
};

export const NOTE_LABEL = "Note";
/** So many members are named as examples of what one can write. */
const EXAMPLES = 6;

/** What to write to name each colleague who can act. */
const handlesFor = ({ members, person }: Pick<Props, "members" | "person">): readonly string[] =>
  whoCanAct(members)
    .filter(({ email }) => email !== person)
    .map(handleOf);

const hintFor = (handles: readonly string[], tellsMembers: boolean): string => {
  if (handles.length === 0) return FORMATS;
  const examples = `${handles.slice(0, EXAMPLES).join(", ")}${handles.length > EXAMPLES ? " …" : ""}`;
  return `${FORMATS} You can name: ${examples}. They find it on Home${tellsMembers ? ", and are told by email" : ""}.`;
};

/** While `@` and a name are typed, the script offers colleagues below the field. */
export const NOTE_SCRIPTS = ["suggest.js"];
const Offered = () => <div class="buttons small" aria-live="polite" data-offered="" hidden />;

const olderAt = (action: string, { key, id }: Position): string =>
  `${action}${action.includes("?") ? "&" : "?"}notes=${key}-${id}#notes`;

export const Notes = ({ notes, members, person, tellsMembers, action, sent, errors }: Props) => {
  const message = messageFor(errors, "note");
  const handles = handlesFor({ members, person });
  const hint = hintFor(handles, tellsMembers);
  const own = members.find(({ email }) => email === person)?.id;
  return (
    <section aria-labelledby="notes" class="internal">
      <h2 id="notes">Notes</h2>
      <p class="hint">Only your team sees notes.</p>
      <ol class="events">
        {notes.items.map((note) => (
          <OneNote isOwn={note.authorId === own} {...{ note, members, handles, action, sent }} />
        ))}
      </ol>
      {notes.next && (
        <p>
          <a href={olderAt(action, notes.next)}>Older notes</a>
        </p>
      )}
      <ForMembers>
        <form method="post" action={action} class="narrow">
          <Field name="note" label={NOTE_LABEL} hint={hint} message={message}>
            <textarea
              id="note"
              name="note"
              data-draft=""
              data-names={JSON.stringify(handles)}
              rows={3}
              dir="auto"
              required
              {...described("note", message, hint)}
            >
              {sent.get("do") === "add-note" ? sent.get("note") : null}
            </textarea>
            <Offered />
          </Field>
          <button type="submit" name="do" value="add-note">
            Add note
          </button>
        </form>
      </ForMembers>
    </section>
  );
};

type NoteProps = Pick<Props, "members" | "action" | "sent"> & {
  readonly note: Note;
  readonly isOwn: boolean;
  readonly handles: readonly string[];
};

const authorInWords = (members: readonly Member[], authorId: string | null): string => {
  if (authorId === null) return "Import";
  const member = assigneeOf(members, authorId);
  return member === undefined ? "Former member" : memberLabel(member);
};

const OneNote = ({
  note: { id, authorId, body, createdAt, isEdited, of },
  members,
  isOwn,
  handles,
  action,
  sent,
}: NoteProps) => {
  const refused = sent.get("do") === "edit-note" && sent.get("noteId") === id ? sent.get("note") : null;
  return (
    <li>
      <p class="hint">
        <strong>
          <bdi>{authorInWords(members, authorId)}</bdi>
        </strong>
        {" · "}
        <Time at={createdAt} />
        {isEdited && " · edited"}
        {of && (
          <>
            {" · on "}
            <bdi>{`“${of.title}”`}</bdi>
            {", merged into this idea"}
          </>
        )}
      </p>
      <Formatted text={body} />
      <ForMembers>
        <div class="actions small">
          {isOwn && (
            <details open={refused !== null}>
              <summary>Edit</summary>
              <form method="post" action={action} class="narrow">
                <input type="hidden" name="noteId" value={id} />
                <textarea
                  name="note"
                  data-names={JSON.stringify(handles)}
                  rows={3}
                  dir="auto"
                  required
                  aria-label={NOTE_LABEL}
                >
                  {refused ?? body}
                </textarea>
                <Offered />
                <button type="submit" name="do" value="edit-note">
                  Save note
                </button>
              </form>
            </details>
          )}
          <DeleteNote id={id} action={action} />
        </div>
      </ForMembers>
    </li>
  );
};

const DeleteNote = ({ id, action }: { readonly id: string; readonly action: string }) => (
  <details>
    <summary class="danger">Delete…</summary>
    <form method="post" action={action} class="actions">
      <p>You can’t undo this.</p>
      <input type="hidden" name="noteId" value={id} />
      <button type="submit" name="do" value="delete-note" class="danger">
        Delete note
      </button>
    </form>
  </details>
);
