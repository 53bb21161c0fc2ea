/** `/account/members`: the people who may act for the account, and a form for another. */
import type { Context } from "hono";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { tellsMembers } from "../../model/mail-settings.ts";
import { foldAddress, type Member, memberLabel, NewMember } from "../../model/member.ts";
import { ROLE_NAMES, toRole } from "../../model/role.ts";
import { Avatar } from "../frame/avatar.tsx";
import { Copyable } from "../frame/copyable.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import { Table } from "../frame/table.tsx";
import { Time } from "../frame/times.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { ACCOUNTS } from "./accounts-page.tsx";
import { inviteMember, listOwnMembers } from "./api.ts";
import { EMAILS } from "./emails-page.tsx";
import { PROFILE } from "./profile-page.tsx";
import { RoleFields } from "./role-fields.tsx";

export const MEMBERS = "/account/members";
const LABEL = "Email address";

async function load(c: Context<OwnerEnv>, sent?: SentForm) {
  const { accountId, items } = await listOwnMembers(c);
  return {
    ...{ accountId, members: items, person: c.var.owner.person },
    email: sent?.fields.get("email") ?? "",
    role: toRole(sent?.fields.get("role") ?? "member"),
    errors: sent?.errors ?? [],
    /** The page where an invited person answers. */
    invitationsUrl: new URL(ACCOUNTS, c.req.url).href,
    /** Invited people get an e-mail. */
    sendsEmail: tellsMembers(c.env),
    /** The address that was just invited. */
    invited: c.req.query("invited"),
    /** The address whose invitation was just canceled, or that was just removed, in lower case. */
    canceled: foldAddress(c.req.query("canceled") ?? ""),
    removed: foldAddress(c.req.query("removed") ?? ""),
    /** The member whose role was just changed. */
    changed: items.find(({ id }) => id === c.req.query("changed")),
  };
}

export const MEMBERS_PAGE = page({
  path: MEMBERS,
  needs: { opens: "viewer", sends: "admin" },
  load,

  view: (props) => {
    const { accountId, members, person, email, role, changed, errors, invitationsUrl, sendsEmail } = props;
    const isAdmin = useMay("admin");
    const message = messageFor(errors, "email");
    const admins = members.filter((member) => member.state === "accepted" && member.role === "admin");
    const isWaiting = members.some(({ state }) => state === "invited");
    const invited = members.find(({ email: address, state }) => address === props.invited && state === "invited");
    // Anybody can write such a link, so nothing is said of those who are still here.
    const isGone = (address: string | undefined) =>
      address && !members.some((member) => member.email.toLowerCase() === address);
    const hint = `The address they sign in with.${sendsEmail ? "" : " You’ll get a link to send them."}`;
    return (
      <Layout title="Members" current="members">
        {errors.length > 0 && <ErrorSummary title="No one was invited." errors={errors} labels={{ email: LABEL }} />}
        {invited && (
          <Success>
            {sendsEmail
              ? `Invitation sent to ${invited.email}.`
              : `${invited.email} is invited. Send them the link below.`}
          </Success>
        )}
        {(isGone(props.canceled) || isGone(props.removed)) && (
          <Success>
            {isGone(props.canceled)
              ? `The invitation of ${props.canceled} was canceled.`
              : `${props.removed} was removed.`}
          </Success>
        )}
        {changed && <Success>{`${memberLabel(changed)} is ${ROLE_WORDS[changed.role]} now.`}</Success>}
        <p class="lead">
          <a href={PROFILE}>Set your name</a>. Your team sees it instead of your email address.
        </p>
        <Table columns={["Member", "Role", "Since", { unseen: "Action" }]}>
          {members.map((member) => (
            <MemberRow
              member={member}
              person={person}
              isAdmin={isAdmin}
              isLastAdmin={admins.length === 1 && admins[0] === member}
            />
          ))}
        </Table>
        {isAdmin && isWaiting && (
          <section aria-labelledby="link">
            <h2 id="link">Invitation link</h2>
            <p>
              {sendsEmail
                ? "Invited people get it by email. You can send it yourself, too. It works only for the invited address."
                : "Send it to the people you invited. It works only for the invited address."}
            </p>
            <Copyable id="invitations" label="invitation link" text={invitationsUrl} />
          </section>
        )}
        {isAdmin && (
          <section aria-labelledby="add">
            <h2 id="add">Invite a colleague</h2>
            <form method="post" action={MEMBERS} class="narrow">
              <Field name="email" label={LABEL} hint={hint} message={message}>
                <input
                  id="email"
                  name="email"
                  type="email"
                  value={email}
                  required
                  maxlength={320}
                  autocomplete="off"
                  {...described("email", message, hint)}
                />
              </Field>
              <RoleFields chosen={role} />
              <button type="submit" class="primary">
                Invite
              </button>
            </form>
          </section>
        )}
        <p>
          <a href={EMAILS}>Choose your emails about ideas</a>
        </p>
        <p class="hint">
          Account ID: <code>{accountId}</code>
        </p>
      </Layout>
    );
  },

  act: async (c) => {
    const fields = await readForm(c);
    const asked = { email: fields.get("email") ?? "", role: fields.get("role") ?? undefined };
    const invited = await inviteMember(c, parseOrThrow(NewMember, asked));
    return c.redirect(`${MEMBERS}?invited=${encodeURIComponent(invited.email)}`, 303);
  },

  refused: load,
});

type RowProps = {
  readonly member: Member;
  readonly person: string;
  /** The visitor is an admin. */
  readonly isAdmin: boolean;
  readonly isLastAdmin: boolean;
};

const ROLE_WORDS = { admin: "an admin", member: "a member", viewer: "a viewer" } as const;

const MemberRow = ({ member, person, isAdmin, isLastAdmin }: RowProps) => {
  const { id, email, name, role, state, addedBy, createdAt, expiresAt } = member;
  const isSelf = email === person;
  const label = memberLabel(member);
  return (
    <tr>
      <th scope="row">
        <span class="member">
          <Avatar name={label} />
          <span>
            <bdi>{label}</bdi>
            {name !== null && <span class="hint">{email}</span>}
          </span>
        </span>
        {isSelf && <span class="pill">You</span>}
        {addedBy === null && <span class="pill">Account creator</span>}
        {state === "invited" && <span class="pill warn">Invited</span>}
        {state === "declined" && <span class="pill">Declined</span>}
      </th>
      <td>
        {ROLE_NAMES[role]}
        {isAdmin && state !== "declined" && (
          <>
            {" "}
            <a href={`${MEMBERS}/${id}`} aria-label={`Change the role of ${label}`}>
              Change
            </a>
          </>
        )}
      </td>
      <td>
        <Time at={createdAt} />
        {addedBy !== null && (
          <span class="hint">{state === "accepted" ? ` added by ${addedBy}` : ` by ${addedBy}`}</span>
        )}
        {expiresAt && (
          <span class="hint">
            {", expires "}
            <Time at={expiresAt} />
          </span>
        )}
      </td>
      <td class="number act">
        {!isLastAdmin && (isAdmin || isSelf) && (
          <a
            class="button danger"
            href={`${MEMBERS}/${id}/remove`}
            aria-label={
              isSelf
                ? "Leave this account"
                : state === "invited"
                  ? `Cancel the invitation of ${email}`
                  : `Remove ${label}`
            }
          >
            {isSelf ? "Leave" : state === "invited" ? "Cancel" : "Remove"}
          </a>
        )}
      </td>
    </tr>
  );
};
