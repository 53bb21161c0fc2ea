/** The members of the account, and a form for another. */
import type { findTouched, Touched } from "../../database/members.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Member } from "../../model/member.ts";
import { Copyable } from "../frame/copyable.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";

export type MembersPageProps = {
  readonly frame: Frame;
  readonly accountId: string;
  readonly members: readonly Member[];
  /** The visitor. */
  readonly person: string;
  readonly form: { readonly email: string; readonly errors: readonly FieldError[] };
  /** The page where an invited person answers. */
  readonly invitationsUrl: string;
  /** Invited people get an e-mail. */
  readonly sendsEmail: boolean;
  /** The address that was just invited. */
  readonly invited: string | undefined;
  /** The address whose invitation was just canceled, or that was just removed, in lower case. */
  readonly canceled: string | undefined;
  readonly removed: string | undefined;
  readonly now: number;
};

const LABEL = "Email address";

export const MembersPage = (props: MembersPageProps) => {
  const { frame, accountId, members, person, form, invitationsUrl, sendsEmail, now } = props;
  const message = messageFor(form.errors, "email");
  const accepted = members.filter(({ state }) => state === "accepted");
  const isWaiting = members.some(({ state }) => state === "invited");
  const invited = members.find(({ email, state }) => email === props.invited && state === "invited");
  // Anybody can write such a link, so nothing is said of those who are still here.
  const isGone = (address: string | undefined) =>
    address && !members.some(({ email }) => email.toLowerCase() === address);
  const hint = `The address they sign in with.${sendsEmail ? "" : " You’ll get a link to send them."}`;
  return (
    <Layout title="Members" current="members" {...frame}>
      {form.errors.length > 0 && (
        <ErrorSummary title="No one was invited." errors={form.errors} labels={{ email: LABEL }} />
      )}
      {invited && (
        <p class="notice good" role="status" tabindex={-1} autofocus data-done>
          {sendsEmail
            ? `Invitation sent to ${invited.email}.`
            : `${invited.email} is invited. Send them the link below.`}
        </p>
      )}
      {(isGone(props.canceled) || isGone(props.removed)) && (
        <p class="notice good" role="status" tabindex={-1} autofocus data-done>
          {isGone(props.canceled)
            ? `The invitation of ${props.canceled} was canceled.`
            : `${props.removed} was removed.`}
        </p>
      )}
      <p class="lead">Members can do everything in this account, except remove the last member.</p>
      <div class="stacks">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="unseen">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <MemberRow member={member} person={person} isRemovable={accepted.length > 1} now={now} />
            ))}
          </tbody>
        </table>
      </div>
      {isWaiting && (
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
      <section aria-labelledby="add">
        <h2 id="add">Invite a colleague</h2>
        <form method="post" action="/account/members" class="narrow">
          <Field name="email" label={LABEL} hint={hint} message={message}>
            <input
              id="email"
              name="email"
              type="email"
              value={form.email}
              required
              maxlength={320}
              autocomplete="off"
              {...described("email", message, hint)}
            />
          </Field>
          <button type="submit" class="primary">
            Invite
          </button>
        </form>
      </section>
      <p class="hint">
        Account ID: <code>{accountId}</code>
      </p>
    </Layout>
  );
};

type RowProps = {
  readonly member: Member;
  readonly person: string;
  readonly isRemovable: boolean;
  readonly now: number;
};

const MemberRow = ({ member, person, isRemovable, now }: RowProps) => {
  const { id, email, state, addedBy, createdAt, expiresAt } = member;
  const isSelf = email === person;
  return (
    <tr>
      <th scope="row">
        {email}
        {isSelf && <span class="pill">You</span>}
        {addedBy === null && <span class="pill">Account creator</span>}
        {state === "invited" && <span class="pill warn">Invited</span>}
        {state === "declined" && <span class="pill">Declined</span>}
      </th>
      <td>
        <Time at={createdAt} now={now} />
        {addedBy !== null && (
          <span class="hint">{state === "accepted" ? ` added by ${addedBy}` : ` by ${addedBy}`}</span>
        )}
        {expiresAt && (
          <span class="hint">
            {", expires "}
            <Time at={expiresAt} now={now} />
          </span>
        )}
      </td>
      <td class="number act">
        {(state !== "accepted" || isRemovable) && (
          <a
            class="button danger"
            href={`/account/members/${id}/remove`}
            aria-label={
              isSelf
                ? "Leave this account"
                : state === "invited"
                  ? `Cancel the invitation of ${email}`
                  : `Remove ${email}`
            }
          >
            {isSelf ? "Leave" : state === "invited" ? "Cancel" : "Remove"}
          </a>
        )}
      </td>
    </tr>
  );
};

type RemoveProps = {
  readonly frame: Frame;
  readonly member: Member;
  readonly touched: Awaited<ReturnType<typeof findTouched>>;
  /** The visitor. */
  readonly person: string;
};

/** The confirmation before a member is removed, with the keys and webhooks that the person may still know or receive from. */
export const RemoveMemberPage = ({ frame, member: { id, email, state }, touched, person }: RemoveProps) => {
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
          `Remove ${email}?`,
          "They lose access to this account right away. You can invite them back at any time.",
          "Remove member",
          "Keep",
        ]
      : [
          state === "invited" ? `Cancel the invitation of ${email}?` : `Remove ${email}?`,
          "You can invite them again at any time.",
          "Cancel invitation",
          "Keep",
        ];
  return (
    <Layout title={title} current="members" {...frame}>
      <p>{effect}</p>
      <form method="post" action={`/account/members/${id}/remove`} class="create">
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
        <Boxes
          name="invitations"
          legend={`Cancel invitations ${isSelf ? "you" : "they"} sent`}
          hint="So that no one joins through them."
          items={touched.invitations}
        />
        {touched.invitations.map(({ id: shown }) => (
          <input type="hidden" name="shown" value={shown} />
        ))}
        <div class="buttons">
          <button type="submit" class="danger">
            {button}
          </button>
          <a href="/account/members">{keep}</a>
        </div>
      </form>
    </Layout>
  );
};

type BoxesProps = {
  readonly name: string;
  readonly legend: string;
  readonly hint: string;
  readonly items: readonly Touched[];
};

const Boxes = ({ name, legend, hint, items }: BoxesProps) =>
  items.length > 0 && (
    <fieldset class="scopes">
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      {items.map((item) => (
        <label class="choice">
          <input type="checkbox" name={name} value={item.id} checked={item.isTheirs} />
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
