/** The frame of every page of Account Settings. JSX escapes names; nothing here is raw HTML. */
import type { Child } from "hono/jsx";
import { Clock } from "./times.tsx";

/**
 * `account` is the address of the account's creator, if it is not the visitor's own account. `signsOut`: the visitor can end the
 * session here.
 */
export type Frame = {
  readonly nonce: string;
  readonly email?: string;
  readonly account?: string;
  readonly signsOut: boolean;
  /** The session ends by itself at this time (Unix milliseconds). `signIn`: where the visitor can sign in again. */
  readonly signInEnds?: { readonly at: number; readonly isNear: boolean; readonly signIn: string | undefined };
};

/** The sections, by the last part of their path. */
export const SECTIONS = {
  "idea-banks": "Idea banks",
  approval: "Approval",
  people: "People",
  tokens: "Try a token",
  "api-keys": "API keys",
  webhooks: "Webhooks",
  members: "Members",
  activity: "Activity",
  accounts: "Accounts",
};

type LayoutProps = Frame & {
  readonly title: string;
  /** Which page about the title's thing it is, for the browser's tab. */
  readonly part?: string;
  readonly current?: keyof typeof SECTIONS;
  /** Stands beside the title. */
  readonly aside?: Child;
  readonly children?: Child;
};

/** Before a session ends by itself. The script shows it on a page that has been open for hours. */
const EndsSoon = ({ at, isNear, signIn }: NonNullable<Frame["signInEnds"]>) => (
  <div class="notice" role="status" data-sign-in-ends={at} hidden={!isNear}>
    <p>
      {"Your sign-in ends at "}
      <Clock at={new Date(at).toISOString()} />
      {". Save what you are writing."}
      {signIn && (
        <>
          {" "}
          <a href={signIn} target="_blank" rel="noopener">
            Sign in again in another tab
          </a>
        </>
      )}
    </p>
  </div>
);

export const Layout = ({
  title,
  part,
  nonce,
  email,
  account,
  signsOut,
  signInEnds,
  current,
  aside,
  children,
}: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${part ? `${part} · ` : ""}${title} · Account Settings`}</title>
      <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/assets/account.css" nonce={nonce} />
      <script src="/assets/account.js" nonce={nonce} defer />
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header>
        <div>
          <a class="brand" href="/">
            <img src="/assets/icon.svg" alt="" width={24} height={24} />
            Edge access API
          </a>
          <nav aria-label="Pages">
            <a href="/embed/">Elements</a>
            <a href="/reference">API reference</a>
            {email && (
              <a href="/account/api-keys" aria-current="true">
                Account Settings
              </a>
            )}
          </nav>
          {email && (
            <nav class="sections" aria-label="Account Settings">
              {Object.entries(SECTIONS).map(([path, name]) => (
                <a href={`/account/${path}`} aria-current={current === path ? "page" : undefined}>
                  {name}
                </a>
              ))}
            </nav>
          )}
          {email && (
            <div class="who">
              <p>
                <span>Signed in as </span>
                {email}
                {account && ` for ${account}`}
              </p>
              {signsOut && (
                <form method="post" action="/account/sign-out">
                  <button type="submit">Sign out</button>
                </form>
              )}
            </div>
          )}
        </div>
      </header>
      <main id="content" tabindex={-1}>
        {signInEnds && <EndsSoon {...signInEnds} />}
        <div class="title">
          <h1 dir="auto">{title}</h1>
          {aside}
        </div>
        {children}
      </main>
    </body>
  </html>
);
