/** The forms of a board's Public page. Each saves the box that it stands in. */
import type { Child } from "hono/jsx";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import type { SentForm } from "../frame/page.tsx";
import { BANK_LIMITS } from "../frame/words.ts";
import { IDEA_BANKS } from "./own-bank.tsx";

/** What became of the e-mail of “Send me a code”; `fault` is in the binding's own words. */
export type SentCode = { readonly to: string; readonly fault: string | undefined };

export type PublicPageProps = {
  readonly ideaBank: IdeaBank;
  readonly url: string;
  readonly externalIdsAreEmails: boolean;
  readonly sendsEmail: boolean;
  /** The signed-in owner's address. */
  readonly person: string;
  readonly done: string | undefined;
  readonly sentCode: SentCode | undefined;
  /** The form that was refused, and its errors. */
  readonly refused: SentForm | undefined;
};

export const LABELS = { description: "Description", signInUrl: "Your sign-in page" };

/** What the fields of each form set. */
export const SETTINGS_OF: Readonly<Record<string, (fields: URLSearchParams) => object>> = {
  switch: (fields) => ({ publicPage: fields.has("publicPage"), approvalRequired: fields.has("approvalRequired") }),
  off: (fields) => ({ publicPage: fields.has("publicPage") }),
  about: (fields) => ({
    description: fields.get("description") ?? "",
    hiddenFromSearch: fields.has("hiddenFromSearch"),
    approvalRequired: fields.has("approvalRequired"),
  }),
  "sign-in": (fields) => ({
    emailSignIn: fields.has("emailSignIn"),
    signInUrl: fields.get("signInUrl")?.trim() || null,
  }),
};

export const canSignIn = ({ ideaBank, sendsEmail }: PublicPageProps): boolean =>
  (ideaBank.emailSignIn && sendsEmail) || ideaBank.signInUrl !== null;

/** The values with which a form opens: those that were refused, if it was this one. */
const openedWith = ({ refused }: PublicPageProps, form: string, values: object): URLSearchParams =>
  refused?.fields.get("do") === form ? refused.fields : toFields(values);

/** A switch that is off has no field. */
export function toFields(values: object): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== false) fields.set(name, value === true ? "on" : String(value ?? ""));
  return fields;
}

type FormProps = {
  readonly ideaBank: Pick<IdeaBank, "id">;
  /** What the form does, and the values that it was opened with. */
  readonly form: string;
  readonly fields: URLSearchParams;
  readonly children?: Child;
};

const Form = ({ ideaBank, form, fields, children }: FormProps) => (
  <form method="post" action={`${IDEA_BANKS}/${ideaBank.id}/public-page`} class="create">
    <input type="hidden" name="do" value={form} />
    <OpenedWith fields={fields} />
    {children}
  </form>
);

type BoxProps = { readonly name: string; readonly fields: URLSearchParams; readonly label: string };

const Box = ({ name, fields, label, children }: BoxProps & { readonly children?: Child }) => (
  <label class="choice">
    <input type="checkbox" name={name} checked={fields.has(name)} />
    <span>
      {label}
      <span class="hint">{children}</span>
    </span>
  </label>
);

const Approval = ({ fields }: { readonly fields: URLSearchParams }) => {
  const [label, effect] = BANK_LIMITS.approvalRequired;
  return (
    <Box name="approvalRequired" fields={fields} label={label}>
      {effect}
    </Box>
  );
};

/** Approval is ticked, because strangers come: whoever leaves it so gets it with the page, and whoever unticks it does not. */
export const TurnOn = (props: PublicPageProps) => {
  const fields = openedWith(props, "switch", { approvalRequired: true });
  return (
    <Form {...props} form="switch" fields={fields}>
      <p>
        A page for this board that you can share as a link. Anyone with the link can read it, and people who sign in can
        vote, comment and suggest ideas. You don’t need a website.
      </p>
      <Approval fields={fields} />
      <button type="submit" class="primary" name="publicPage" value="on">
        Turn on public page
      </button>
      <p class="hint">
        Have a website? <a href={`${IDEA_BANKS}/${props.ideaBank.id}/embed`}>Put the board on it instead</a>, or do
        both.
      </p>
    </Form>
  );
};

export const TurnOff = (props: PublicPageProps) => (
  <Form {...props} form="off" fields={new URLSearchParams({ publicPage: "on" })}>
    <h2>Turn it off</h2>
    <p>
      The link stops working, and nobody can sign in there. Ideas, votes and settings stay, and the same link works
      again when you turn it on. Someone who has signed in keeps a token for up to 30 days: to end it, block them under
      People.
    </p>
    <button type="submit">Turn off public page</button>
  </Form>
);

