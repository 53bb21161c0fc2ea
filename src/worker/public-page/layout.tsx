/** The page around a board's elements: what search engines and previews read, the tabs, and who is signed in. */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { directionOf, LANGUAGE_NAMES, LANGUAGES } from "../model/language.ts";
import { type Frame, linkTo, type Part, partPath } from "./frame.ts";
import { pageStylesOf } from "./styles.ts";

/** `path` is the page's own, without a language. `description` is text. */
type Shown = {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly current?: Part | undefined;
  /** Nothing that search engines should list. */
  readonly isUnlisted?: boolean;
};

type LayoutProps = Shown & { readonly frame: Frame; readonly children: Child };

/** Previews show a picture of pixels only, and want to know its size before they load it. */
const PREVIEW_PICTURE = { path: "/assets/preview.png", width: 1200, height: 630 };

/** The deployment's icon, where previews can show it; its size is not known here. A drawing (SVG) they cannot. */
function pictureOf({ brand: { iconUrl }, origin }: Frame) {
  const [, kind] = /\.(png|jpe?g|webp)$/i.exec(iconUrl) ?? [];
  if (kind === undefined) return { ...PREVIEW_PICTURE, url: origin + PREVIEW_PICTURE.path, type: "image/png" };
  return { url: new URL(iconUrl, origin).href, type: `image/${kind.toLowerCase().replace("jpg", "jpeg")}` };
}

const Previews = ({ frame, title, description, path }: Omit<LayoutProps, "children">) => {
  const { url, type, width, height } = { width: 0, height: 0, ...pictureOf(frame) };
  const properties = {
    "og:type": "website",
    "og:site_name": frame.brand.name,
    "og:title": title,
    "og:description": description,
    "og:url": frame.origin + path,
    "og:image": url,
    "og:image:type": type,
    ...(width > 0 && { "og:image:width": String(width), "og:image:height": String(height) }),
    "og:image:alt": frame.brand.name,
  };
  return (
    <>
      {Object.entries(properties).map(
        ([property, content]) => content && <meta property={property} content={content} />,
      )}
      <meta name="twitter:card" content={width > 0 ? "summary_large_image" : "summary"} />
    </>
  );
};

/** What a tab of the browser says. */
const titled = ({ board, brand }: Frame, title: string): string =>
  `${title} · ${title === board.name ? brand.name : board.name}`;

export const Layout = ({ frame, children, ...shown }: LayoutProps) => {
  const { id, board, brand, origin, language, say, tabs, hasSignIn, isPreview, element } = frame;
  const { title, description, path, current, isUnlisted = board.hiddenFromSearch } = shown;
  const listTitle = titled(frame, current === "ideas" ? board.name : current ? say(current) : title);
  const home = tabs[0] && partPath(frame, tabs[0]);
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${isPreview ? "Preview: " : ""}${titled(frame, title)}`}</title>
        {description && <meta name="description" content={description} />}
        {isUnlisted ? (
          <meta name="robots" content="noindex" />
        ) : (
          <>
            <link rel="canonical" href={origin + linkTo(frame, path)} />
            <link rel="alternate" hreflang="x-default" href={origin + path} />
            {LANGUAGES.map((each) => (
              <link rel="alternate" hreflang={each} href={`${origin + path}?lang=${each}`} />
            ))}
          </>
        )}
        <Previews frame={frame} {...shown} />
        <link rel="icon" href={brand.iconUrl} />
        {tabs.includes("changelog") && (
          <link
            rel="alternate"
            type="application/atom+xml"
            title={`${board.name}: ${say("changelog")}`}
            href={`/b/${id}/changelog.atom`}
          />
        )}
        <style>{raw(pageStylesOf(brand, element))}</style>
        {!isPreview && ["page", element].map((name) => name && <script type="module" src={`/embed/${name}.js`} />)}
      </head>
      <body data-board={board.name} data-list={listTitle} inert={isPreview}>
        <a class="skip" href="#content">
          {say("skip")}
        </a>
        <header>
          <div class="page-head">
            <a class="page-brand" href={home ? linkTo(frame, home) : undefined}>
              <img src={brand.iconUrl} alt="" width={28} height={28} />
              <span dir="auto">{brand.name}</span>
            </a>
            <div class="page-who" token-url={`/b/${id}/token`}>
              {!isPreview && (
                <span data-signed-in hidden>
                  <span data-name="" dir="auto">
                    {say("anonymous")}
                  </span>
                  <form data-sign-out method="post" action={`/b/${id}/sign-out`}>
                    <button type="submit" class="page-button">
                      {say("signOut")}
                    </button>
                  </form>
                </span>
              )}
              {hasSignIn && (
                <a data-signed-out class="page-button" href={linkTo(frame, `/b/${id}/sign-in`, { return: path })}>
                  {say("signIn")}
                </a>
              )}
            </div>
          </div>
          <div class="page-hero">
            <p class="page-name" dir="auto">
              <a href={home ? linkTo(frame, home) : undefined}>{board.name}</a>
            </p>
            {board.description && <p dir="auto">{board.description}</p>}
          </div>
        </header>
        {tabs.length > 1 && (
          <nav class="page-tabs" aria-label={board.name}>
            {tabs.map((part) => (
              <a href={linkTo(frame, partPath(frame, part))} aria-current={part === current ? "page" : undefined}>
                {say(part)}
              </a>
            ))}
          </nav>
        )}
        <main id="content" tabindex={-1}>
          {!isPreview && (
            <noscript>
              <p class="page-note">{say("needsScript")}</p>
            </noscript>
          )}
          {children}
        </main>
        <footer class="page-foot">
          <nav aria-label={say("languages")}>
            {LANGUAGES.map((each) => (
              <a
                href={`${path}?lang=${each}`}
                lang={each}
                hreflang={each}
                aria-current={each === language ? "true" : undefined}
              >
                {LANGUAGE_NAMES[each]}
              </a>
            ))}
          </nav>
        </footer>
      </body>
    </html>
  );
};
