/** The pages of a request that was refused. What a form has sent stays on them, to be copied or sent again. */
import type { FieldError } from "../../http/invalid-request.ts";
import { type Problem, type ProblemCode, problemDocument, problemText } from "../../problem.ts";
import { Field } from "./field.tsx";
import { useFrame } from "./frame.ts";
import type { HeldForm } from "./held-form.ts";
import { Layout, pathOf, SECTIONS, type Section } from "./layout.tsx";

type Words = { readonly title?: string; readonly text?: string };

/** In an owner's words. `text` replaces the sentence that is written for programs, and never one of the page itself. */
const WORDS: Partial<Record<ProblemCode, Words>> = {
  "api-key-limit-reached": { title: "Revoke a key to create another" },
  conflict: { title: "Nothing was changed" },
  "internal-error": {
    title: "Something went wrong here",
    text: "Try again. If it keeps happening, contact whoever runs this service.",
  },
  "invalid-request": { title: "The form was refused" },
  "method-not-allowed": { title: "This page cannot do that" },
  "not-found": { title: "Not found", text: "It may have been deleted." },
  "request-timeout": { title: "That took too long", text: "The form did not arrive in time. Try again." },
  "service-unavailable": {
    title: "Try again in a moment",
    text: "The database did not answer.",
  },
  "too-many-requests": {
    title: "Too much at once",
    text: "That was a lot in a short time. Wait a minute, then try again.",
  },
};

/** An answer of the database may have been lost on its way. */
const UNCERTAIN = "Your change may or may not have been saved.";

/** Sending the same form again cannot help. */
const FINAL: readonly ProblemCode[] = [
  "not-found",
  "method-not-allowed",
  "payload-too-large",
  "unsupported-media-type",
];

/** The fields in which a person writes, with their labels. Everything else is sent again unseen. */
const WRITTEN: Readonly<Record<string, string>> = {
  title: "Title",
  description: "Description",
  body: "Comment",
  response: "Official response",
  tags: "Tags",
  name: "Name",
  email: "Email address",
  url: "URL",
  allowedAddresses: "Allowed addresses",
};

const isWritten = ([name, value]: readonly [string, string]): boolean =>
  Object.hasOwn(WRITTEN, name) && value.trim() !== "";

const Written = ({ name, value, canSend }: { name: string; value: string; canSend: boolean }) => (
  <Field name={name} label={WRITTEN[name] ?? name} message={undefined}>
    <textarea
      id={name}
      name={name}
      dir="auto"
      readonly={!canSend}
      rows={Math.min(12, 1 + Math.ceil(value.length / 70))}
    >
      {value}
    </textarea>
  </Field>
);

/** The form that was sent, with a button that sends it again. */
const Held = ({ held: { action, fields }, canSend }: { held: HeldForm; canSend: boolean }) => (
  <form method="post" action={action} class="create">
    {fields.some(isWritten) && <h2>{canSend ? "What you wrote" : "Copy what you wrote"}</h2>}
    {fields.map(([name, value]) =>
      isWritten([name, value]) ? (
        <Written name={name} value={value} canSend={canSend} />
      ) : (
        canSend && <input type="hidden" name={name} value={value} />
      ),
    )}
    {canSend && (
      <div class="buttons">
        <button type="submit" class="primary">
          Try again
        </button>
      </div>
    )}
  </form>
);

type ProblemProps = {
  readonly problem: Problem;
  readonly section: Section;
  readonly held: HeldForm | undefined;
  /** In place of the problem's own. */
  readonly title?: string | undefined;
  /** The request may have changed something. */
  readonly isChange: boolean;
};

export const ProblemPage = ({ problem, section, held, title: ownTitle, isChange }: ProblemProps) => {
  const { title, detail } = problemDocument(problem);
  const words = WORDS[problem.code];
  const errors = (problem.extensions.errors ?? []) as readonly FieldError[];
  const isOwnText = detail !== problemText(problem.code);
  const heading = ownTitle ?? words?.title ?? title;
  // What the heading says is not said again.
  const text = (isOwnText ? detail : (words?.text ?? detail)).replace(`${heading}. `, "");
  // A text of its own says itself what was done.
  const isUncertain = isChange && problem.status >= 500 && !isOwnText;
  const mayHelp = !FINAL.includes(problem.code) && problem.code !== "conflict";
  const isWorthShowing = held !== undefined && (mayHelp || held.fields.some(isWritten));
  return (
    <Layout title={heading}>
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        {errors.length === 0 ? (
          <p>{isUncertain ? `${text} ${UNCERTAIN}` : text}</p>
        ) : (
          errors.map(({ path, message }) => <p>{`${path} ${message}`}</p>)
        )}
      </div>
      {isWorthShowing && <Held held={held} canSend={!FINAL.includes(problem.code)} />}
      {useFrame().email && (
        <p>
          {held?.page && !FINAL.includes(problem.code) ? (
            <a href={held.page}>Discard and go back to the form</a>
          ) : (
            <a href={pathOf(section)}>{`Back to ${SECTIONS[section]}`}</a>
          )}
        </p>
      )}
    </Layout>
  );
};

type SignedOutProps = {
  readonly ways: { readonly signIn: string | undefined; readonly hasAccess: boolean };
  readonly held: HeldForm | undefined;
};

/** With a form, signing in opens beside it, so that what was written stays. */
export const SignedOutFormPage = ({ ways: { signIn, hasAccess }, held }: SignedOutProps) => {
  const address = signIn ?? (hasAccess ? (held?.page ?? "/account") : undefined);
  const beside = held === undefined ? {} : { target: "_blank", rel: "noopener" };
  return (
    <Layout title="You're signed out">
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        <p>
          {held === undefined
            ? "Sign in to see this page."
            : "Your session has expired, so nothing was saved. Your changes are still on this page."}
        </p>
      </div>
      {held !== undefined && (
        <p>
          {address === undefined
            ? "Open Account Settings in another tab, the way you usually do. Then come back to this tab and try again."
            : "Sign in from another tab, then come back to this one and try again."}
        </p>
      )}
      {address === undefined ? (
        held === undefined && <p>Go back to where you came from and open your boards again.</p>
      ) : (
        <p>
          <a class="button" href={address} {...beside}>
            Sign in
          </a>
        </p>
      )}
      {held && <Held held={held} canSend />}
      {address === undefined && held === undefined && (
        <p class="hint">
          For the operator: Turn Cloudflare Access on for the path /account of this host (Zero Trust, Access,
          Applications), or sign owners in by POST /operator/sign-ins.
        </p>
      )}
    </Layout>
  );
};
