/**
 * `/account/members/{id}/remove`: asks before a member is removed, with the keys and webhooks that the person may still know or receive
 * from.
 */
import type { Context } from "hono";
import { findTouched, type Touched } from "../../database/members/members.ts";
import { countAssigned, HANDED_OVER_AT_MOST } from "../../database/proposals/assignment.ts";
import { deleteWebhook } from "../../database/webhooks/webhooks.ts";
import { readForm } from "../../http/read-body.ts";
import { type Member, memberLabel, whoCanAct } from "../../model/member.ts";
import { isMasked, maskUrl } from "../../model/webhook-url.ts";
import { openOwn, standingOf } from "../account-databases.ts";
import { Field } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { tellAt } from "../frame/visit.ts";
import { counted, number } from "../frame/words.ts";
import { actorsOf } from "../identity/identity.ts";
import { requireRole } from "../identity/role.ts";
import { revokeKey } from "../keys/actions.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeTo } from "../webhooks/api.ts";
import { ACCOUNTS } from "./accounts-page.tsx";
import { dismissMember, lastAdminLeaves, listOwnMembers, noSuchMember } from "./api.ts";
import { MEMBERS } from "./members-page.tsx";

export const REMOVE_MEMBER_PAGE = page({
  path: `${MEMBERS}/:memberId/remove`,
  needs: "viewer",
  load: async (c) => ({
    ...(await findRemovable(c, c.req.param("memberId"))),
    ...{ person: c.var.owner.person, isAdmin: await isByAdmin(c) },
  }),

  view: ({ member, touched, person, isAdmin, heirs, ideas }) => {
    const { id, email, state } = member;
    const isSelf = email === person;
    const [title, effect, button, keep] = isSelf
      ? [
          "Leave this account?",
          "You’ll lose access to it right away. Another member can invite you back.",
          "Leave account",
          "Stay",
        ]
      : state === "accepted"
        ? [
            `Remove ${memberLabel(member)}?`,
            "They lose access to this account right away. You can invite them back at any time.",
            "Remove member",
            "Keep",
          ]
        : [
            state === "invited" ? `Cancel the invitation of ${email}?` : `Remove ${memberLabel(member)}?`,
            "You can invite them again at any time.",
            "Cancel invitation",
            "Keep",
          ];
    return (
      <Layout title={title} current="members">
        <p>{effect}</p>
        <form method="post" action={`${MEMBERS}/${id}/remove`} class="create">
          {isAdmin ? (
            <>
              <Boxes
                name="keys"
                legend={`Revoke ${isSelf ? "your" : "their"} API keys`}
                hint="Anyone who copied a key can keep using it."
                items={touched.keys}
              />
              <Boxes
                name="webhooks"
                legend={`Delete ${isSelf ? "your" : "their"} webhooks`}
                hint="They keep sending changes to these URLs, including people’s names and IDs."
                items={touched.webhooks}
              />
            </>
          ) : (
            <Staying {...touched} />
          )}
          <Boxes
            name="invitations"
            legend={`Cancel invitations ${isSelf ? "you" : "they"} sent`}
            hint="So that no one joins through them."
            items={touched.invitations}
          />
          <TakenBy ideas={ideas} heirs={heirs} isSelf={isSelf} />
          {touched.invitations.map(({ id: shown }) => (
            <input type="hidden" name="shown" value={shown} />
          ))}
          <div class="buttons">
            <button type="submit" class="danger">
              {button}
            </button>
            <a href={MEMBERS}>{keep}</a>
          </div>
        </form>
      </Layout>
    );
  },

  act: async (c) => {
    const fields = await readForm(c);
    const { member, touched, isLastAdmin } = await findRemovable(c, c.req.param("memberId"));
    // A key that was revoked does not come back, so nothing is ended for somebody who cannot leave.
    if (isLastAdmin) throw lastAdminLeaves();
    // This comes first, because people who remove themselves can do nothing afterwards. Who is no admin leaves without it.
    if (await isByAdmin(c)) await endTicked(c, fields, touched);
    const ticked = fields.getAll("invitations");
    await dismissMember(c, member.id, {
      kept: fields.getAll("shown").filter((id) => !ticked.includes(id)),
      takenBy: fields.get("takenBy") || undefined,
    });
    // People who have left cannot see this account's pages any more. A relative address would be led back into it.
    if (member.email === c.var.owner.person) return c.redirect(new URL(tellAt(ACCOUNTS, "left"), c.req.url).href, 303);
    const done = member.state === "invited" ? "canceled" : "removed";
    return c.redirect(`${MEMBERS}?${done}=${encodeURIComponent(member.email)}`, 303);
  },
});

