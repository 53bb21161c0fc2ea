/** Who has an idea: a box on its page, initials in its row, and a choice for several ideas at once. */
import type { Context } from "hono";
import { assignIdeas } from "../../database/proposals/assignment.ts";
import { type FieldError, invalid } from "../../http/invalid-request.ts";
import { type Member, memberLabel, whoCanAct } from "../../model/member.ts";
import { Avatar } from "../frame/avatar.tsx";
import { decide, idsOf, noSuchContent } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import type { IdeaPath } from "./decide.ts";

export const ASSIGNEE_LABEL = "Assignee";
const NOBODY = "Unassigned";
/** Nobody, where a form begins with no choice. */
const NONE = "none";

/** The member who has the idea; undefined for nobody, and for a member who has left. */
export const assigneeOf = (members: readonly Member[], assignee: string | null): Member | undefined =>
  members.find(({ id, state }) => id === assignee && state === "accepted");

/** Gives the ideas to the member that the form names, or to nobody. Throws `invalid-request` and `not-found`. */
export async function assign(c: Context<OwnerEnv>, paths: readonly IdeaPath[], fields: URLSearchParams): Promise<void> {
  const [first] = paths;
  if (first === undefined) throw noSuchContent();
  const sent = fields.get("assignee") || null;
  const assignee = sent === NONE ? null : sent;
  if (assignee !== null) idsOf({ assignee });
  const subject = { kind: "proposal", id: first.proposalId, ideaBankId: first.ideaBankId } as const;
  const { answer } = await decide(c, subject, ({ session, accountId, now }) =>
    assignIdeas(session, { accountId, paths, assignee, person: c.var.owner.person, now }),
  );
  if (answer === null) throw noSuchContent();
  if (answer === "no-member")
    throw invalid([{ path: "assignee", message: "is no longer a member. Choose somebody else." }]);
}

type OptionsProps = {
  readonly members: readonly Member[];
  readonly chosen: string | undefined;
  /** The value of nobody. */
  readonly none?: string;
};

const Options = ({ members, chosen, none = "" }: OptionsProps) => (
  <>
    <option value={none}>{NOBODY}</option>
    {members
      .filter((member) => member.id === chosen || whoCanAct([member]).length > 0)
      .map((member) => (
        <option value={member.id} selected={member.id === chosen}>
          {memberLabel(member)}
        </option>
      ))}
  </>
);

type BoxProps = {
  readonly members: readonly Member[];
  readonly assignee: string | null;
  /** The idea's page. */
  readonly action: string;
  readonly errors: readonly FieldError[];
};

export const AssigneeBox = ({ members, assignee, action, errors }: BoxProps) => {
  const message = messageFor(errors, "assignee");
  return (
    <form method="post" action={action} class="own-box">
      <Field name="assignee" label={ASSIGNEE_LABEL} message={message}>
        <select id="assignee" name="assignee" {...described("assignee", message)}>
          <Options members={members} chosen={assigneeOf(members, assignee)?.id} />
        </select>
      </Field>
      <button type="submit" name="do" value="assign">
        Assign
      </button>
    </form>
  );
};

/** The initials of who has the idea, in its row. */
export const AssigneeChip = ({ members, assignee }: Pick<BoxProps, "members" | "assignee">) => {
  const member = assigneeOf(members, assignee);
  if (member === undefined) return null;
  const label = memberLabel(member);
  return (
    <span title={`Assigned to ${label}`}>
      <span class="unseen">{`Assigned to ${label}`}</span>
      <Avatar name={label} />
    </span>
  );
};

/** In the bar of selected ideas. */
export const AssignSeveral = ({ members }: Pick<BoxProps, "members">) => (
  <span class="buttons">
    <select name="assignee" aria-label={ASSIGNEE_LABEL}>
      <option value="">{`${ASSIGNEE_LABEL}…`}</option>
      <Options members={members} chosen={undefined} none={NONE} />
    </select>
    <button type="submit" name="do" value="assign" formnovalidate>
      Assign
    </button>
  </span>
);
