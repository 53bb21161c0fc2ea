/** What every page of Account Settings shares. Names are escaped by JSX; nothing here is raw HTML. */
import type { Child } from "hono/jsx";

export type Frame = { readonly nonce: string; readonly email?: string };

type LayoutProps = Frame & {
  readonly title: string;
  readonly current?: "keys" | "activity";
  readonly children?: Child;
};

export const Layout = ({ title, nonce, email, current, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Account Settings`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/assets/account.css" nonce={nonce} />
      <script src="/assets/account.js" nonce={nonce} defer />
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header>
        <p class="brand">Account Settings</p>
        {email && (
          <nav aria-label="Account Settings">
            <a href="/account/api-keys" aria-current={current === "keys" ? "page" : undefined}>
              API keys
            </a>
            <a href="/account/activity" aria-current={current === "activity" ? "page" : undefined}>
              Activity
            </a>
          </nav>
        )}
        {email && <p class="who">Signed in as {email}</p>}
      </header>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
);