const isByAdmin = async (c: Context<OwnerEnv>): Promise<boolean> => (await standingOf(c)).role === "admin";

/** Everybody may leave, and an admin removes others. Throws `forbidden`, `not-found`. */
async function findRemovable(c: Context<OwnerEnv>, memberId: string) {
  const found = await findTouchedBy(c, memberId);
  if (found.member.email !== c.var.owner.person) await requireRole(c, "admin");
  return found;
}

/**
 * A member, the keys and webhooks that the person has made or changed, how many ideas the person has, and who can take them. Throws
 * `not-found`.
 */
export async function findTouchedBy(c: Context<OwnerEnv>, memberId: string) {
  const [{ session, accountId }, { items }] = await Promise.all([openOwn(c), listOwnMembers(c)]);
  const member = items.find(({ id }) => id === memberId);
  if (member === undefined) throw noSuchMember();
  const actors = actorsOf(c, member.email);
  const [touched, ideas] = await Promise.all([
    findTouched(session, { accountId, actors, now: Date.now() }),
    member.state === "accepted" ? countAssigned(session, accountId, memberId) : 0,
  ]);
  const heirs = whoCanAct(items).filter(({ id }) => id !== memberId);
  const isAdmin = member.state === "accepted" && member.role === "admin";
  return {
    ...{ member, touched, ideas, heirs },
    isLastAdmin: isAdmin && !heirs.some(({ role }) => role === "admin"),
    /** The invitations with their roles. */
    sent: items.filter(({ id }) => touched.invitations.some((invitation) => invitation.id === id)),
  };
}

/** What somebody who is no admin any more has made: it stays, and only admins end it. */
const Staying = ({ keys, webhooks }: Pick<Awaited<ReturnType<typeof findTouched>>, "keys" | "webhooks">) => {
  const names = [
    ...keys.map(({ name }) => name),
    ...webhooks.map(({ name }) => (isMasked(name) ? name : maskUrl(name))),
  ];
  if (names.length === 0) return null;
  return (
    <p class="hint">
      {"You made these, and only admins can end them: "}
      {names.map((name, index) => (
        <>
          {index > 0 && ", "}
          <bdi>{name}</bdi>
        </>
      ))}
      .
    </p>
  );
};

type TakenByProps = { readonly ideas: number; readonly heirs: readonly Member[]; readonly isSelf: boolean };

const TakenBy = ({ ideas, heirs, isSelf }: TakenByProps) => {
  if (ideas === 0) return null;
  const isMore = ideas >= HANDED_OVER_AT_MOST;
  const label = `Who takes ${isSelf ? "your" : "their"} ${isMore ? `newest ${number(ideas)} ideas` : counted(ideas, "idea")}?`;
  return (
    <Field name="takenBy" label={label} message={undefined} {...(isMore && { hint: "Older ones become unassigned." })}>
      <select id="takenBy" name="takenBy">
        <option value="">Nobody: unassigned</option>
        {heirs.map((each) => (
          <option value={each.id}>{memberLabel(each)}</option>
        ))}
      </select>
    </Field>
  );
};

/** Revokes the keys and deletes the webhooks whose boxes are ticked. */
export async function endTicked(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
  { keys, webhooks }: Awaited<ReturnType<typeof findTouched>>,
): Promise<void> {
  for (const { id } of keys) if (fields.has("keys", id)) await revokeKey(c, id);
  for (const { id } of webhooks) if (fields.has("webhooks", id)) await changeTo(c, { id, change: deleteWebhook });
}

type BoxesProps = {
  readonly name: string;
  readonly legend: string;
  readonly hint: string;
  /** Ticked where it is theirs alone, if nothing else is said. */
  readonly items: readonly (Touched & { readonly isTicked?: boolean })[];
};

export const Boxes = ({ name, legend, hint, items }: BoxesProps) =>
  items.length > 0 && (
    <fieldset class="scopes">
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      {items.map((item) => (
        <label class="choice">
          <input type="checkbox" name={name} value={item.id} checked={item.isTicked ?? item.isTheirs} />
          <span>
            <bdi>{item.name}</bdi>
            {name !== "invitations" && (
              <span class="hint">
                {item.isTheirs
                  ? "Made by this person, and never changed by anyone else"
                  : item.isMade
                    ? "Made by this person"
                    : "Changed by this person"}
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
