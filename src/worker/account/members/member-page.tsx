/**
 * `/account/members/{id}`: the role of a member or of somebody who was invited, the roles of the service tokens that act for the member, and
 * the keys and webhooks that the member made: taking rights away from a person takes none away from a key. Invitations that the member sent
 * to a role above the new one end with it.
 */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { type Member, MemberChanges, memberLabel } from "../../model/member.ts";
import { ROLE_NAMES, ROLES, type Role, toRole } from "../../model/role.ts";
import { openOwn } from "../account-databases.ts";
import { Avatar } from "../frame/avatar.tsx";
import { Layout } from "../frame/layout.tsx";
import { ChangedMeanwhile, changedSettings, OpenedWith } from "../frame/opened-form.tsx";
import { page } from "../frame/page.tsx";
import { actorsOf } from "../identity/identity.ts";
import { changeSettings } from "../keys/settings.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeRole, lastAdminStays } from "./api.ts";
import { MEMBERS } from "./members-page.tsx";
import { Boxes, endTicked, findTouchedBy } from "./remove-member-page.tsx";
import { RoleFields } from "./role-fields.tsx";

export const MEMBER_PAGE = page({
  path: `${MEMBERS}/:memberId`,
  needs: "admin",
  load: (c) => load(c, c.req.param("memberId")),

  view: ({ member, touched, sent, tokens, person }) => {
    const label = memberLabel(member);
    const isSelf = member.email === person;
    const isAdmin = member.role === "admin" && member.state === "accepted";
    const ending = sent.filter(({ role }) => role !== "viewer");
    const hasMade = touched.keys.length + touched.webhooks.length > 0;
    return (
      <Layout title={label} part="Role" current="members">
        {label !== member.email && (
          <p class="member">
            <Avatar name={label} />
            {member.email}
          </p>
        )}
        <form method="post" action={`${MEMBERS}/${member.id}`} class="create">
          <OpenedWith fields={toFields(member, tokens)} />
          <RoleFields chosen={member.role} legend={isSelf ? "Your role" : "Role"} />
          {ending.length > 0 && (
            <p class="hint">
              {`A lesser role cancels the invitations ${isSelf ? "you" : "they"} sent to a higher one: `}
              {ending.map(({ email, role }, index) => (
                <>
                  {index > 0 && ", "}
                  <bdi>{email}</bdi>
                  {` (${ROLE_NAMES[role]})`}
                </>
              ))}
              .
            </p>
          )}
          {isAdmin && hasMade && (
            <p class="hint">
              {`A role changes what ${isSelf ? "you" : "they"} can do here, not the keys and webhooks below. Tick what should end too.`}
            </p>
          )}
          {isAdmin && (
            <>
              <Boxes
                name="keys"
                legend={`Revoke ${isSelf ? "your" : "their"} API keys`}
                hint="Anyone who copied a key can keep using it."
                items={touched.keys.map(unticked)}
              />
              <Boxes
                name="webhooks"
                legend={`Delete ${isSelf ? "your" : "their"} webhooks`}
                hint="They keep sending changes to these URLs, including people’s names and IDs."
                items={touched.webhooks.map(unticked)}
              />
            </>
          )}
          {tokens.length > 0 && (
            <fieldset>
              <legend>Service tokens</legend>
              <p class="hint">{`Scripts that act for ${isSelf ? "you" : label}. None has more rights than ${isSelf ? "you have" : "they have"}.`}</p>
              {tokens.map(({ clientId, role }) => (
                <label>
                  <code>{clientId}</code>{" "}
                  <select name={tokenField(clientId)}>
                    {ROLES.map((each) => (
                      <option value={each} selected={each === role}>
                        {ROLE_NAMES[each]}
                      </option>
                    ))}
                  </select>
                </label>
              ))}
            </fieldset>
          )}
          <div class="buttons">
            <button type="submit" class="primary">
              Save
            </button>
            <a href={MEMBERS}>Cancel</a>
          </div>
        </form>
      </Layout>
    );
  },

  act: async (c) => {
    const fields = await readForm(c);
    const { member, touched, tokens, settings, isLastAdmin } = await load(c, c.req.param("memberId"));
    const changed = changedSettings(fields, (each) => Object.fromEntries(each));
    const { role } = parseOrThrow(MemberChanges, { role: changed.role });
    requireAsOpened(fields, member, role);
    if (isLastAdmin && role !== undefined && role !== "admin") throw lastAdminStays();
    // These come first, because admins who take their own role away can do nothing of it afterwards.
    await endTicked(c, fields, touched);
    const chosen = tokens.map(({ clientId, role: was }) => ({
      clientId,
      role: toRole(changed[tokenField(clientId)] ?? was),
    }));
    if (chosen.some((each, index) => each.role !== tokens[index]?.role)) {
      const others = settings.filter(({ clientId }) => !tokens.some((token) => token.clientId === clientId));
      // An admin's token is the default, and not stored.
      const serviceTokenRoles = [...others, ...chosen.filter((each) => each.role !== "admin")];
      await changeSettings(c, { serviceTokenRoles });
    }
    if (role !== undefined && role !== member.role) await changeRole(c, member, role);
    return c.redirect(`${MEMBERS}?changed=${member.id}`, 303);
  },
});

const tokenField = (clientId: string): string => `token-${clientId}`;

/** The values with which the form opens. */
const toFields = ({ role }: Pick<Member, "role">, tokens: readonly TokenRole[]) =>
  new URLSearchParams([["role", role], ...tokens.map((token) => [tokenField(token.clientId), token.role])]);

/** Throws `ChangedMeanwhile` where another admin has given the member another role than the form was opened with, and than it has. */
function requireAsOpened(fields: URLSearchParams, member: Member, mine: Role | undefined): void {
  const now = member.role;
  const was = new URLSearchParams(fields.get("was") ?? "");
  if (mine === undefined || !was.has("role") || [was.get("role"), mine].includes(now)) return;
  was.set("role", now);
  const again = new URLSearchParams(fields);
  again.set("was", was.toString());
  const subject = memberLabel(member);
  throw new ChangedMeanwhile({ id: member.id, subject, differences: [{ name: "role", now, mine }], again });
}

type TokenRole = { readonly clientId: string; readonly role: Role };

async function load(c: Context<OwnerEnv>, memberId: string) {
  const [found, settings] = await Promise.all([findTouchedBy(c, memberId), loadTokenRoles(c)]);
  const tokens = actorsOf(c, found.member.email)
    .filter((actor) => actor !== found.member.email)
    .map(
      (clientId): TokenRole => ({
        clientId,
        role: settings.find((each) => each.clientId === clientId)?.role ?? "admin",
      }),
    );
  return { ...found, tokens, settings, person: c.var.owner.person };
}

async function loadTokenRoles(c: Context<OwnerEnv>): Promise<readonly TokenRole[]> {
  const { session, accountId } = await openOwn(c);
  return (await loadAccountSettings(session, accountId))?.serviceTokenRoles ?? [];
}

/** Another role is no reason to end what works. */
const unticked = <Item extends object>(item: Item) => ({ ...item, isTicked: false });
