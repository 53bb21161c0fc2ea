/**
 * `/account/sign-in`: an owner comes with a link that the platform's own server has asked for; `/account/sign-out`.
 *
 * Opening the link uses it up and signs in, but only as a page that somebody visits: an image, a frame, a script of another page and
 * a browser's prefetch change nothing. It asks first where somebody else is signed in, by a link or by Access, so that no page replaces
 * an owner by another unseen. The answer is a form, which must come from this page.
 *
 * A link with a `subject` asks for a code first: its address is somebody's, and only the platform says that it is this subject's. The code
 * is in an e-mail to the address, and is entered in the browser that came with the link. So a person who gets the e-mail without having
 * come lets nobody in by opening it.
 */
import type { Context } from "hono";
import { isAddressCode, SIGN_IN_LINK, verifySignIn } from "../../credentials/sign-in.ts";
import { CODE_MS, findOffered, findSignedIn, LINK_MS, openSignIn } from "../../database/members/sign-ins.ts";
import { bindSubject } from "../../deliveries/move-person.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { requireOwnPage } from "../../http/same-origin.ts";
import { Problem } from "../../problem.ts";
import { directoryOf } from "../account-databases.ts";
import { ErrorSummary, Field } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { beginSession, endSession, endSessionsOf, handedOver } from "../identity/handed-over.ts";
import type { Identify } from "../identity/identity.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { landingOf } from "./landing.ts";
import { tellAccountsSoon } from "./sign-in-events.ts";

const SIGN_IN = "/account/sign-in";
const SIGN_OUT = "/account/sign-out";
const SIGN_OUT_EVERYWHERE = "/account/sign-out-everywhere";

/** A link that asks for a code, and the code that was entered. */
type Asked = { readonly link: string; readonly subject: string; readonly code: string | undefined };

/** The form has a link, a subject and a code at most, and anybody can send it. */
const MAX_BYTES = 1_024;

/** Browsers of today and of before, and previews, say with one of these that nobody has come to the page yet. */
const PREFETCH = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"];

/**
 * Whether somebody goes to this page: not a HEAD, not a part of another page, not a prefetch. Browsers say so
 * (https://www.w3.org/TR/fetch-metadata/, https://wicg.github.io/nav-speculation/prefetch.html); other clients say nothing.
 */
function isVisit({ req }: Context): boolean {
  const isPage = (req.header("Sec-Fetch-Dest") ?? "document") === "document";
  return req.method === "GET" && isPage && PREFETCH.every((name) => req.header(name) === undefined);
}

/** `identify` finds the person whom Access has signed in. */
export function addSignIn(routes: Routes<OwnerEnv>, identify: Identify): void {
  const personOf = async (c: Context<OwnerEnv>) => (await handedOver(c)) ?? (await identify(c))?.email;
  const idOf = (c: Context<OwnerEnv>, link: string | null | undefined, subject?: string) =>
    verifySignIn(SIGN_IN_LINK, link ?? "", c.get("settings").signingKeys, subject);
  const refuse = (c: Context<OwnerEnv>) => renderPage(c, <LinkEndedPage />, 410);
  /** While its session lasts, only the person whom the link has signed in comes back to it: anybody else had it from somewhere. */
  const refuseUsed = async (c: Context<OwnerEnv>, id: string) => {
    const person = (await findSignedIn(directoryOf(c), id, Date.now()))?.email;
    if (person !== undefined && (await personOf(c)) !== person)
      tellAccountsSoon(c, { event: "sign-in-link-used-again", person, linkId: id });
    return refuse(c);
  };

  const signIn = async (c: Context<OwnerEnv>, id: string, keptMs = LINK_MS) => {
    const opened = await openSignIn(directoryOf(c), { id, now: Date.now(), keptMs });
    if (opened === null) return refuseUsed(c, id);
    await beginSession(c, id);
    tellAccountsSoon(c, { event: "signed-in", person: opened.email, linkId: id });
    return c.redirect(await landingOf(c, { person: opened.email, returnTo: opened.returnTo }), 303);
  };

  /** The address is somebody's: a code from an e-mail to it says that it is this subject's. Without a code it only asks for one. */
  const confirm = async (c: Context<OwnerEnv>, { link, subject, code }: Asked) => {
    const id = await idOf(c, link, subject);
    const at = { now: Date.now(), keptMs: CODE_MS };
    const offered = id === undefined ? null : await findOffered(directoryOf(c), { id, ...at });
    if (id === undefined || offered === null) return refuse(c);
    const { email } = offered;
    if (code === undefined || !(await isAddressCode(code, { id, subject }, c.get("settings").signingKeys))) {
      const props = { link, subject, email, isWrong: code !== undefined };
      return renderPage(c, <CodePage {...props} />, code === undefined ? 200 : 400);
    }
    if ((await bindSubject(c, c.var, { subject, email, by: "address" })) !== "bound")
      throw new Problem("conflict", { detail: "Someone else at the same site has this address. Ask there for help." });
    return signIn(c, id, CODE_MS);
  };

  routes.get(SIGN_IN, async (c) => {
    const link = c.req.query("link") ?? "";
    const subject = c.req.query("subject");
    if (subject !== undefined) return confirm(c, { link, subject, code: undefined });
    const id = await idOf(c, link);
    const offered = id ? await findOffered(directoryOf(c), { id, now: Date.now(), keptMs: LINK_MS }) : null;
    if (!id) return refuse(c);
    if (offered === null) return isVisit(c) ? refuseUsed(c, id) : refuse(c);
    const signedIn = await personOf(c);
    if (signedIn === offered.email) return c.redirect(offered.returnTo, 303);
    if (signedIn === undefined && isVisit(c)) return signIn(c, id);
    const props = { email: offered.email, signedIn, link };
    return renderPage(c, <SignInPage {...props} />);
  });

  routes.post(SIGN_IN, async (c) => {
    requireOwnPage(c);
    const form = await readForm(c, { maxBytes: MAX_BYTES });
    const [link, subject] = [form.get("link") ?? "", form.get("subject")];
    if (subject !== null) return confirm(c, { link, subject, code: form.get("code") ?? "" });
    const id = await idOf(c, link);
    return id ? signIn(c, id) : refuse(c);
  });

  routes.post(SIGN_OUT, async (c) => {
    requireOwnPage(c);
    await endSession(c);
    return renderPage(c, <SignedOutPage />);
  });

  routes.post(SIGN_OUT_EVERYWHERE, async (c) => {
    requireOwnPage(c);
    const person = await personOf(c);
    if (person !== undefined) await endSessionsOf(c, person);
    const hasAccess = (await identify(c)) !== undefined;
    return renderPage(c, <SignedOutEverywherePage hasAccess={hasAccess} />);
  });
}

