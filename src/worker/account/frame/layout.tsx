/** The frame of every page of Account Settings. JSX escapes names; nothing here is raw HTML. */

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Brand } from "../../model/brand.ts";
import type { Needs } from "../../model/role.ts";
import { type Frame, useFrame, useMay } from "./frame.ts";
import { Clock } from "./times.tsx";
import { accountInWords } from "./words.ts";

/** The places, and the sections of each by the last part of their path. */
const PLACES = {
  Home: { home: "Home" },
  Ideas: {
    ideas: "Ideas",
    roadmap: "Roadmap",
    approval: "Waiting for approval",
    comments: "Comments",
    "idea-banks": "Boards",
  },
  Surveys: { surveys: "Surveys" },
  People: { people: "People" },
  Developers: { "api-keys": "API keys", webhooks: "Webhooks", tokens: "Try a token" },
  Team: { members: "Members", activity: "Activity", emails: "Your emails", accounts: "Account" },
} as const;

type Place = keyof typeof PLACES;
/** A place that not every member can open. */
const NEEDS: Partial<Record<Place, Needs>> = { Developers: "admin" };
const usePlaces = () => (Object.keys(PLACES) as Place[]).filter((place) => useMay(NEEDS[place] ?? "viewer"));
/** A section's name in the navigation. */
export const SECTIONS = Object.assign({}, ...Object.values(PLACES)) as Readonly<Record<Section, string>>;
export type Section = { [Name in Place]: keyof (typeof PLACES)[Name] }[Place];

/** A section that is not at its own name. */
const PATHS: Readonly<Record<string, string>> = { home: "/account", approval: "/account/ideas?visibility=pending" };
export const pathOf = (section: string): string => PATHS[section] ?? `/account/${section}`;
const placeOf = (section: Section | undefined): Place | undefined =>
  (Object.keys(PLACES) as Place[]).find((place) => section !== undefined && section in PLACES[place]);

/** A count stops here: of ideas, and of comments. */
export const MAX_WAITING = 100;
const Waiting = ({ count }: { readonly count: number | undefined }) =>
  count ? (
    <span class="count">
      {count >= MAX_WAITING ? `${MAX_WAITING}+` : count}
      <span class="unseen"> waiting</span>
    </span>
  ) : null;

type LayoutProps = {
  readonly title: string;
  /** Which page about the title's thing it is, for the browser's tab. */
  readonly part?: string;
  readonly current?: Section;
  /** Scripts of this page, by their names in `/assets`. */
  readonly scripts?: readonly string[];
  /** Where the link leads that skips what stands above a list, and what it says. */
  readonly skip?: readonly [to: string, says: string];
  /** Stands beside the title. */
  readonly aside?: Child;
  readonly children?: Child;
};

