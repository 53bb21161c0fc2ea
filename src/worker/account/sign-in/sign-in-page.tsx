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
      {"Sign in as "}
      <strong>{email}</strong>
      {"?"}
    </p>
    {signedIn && <p>{`You’ll be signed out of ${signedIn}.`}</p>}
    <p class="hint">Not you? Close this page: someone else sent you this link.</p>
    <form method="post" action="/account/sign-in">
      <input type="hidden" name="link" value={link} />
      <button type="submit" class="primary">
        {`Continue as ${email}`}
      </button>
    </form>
  </Layout>
);

export const LinkEndedPage = ({ frame }: { frame: Frame }) => (
  <Layout title="This link has expired" {...frame}>
    <p class="lead">
      A sign-in link works once, for a minute. Go back to where you came from and open your boards again.
    </p>
  </Layout>
);

export const SignedOutPage = ({ frame }: { frame: Frame }) => (
  <Layout title="You’re signed out" {...frame}>
    <p class="lead">To sign in again, go back to where you came from and open your boards.</p>
  </Layout>
);

type EverywhereProps = {
  readonly frame: Frame;
  /** Cloudflare Access has signed the visitor in. */
  readonly hasAccess: boolean;
};

export const SignedOutEverywherePage = ({ frame, hasAccess }: EverywhereProps) => (
  <Layout title="You’re signed out everywhere" {...frame}>
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
