/** The pages around a session that the platform's own server has begun: who will be signed in, a link that has ended, signed out. */
import { type Frame, Layout } from "../frame/layout.tsx";

type Props = {
  readonly frame: Frame;
  readonly email: string;
  /** The person who is signed in now, if it is another one. */
  readonly signedIn: string | undefined;
  readonly link: string;
};

export const SignInPage = ({ frame, email, signedIn, link }: Props) => (
  <Layout title="Sign in" {...frame}>
    <p class="lead">
      {"You will be signed in as "}
      <strong>{email}</strong>
      {"."}
    </p>
    {signedIn && <p>{`Now you are signed in as ${signedIn}. That ends.`}</p>}
    <p class="hint">If this is not you, close this page: somebody else has sent you here.</p>
    <form method="post" action="/account/sign-in">
      <input type="hidden" name="link" value={link} />
      <button type="submit" class="primary">
        {`Continue as ${email}`}
      </button>
    </form>
  </Layout>
);

export const LinkEndedPage = ({ frame }: { frame: Frame }) => (
  <Layout title="This link has ended" {...frame}>
    <p class="lead">A link signs in once, within a minute. Open Account Settings again where you came from.</p>
  </Layout>
);

export const SignedOutPage = ({ frame }: { frame: Frame }) => (
  <Layout title="You are signed out" {...frame}>
    <p class="lead">To come back, open Account Settings again where you came from.</p>
  </Layout>
);

type EverywhereProps = {
  readonly frame: Frame;
  /** Cloudflare Access has signed the visitor in. */
  readonly hasAccess: boolean;
};

export const SignedOutEverywherePage = ({ frame, hasAccess }: EverywhereProps) => (
  <Layout title="You are signed out everywhere" {...frame}>
    <p class="lead">Every session that a sign-in link began has ended, in every browser.</p>
    {hasAccess && (
      <p>
        {"Cloudflare Access still has you signed in here. "}
        <a href="/cdn-cgi/access/logout">Sign out of Access</a>
      </p>
    )}
    <p>To come back, open Account Settings again where you came from.</p>
  </Layout>
);