/** Before a session ends by itself. The script shows it on a page that has been open for hours. */
const EndsSoon = ({ at, isNear, signIn }: NonNullable<Frame["signInEnds"]>) => (
  <div class="notice" role="status" data-sign-in-ends={at} hidden={!isNear}>
    <p>
      {"Your session ends at "}
      <Clock at={new Date(at).toISOString()} />
      {". Save your work."}
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

/** In dark mode the color is lighter, with the same hue. A value was checked to be `#rrggbb`. */
const colorOf = ({ color }: Brand): string =>
  `:root{--brand:${color};--brand-on-dark:oklch(from ${color} 0.82 min(c,0.13) h)}`;

type PlacesProps = {
  readonly current: Section | undefined;
  readonly waiting: Frame["waiting"] | undefined;
  readonly children?: Child;
};

const sumOf = (waiting: PlacesProps["waiting"]): number => (waiting ? waiting.ideas + waiting.comments : 0);

const Places = ({ current, waiting, children }: PlacesProps) => (
  <>
    <button type="button" class="menu" popovertarget="places">
      Menu <Waiting count={sumOf(waiting)} />
    </button>
    <div id="places" class="places" popover="auto">
      <nav aria-label="Account">
        {usePlaces().map((place) => {
          const sections = Object.keys(PLACES[place]);
          return (
            <a
              href={pathOf(sections[0] ?? "")}
              aria-current={placeOf(current) === place ? (sections.length > 1 ? "true" : "page") : undefined}
            >
              {place}
              {place === "Ideas" && <Waiting count={sumOf(waiting)} />}
            </a>
          );
        })}
      </nav>
      {children}
    </div>
  </>
);

/** The sections of a place that has several. */
const SectionNav = ({
  current,
  waiting,
}: {
  readonly current: Section | undefined;
  readonly waiting: PlacesProps["waiting"];
}) => {
  const place = placeOf(current);
  const sections = Object.entries(place ? PLACES[place] : {});
  return (
    <nav class="sections" aria-label={place}>
      {sections.map(([section, name]) => (
        <a href={pathOf(section)} aria-current={current === section ? "page" : undefined}>
          {name}
          {section === "approval" && <Waiting count={waiting?.ideas} />}
          {section === "comments" && <Waiting count={waiting?.comments} />}
        </a>
      ))}
      {place === "Developers" && (
        <>
          <a href="/reference">API reference</a>
          <a href="/embed/">Elements</a>
        </>
      )}
    </nav>
  );
};

type WhoProps = { readonly [Name in "email" | "account" | "signOut"]: Frame[Name] | undefined };

const Who = ({ email, account, signOut }: WhoProps) => (
  <div class="who">
    <p title={account ? `${email} in ${accountInWords(account)}` : email}>
      <span class="unseen">Signed in as </span>
      <a href={pathOf("accounts")}>{email}</a>
      {account && <span class="hint">{` in ${accountInWords(account)}`}</span>}
    </p>
    {signOut === "here" && (
      <form method="post" action="/account/sign-out">
        <button type="submit">Sign out</button>
      </form>
    )}
    {signOut === "at Access" && <a href="/cdn-cgi/access/logout">Sign out</a>}
  </div>
);

const SKIP = ["content", "Skip to content"] as const;

export const Layout = ({ title, part, current, scripts = [], skip = SKIP, aside, children }: LayoutProps) => {
  const { nonce, brand, email, account, signOut, waiting, signInEnds } = useFrame();
  const place = placeOf(current);
  const hasSections = email !== undefined && place !== undefined && Object.keys(PLACES[place]).length > 1;
  const sections = hasSections && <SectionNav current={current} waiting={waiting} />;
  // Its name in the navigation is the title that people see.
  const isOfSection = current !== undefined && SECTIONS[current] === title && hasSections;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${part ? `${part} · ` : ""}${title} · ${brand.name}`}</title>
        <link rel="icon" href={brand.iconUrl} />
        <link rel="stylesheet" href="/assets/account.css" nonce={nonce} />
        {brand.color && <style nonce={nonce}>{raw(colorOf(brand))}</style>}
        {["account.js", "drafts.js", ...scripts].map((script) => (
          <script src={`/assets/${script}`} nonce={nonce} defer />
        ))}
      </head>
      <body data-owner={email}>
        <a class="skip" href={`#${skip[0]}`}>
          {skip[1]}
        </a>
        <header>
          <div>
            <a class="brand" href={email ? "/account" : "/"}>
              <img src={brand.iconUrl} alt="" width={24} height={24} />
              {brand.name}
            </a>
            {email && (
              <Places current={current} waiting={waiting}>
                <Who email={email} account={account} signOut={signOut} />
              </Places>
            )}
          </div>
        </header>
        <main id="content" tabindex={-1}>
          {signInEnds && <EndsSoon {...signInEnds} />}
          {!isOfSection && sections}
          <div class="title">
            <h1 dir="auto" class={isOfSection ? "unseen" : undefined}>
              {title}
            </h1>
            {isOfSection && sections}
            {aside}
          </div>
          {children}
        </main>
      </body>
    </html>
  );
};
