/** Who has an idea: a box on its page, initials in its row, and a choice for several ideas at once. */
import type { Context } from "hono";
import { type Assignment, assignIdeas } from "../../database/proposals/assignment.ts";
import { type FieldError, invalid } from "../../http/invalid-request.ts";
import { type Member, memberLabel, whoCanAct } from "../../model/member.ts";
import { Avatar } from "../frame/avatar.tsx";
import { decide, idsOf, noSuchContent } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { TOGETHER_AT_MOST } from "./chosen.ts";
import type { IdeaPath } from "./decide.ts";

export const ASSIGNEE_LABEL = "Assignee";
const NOBODY = "Unassigned";
/** Nobody, where a form begins with no choice. */
const NONE = "none";

/** The member who has the idea; undefined for nobody, and for a member who has left. */
export const assigneeOf = (members: readonly Member[], assignee: string | null): Member | undefined =>
  members.find(({ id, state }) => id === assignee && state === "accepted");

/** The member whom a field names, by id; null for nobody. Throws `not-found` for what is no id. */
function memberIn(fields: URLSearchParams, name: string): string | null {
  const sent = fields.get(name) || NONE;
  return sent === NONE ? null : idsOf({ sent }).sent;
}

const refuse = (message: string) => invalid([{ path: "assignee", message }]);

async function write(c: Context<OwnerEnv>, assignments: readonly Assignment[]) {
  const [first] = assignments;
  if (first === undefined) throw noSuchContent();
  const subject = { kind: "proposal", id: first.proposalId, ideaBankId: first.ideaBankId } as const;
  const { answer } = await decide(c, subject, ({ session, accountId, now }) =>
    assignIdeas(session, { accountId, assignments, person: c.var.owner.person, now }),
  );
  if (answer === null) throw noSuchContent();
  if (answer === "no-member") throw refuse("is no longer a member. Choose somebody else.");
  return answer;
}

/** Gives the idea to the member that its box names, or to nobody. Throws `invalid-request` and `not-found`. */
export async function assign(c: Context<OwnerEnv>, path: IdeaPath, fields: URLSearchParams): Promise<void> {
  const was = fields.has("had") ? memberIn(fields, "had") : undefined;
  const { taken } = await write(c, [{ ...path, assignee: memberIn(fields, "assignee"), was }]);
  if (taken.length > 0) throw refuse("was changed in the meantime. Choose again.");
}

/** Gives the ideas to the member that the bar names. Returns what takes it back: the fields of its form. Throws as `assign`. */
export async function assignSeveral(
  c: Context<OwnerEnv>,
  paths: readonly IdeaPath[],
  fields: URLSearchParams,
): Promise<readonly [string, string][]> {
  const assignee = memberIn(fields, "assignee");
  const { changed } = await write(
    c,
    paths.map((path) => ({ ...path, assignee })),
  );
  return [
    ["given", assignee ?? NONE],
    ["changed", changed.map(({ ideaBankId, id, had }) => `${ideaBankId}-${id}-${had ?? NONE}`).join()],
  ];
}

/** Gives each idea back to whom `assignSeveral` took it from, where it is still with whom it was given to. Throws as `assign`. */
export async function assignBack(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<void> {
  const was = memberIn(fields, "given");
  const changed = (fields.get("changed") ?? "").split(",").slice(0, TOGETHER_AT_MOST);
  await write(
    c,
    changed.map((each) => {
      const [ideaBankId = "", proposalId = "", had = NONE] = each.split("-");
      return { ...idsOf({ ideaBankId, proposalId }), assignee: had === NONE ? null : idsOf({ had }).had, was };
    }),
  );
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
      <input type="hidden" name="had" value={assignee ?? NONE} />
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
