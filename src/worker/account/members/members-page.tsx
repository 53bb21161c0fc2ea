/** The members of the account, and a form for another. */
import type { findTouched, Touched } from "../../database/members.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Member } from "../../model/member.ts";
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
  readonly now: number;
};

const LABEL = "E-mail address";

export const MembersPage = ({ frame, accountId, members, person, form, now }: MembersPageProps) => {
  const message = messageFor(form.errors, "email");
  const accepted = members.filter(({ state }) => state === "accepted");
  const hint = "The address with which the person signs in here.";
  return (
    <Layout title="Members" current="members" {...frame}>
      {form.errors.length > 0 && (
        <ErrorSummary title="Nobody was invited." errors={form.errors} labels={{ email: LABEL }} />
      )}
      <p class="lead">
        Members of the account <code>{accountId}</code> can do everything but remove the last one. Its keys stay when a
        member goes.
      </p>
      <ul class="events members">
        {members.map(({ id, email, state, addedBy, createdAt, expiresAt }) => (
          <li>
            <div>
              <p>
                <strong>{email}</strong>
                {email === person && " (you)"}
              </p>
              <p class="hint">
                {state === "declined" && "declined; "}
                {addedBy === null
                  ? "made the account "
                  : `${state === "accepted" ? "added" : "invited"} by ${addedBy} `}
                <Time at={createdAt} now={now} />
                {expiresAt && "; ends "}
                {expiresAt && <Time at={expiresAt} now={now} />}
              </p>
            </div>
            {(state !== "accepted" || accepted.length > 1) && (
              <a class="button danger" href={`/account/members/${id}/remove`} aria-label={`Remove ${email}`}>
                Remove
              </a>
            )}
          </li>
        ))}
      </ul>
      <section aria-labelledby="add">
        <h2 id="add">Invite somebody</h2>
        <p>
          The person finds the invitation in Account Settings, and becomes a member by accepting it. It ends after 30
          days.
        </p>
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
    </Layout>
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
export const RemoveMemberPage = ({ frame, member: { id, email, state }, touched, person }: RemoveProps) => (
  <Layout title={`Remove ${email}?`} current="members" {...frame}>
    <p>
      {state !== "accepted"
        ? "The invitation is taken back. Any member can invite the person again."
        : email === person
          ? "This is you. When it is done, you can do nothing more for this account. Another member can invite you again."
          : "When it is done, this person can do nothing more for this account. Any member can invite the person again."}
    </p>
    <form method="post" action={`/account/members/${id}/remove`} class="create">
      <Boxes
        name="keys"
        legend="Keys that this person made or changed: tick those to revoke"
        hint="A person who has copied a key can go on using it."
        items={touched.keys}
      />
      <Boxes
        name="webhooks"
        legend="Webhooks that this person made or changed: tick those to delete"
        hint="They go on sending changes to these URLs, with the names and ids of panelists."
        items={touched.webhooks}
      />
      <Boxes
        name="invitations"
        legend="Invitations that this person sent: untick those to keep"
        hint="They are canceled, so that nobody becomes a member by them."
        items={touched.invitations}
        isTicked
      />
      {touched.invitations.map(({ id: shown }) => (
        <input type="hidden" name="shown" value={shown} />
      ))}
      <p>What is not ticked stays as it is.</p>
      <div class="buttons">
        <button type="submit" class="danger">
          {state === "accepted" ? "Remove this member" : "Take the invitation back"}
        </button>
        <a href="/account/members">Keep</a>
      </div>
    </form>
  </Layout>
);

type BoxesProps = {
  readonly name: string;
  readonly legend: string;
  readonly hint: string;
  readonly items: readonly Touched[];
  readonly isTicked?: boolean;
};

const Boxes = ({ name, legend, hint, items, isTicked = false }: BoxesProps) =>
  items.length > 0 && (
    <fieldset class="scopes">
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      {items.map((item) => (
        <label class="choice">
          <input type="checkbox" name={name} value={item.id} checked={isTicked} />
          <span>
            <bdi>{item.name}</bdi>
            {!isTicked && <span class="hint">{item.isMade ? "Made by this person" : "Changed by this person"}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
