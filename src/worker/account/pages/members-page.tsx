/** The members of the account, and a form for another. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Member, OwnAccount } from "../../model/member.ts";
import { described, ErrorSummary, Field, messageFor } from "./field.tsx";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";

export type MembersPageProps = {
  readonly frame: Frame;
  readonly accountId: string;
  readonly members: readonly Member[];
  /** Who looks at the page. */
  readonly person: string;
  readonly form: { readonly email: string; readonly errors: readonly FieldError[] };
  readonly now: number;
};

const LABEL = "E-mail address";

export const MembersPage = ({ frame, accountId, members, person, form, now }: MembersPageProps) => {
  const message = messageFor(form.errors, "email");
  const hint = "As Cloudflare Access knows the person, who signs in as you do.";
  return (
    <Layout title="Members" current="members" {...frame}>
      {form.errors.length > 0 && (
        <ErrorSummary title="Nobody was added." errors={form.errors} labels={{ email: LABEL }} />
      )}
      <p class="lead">
        Members of the account <code>{accountId}</code> can do everything but remove the last one. Its keys stay when a
        member goes.
      </p>
      <ul class="events members">
        {members.map(({ id, email, addedBy, createdAt }) => (
          <li>
            <div>
              <p>
                <strong>{email}</strong>
                {email === person && " (you)"}
              </p>
              <p class="hint">
                {addedBy ? `added by ${addedBy} ` : "made the account "}
                <Time at={createdAt} now={now} />
              </p>
            </div>
            {members.length > 1 && (
              <a class="button danger" href={`/account/members/${id}/remove`} aria-label={`Remove ${email}`}>
                Remove
              </a>
            )}
          </li>
        ))}
      </ul>
      <section aria-labelledby="add">
        <h2 id="add">Add a member</h2>
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
            Add member
          </button>
        </form>
      </section>
    </Layout>
  );
};

/** `/account/accounts`: the accounts that the visitor is a member of, to choose from. The choice is in the URL. */
export const AccountsPage = ({ frame, own }: { frame: Frame; own: readonly OwnAccount[] }) => (
  <Layout title="Accounts" current="accounts" {...frame}>
    <ul class="events">
      {own.map(({ id, name }) => (
        <li>
          <a href={`/account/api-keys?account=${id}`}>{name}</a>
          {name === (frame.account ?? frame.email) && " (this one)"}
        </li>
      ))}
    </ul>
  </Layout>
);

/** The confirmation before a member is removed. */
export const RemoveMemberPage = ({ frame, member, person }: { frame: Frame; member: Member; person: string }) => (
  <Layout title={`Remove ${member.email}?`} current="members" {...frame}>
    <p>
      {member.email === person
        ? "This is you. When it is done, you can do nothing more for this account. Another member can add you again."
        : "When it is done, this person can do nothing more for this account. Any member can add the person again."}
    </p>
    <p>The keys and the webhooks of the account stay as they are.</p>
    <form method="post" action={`/account/members/${member.id}/remove`} class="confirm">
      <button type="submit" class="danger">
        Remove this member
      </button>
      <a href="/account/members">Keep</a>
    </form>
  </Layout>
);
