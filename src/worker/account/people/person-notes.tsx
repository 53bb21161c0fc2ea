/** The team's notes on a person, on the person's page. */
import type { Context } from "hono";
import type { Position } from "../../credentials/cursor.ts";
import { listMembers } from "../../database/members/members.ts";
import { listNotes } from "../../database/notes/notes.ts";
import { tellsMembers } from "../../model/mail-settings.ts";
import { openOwn } from "../account-databases.ts";
import { ErrorSummary } from "../frame/field.tsx";
import type { SentForm } from "../frame/page.tsx";
import { NOTE_LABEL, Notes } from "../ideas/notes.tsx";
import type { OwnerEnv } from "../owner-env.ts";

export async function loadPersonNotes(c: Context<OwnerEnv>, panelistId: string, after: Position | undefined) {
  const { session, accountId } = await openOwn(c);
  const [notes, members] = await Promise.all([
    listNotes(session, { accountId, of: { panelistId }, after }),
    listMembers(session, accountId, Date.now()),
  ]);
  return { notes, members, person: c.var.owner.person, tellsMembers: tellsMembers(c.env) };
}

type Props = {
  readonly team: Awaited<ReturnType<typeof loadPersonNotes>>;
  readonly action: string;
  /** The form of a note that was refused, and its errors. */
  readonly refused: SentForm | undefined;
};

export const PersonNotes = ({ team, action, refused }: Props) => {
  const { fields: sent, errors } = refused ?? { fields: new URLSearchParams(), errors: [] };
  return (
    <>
      {errors.length > 0 && <ErrorSummary title="Nothing was saved." errors={errors} labels={{ note: NOTE_LABEL }} />}
      <Notes {...team} {...{ action, sent, errors }} />
    </>
  );
};
