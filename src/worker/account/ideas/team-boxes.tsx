/** What only the team sees on an idea's page: who has it, its private tags and notes. Each box has a form and a button of its own. */
import type { Context } from "hono";
import type { Position } from "../../credentials/cursor.ts";
import { listMembers } from "../../database/members/members.ts";
import { listNotes } from "../../database/notes/notes.ts";
import { listPrivateTags, loadTeamFields } from "../../database/proposals/assignment.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { tellsMembers } from "../../model/mail-settings.ts";
import { openOwn } from "../account-databases.ts";
import { orNotFound } from "../frame/decide.ts";
import { type Told, tellAt, withParameter, withParameters } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { ASSIGNEE_LABEL, AssigneeBox, assign, assignSeveral } from "./assignee.tsx";
import type { Chosen } from "./chosen.ts";
import { type IdeaPath, pathOf } from "./decide.ts";
import { changeNotes, isOfNotes, NOTE_LABEL, Notes } from "./notes.tsx";
import { PRIVATE_TAGS_LABEL, PrivateTagsBox, savePrivateTags, tagPrivately } from "./private-tags.tsx";

export const TEAM_LABELS = { assignee: ASSIGNEE_LABEL, privateTags: PRIVATE_TAGS_LABEL, note: NOTE_LABEL };

/** The button belongs to one of the boxes. */
export const isOfTeam = (what: string): boolean => what === "assign" || what === "private-tags" || isOfNotes(what);

/** Does what the button of a box says, and nothing else. Returns what the page then says. Throws `invalid-request` and `not-found`. */
export async function changeForTeam(c: Context<OwnerEnv>, path: IdeaPath, fields: URLSearchParams): Promise<Told> {
  const what = fields.get("do") ?? "";
  if (isOfNotes(what)) return changeNotes(c, { of: path, what, fields });
  if (what === "assign") {
    await assign(c, path, fields);
    return "assigned";
  }
  await savePrivateTags(c, path, fields);
  return "private-tags-saved";
}

/** `person`: the visitor, by address. */
export async function loadTeam(c: Context<OwnerEnv>, path: IdeaPath, notesAfter: Position | undefined) {
  const { session, accountId } = await openOwn(c);
  const [members, fields, known, notes] = await Promise.all([
    listMembers(session, accountId, Date.now()),
    loadTeamFields(session, { accountId, path }),
    listPrivateTags(session, accountId),
    listNotes(session, { accountId, of: path, after: notesAfter }),
  ]);
  return {
    ...{ ...orNotFound(fields), members, known, notes },
    ...{ person: c.var.owner.person, tellsMembers: tellsMembers(c.env) },
  };
}

export type Team = Awaited<ReturnType<typeof loadTeam>>;

type Props = {
  readonly team: Team;
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
};

export const TeamBoxes = ({ team, sent, errors, action }: Props & { readonly action: string }) => (
  <>
    <AssigneeBox members={team.members} assignee={team.assignee} {...{ errors, action }} />
    <PrivateTagsBox privateTags={team.privateTags} known={team.known} {...{ sent, errors, action }} />
  </>
);

export const TeamNotes = ({ team, ...props }: Props & { readonly action: string }) => (
  <Notes notes={team.notes} members={team.members} person={team.person} tellsMembers={team.tellsMembers} {...props} />
);

/** The list with the same ideas chosen: there is often more to do with them. */
export const keepChosen = (back: string, chosen: readonly Chosen[]): string =>
  withParameter(back, "chosen", chosen.map(({ id }) => id).join());

/** Of several ideas at once: what the pressed button of the bar changes. Undefined for a button that is no one of these. */
export async function changeSeveralForTeam(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
  { what, fields, back }: { readonly what: string; readonly fields: URLSearchParams; readonly back: string },
): Promise<Response | undefined> {
  const again = keepChosen(back, chosen);
  if (what === "assign") {
    if (fields.get("assignee") === "") return c.redirect(tellAt(again, "assignee-not-chosen"), 303);
    const back = await assignSeveral(c, chosen.map(pathOf), fields);
    return c.redirect(withParameters(tellAt(again, "several-assigned"), back), 303);
  }
  if (what !== "private-tag" && what !== "private-untag") return undefined;
  const removes = what === "private-untag";
  const { tag, changed } = await tagPrivately(c, chosen, { tag: fields.get("privateTag") ?? "", removes });
  return c.redirect(
    withParameters(tellAt(again, "private-tags-saved"), [
      ["tagged", `${removes ? "-" : "+"}${tag}`],
      ["changed", changed.map(({ ideaBankId, proposalId }) => `${ideaBankId}-${proposalId}`).join()],
    ]),
    303,
  );
}