const DESCRIPTION_HINT = "One line, at most 300 characters. Shown on the page, in search results and in link previews.";

export const AboutPage = (props: PublicPageProps) => {
  const { description, hiddenFromSearch, approvalRequired } = props.ideaBank;
  const fields = openedWith(props, "about", { description, hiddenFromSearch, approvalRequired });
  const message = messageFor(props.refused?.errors ?? [], "description");
  return (
    <Form {...props} form="about" fields={fields}>
      <h2>About the page</h2>
      <Field name="description" label={LABELS.description} hint={DESCRIPTION_HINT} message={message}>
        <input
          id="description"
          name="description"
          value={fields.get("description") ?? ""}
          maxlength={300}
          autocomplete="off"
          {...described("description", message, DESCRIPTION_HINT)}
        />
      </Field>
      <Box name="hiddenFromSearch" fields={fields} label="Hide from search engines">
        Hidden isn’t private: anyone with the link can still read the page.
      </Box>
      <Approval fields={fields} />
      <button type="submit">Save</button>
    </Form>
  );
};

const SIGN_IN_HINT = "People sign in there and come back with a token. Leave empty to turn this off.";

export const SignIn = (props: PublicPageProps) => {
  const { ideaBank, sendsEmail, person, sentCode } = props;
  const fields = openedWith(props, "sign-in", { emailSignIn: ideaBank.emailSignIn, signInUrl: ideaBank.signInUrl });
  const message = messageFor(props.refused?.errors ?? [], "signInUrl");
  return (
    <section class="sign-in" aria-labelledby="sign-in">
      <h2 id="sign-in">How people sign in</h2>
      <p>To vote, comment and suggest ideas. Use one way or both.</p>
      <Form {...props} form="sign-in" fields={fields}>
        {sendsEmail || ideaBank.emailSignIn ? (
          <Box name="emailSignIn" fields={fields} label="By email">
            People get a six-digit code. They need no account and no password.
          </Box>
        ) : null}
        {!sendsEmail && (
          <p class={ideaBank.emailSignIn ? "error" : "hint"}>
            {ideaBank.emailSignIn
              ? "No codes are sent: this deployment can’t send email."
              : "By email: this deployment can’t send email yet."}{" "}
            Its operator adds the binding <code>NOTICES</code> and sets <code>NOTICES_FROM</code>: see{" "}
            <a href="/docs/operations.md">“E-mail to members” in Operations</a>.
          </p>
        )}
        <Field name="signInUrl" label={LABELS.signInUrl} hint={SIGN_IN_HINT} message={message}>
          <input
            id="signInUrl"
            name="signInUrl"
            type="url"
            value={fields.get("signInUrl") ?? ""}
            maxlength={2000}
            placeholder="https://example.com/sign-in"
            autocomplete="off"
            {...described("signInUrl", message, SIGN_IN_HINT)}
          />
        </Field>
        <button type="submit">Save</button>
      </Form>
      {sendsEmail && person.includes("@") && (
        <form method="post" action={`${IDEA_BANKS}/${ideaBank.id}/public-page`} class="create">
          {sentCode && <CodeSent {...sentCode} />}
          <button type="submit" name="do" value="code">
            Send me a code
          </button>
          <p class="hint">{`A test email to ${person}`}</p>
        </form>
      )}
      {(sendsEmail || props.externalIdsAreEmails) && <KnownPeople {...props} />}
    </section>
  );
};

const CodeSent = ({ to, fault }: SentCode) =>
  fault === undefined ? (
    <p class="notice good" role="status" tabindex={-1} autofocus>
      {`Sent to ${to}. Nothing there? Check your spam folder, and make sure that the domain of NOTICES_FROM is set up for sending.`}
    </p>
  ) : (
    <div class="notice bad" role="alert" tabindex={-1} autofocus>
      <p>
        <strong>{`The email to ${to} wasn’t sent.`}</strong>
      </p>
      <p>
        Cloudflare says: <bdi>{fault}</bdi>
      </p>
    </div>
  );

/** Of the account, not of the board. */
const KnownPeople = (props: PublicPageProps) => {
  const fields = openedWith(props, "account", { externalIdsAreEmails: props.externalIdsAreEmails });
  return (
    <Form {...props} form="account" fields={fields}>
      <h3>People you already know</h3>
      <Box name="externalIdsAreEmails" fields={fields} label="Our IDs are email addresses that we have verified">
        For all boards of this account. Someone who signs in by email is then the person with that ID, votes and ideas
        included. If people can register with you under an address they don’t own, they share an identity here with its
        owner, and can write in the owner’s name. Leave this off unless you verify every address.
      </Box>
      <button type="submit">Save</button>
    </Form>
  );
};