type SignInProps = {
  readonly email: string;
  /** The person who is signed in now, if it is another one. */
  readonly signedIn: string | undefined;
  readonly link: string;
};

const SignInPage = ({ email, signedIn, link }: SignInProps) => (
  <Layout title="Sign in">
    <p class="lead">
      {"Sign in as "}
      <strong>{email}</strong>
      {"?"}
    </p>
    {signedIn && <p>{`You’ll be signed out of ${signedIn}.`}</p>}
    <p class="hint">Not you? Close this page: someone else sent you this link.</p>
    <form method="post" action={SIGN_IN}>
      <input type="hidden" name="link" value={link} />
      <button type="submit" class="primary">
        {`Continue as ${email}`}
      </button>
    </form>
  </Layout>
);

type CodeProps = {
  readonly email: string;
  readonly link: string;
  readonly subject: string;
  readonly isWrong: boolean;
};

const CodePage = ({ email, link, subject, isWrong }: CodeProps) => (
  <Layout title="Check your email">
    <p class="lead">
      {"We sent a code to "}
      <strong>{email}</strong>
      {". Enter it here: this address has accounts, and we want to be sure that they’re yours. We only ask once."}
    </p>
    {isWrong && <ErrorSummary title="You’re not signed in yet" errors={WRONG} labels={{ code: "The code" }} />}
    <form method="post" action={SIGN_IN}>
      <input type="hidden" name="link" value={link} />
      <input type="hidden" name="subject" value={subject} />
      <Field name="code" label="Code" hint="12 letters and digits" message={isWrong ? WRONG[0].message : undefined}>
        <input
          id="code"
          name="code"
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck={false}
          maxlength={30}
          required
        />
      </Field>
      <button type="submit" class="primary">
        {`Continue as ${email}`}
      </button>
    </form>
    <p class="hint">
      No email after a few minutes? Check your spam folder, or go back to where you came from and open your boards
      again.
    </p>
  </Layout>
);

const WRONG = [{ path: "code", message: "is not the one in the newest email" }] as const;

const LinkEndedPage = () => (
  <Layout title="This link has expired">
    <p class="lead">
      A sign-in link works once, for a minute. Go back to where you came from and open your boards again.
    </p>
  </Layout>
);

const SignedOutPage = () => (
  <Layout title="You’re signed out">
    <p class="lead">To sign in again, go back to where you came from and open your boards.</p>
  </Layout>
);

type EverywhereProps = {
  /** Cloudflare Access has signed the visitor in. */
  readonly hasAccess: boolean;
};

const SignedOutEverywherePage = ({ hasAccess }: EverywhereProps) => (
  <Layout title="You’re signed out everywhere">
    <p class="lead">Every session that started with a sign-in link has ended, in every browser.</p>
    {hasAccess && (
      <p>
        {"You’re still signed in to Cloudflare Access here. "}
        <a href="/cdn-cgi/access/logout">Sign out of Access</a>
      </p>
    )}
    <p>To sign in again, go back to where you came from and open your boards.</p>
  </Layout>
);
