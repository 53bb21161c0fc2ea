/** Turns a page of a board into a response: what may be kept, what may run, and the one answer where there is nothing. */
import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../http/app-env.ts";
import type { Brand } from "../model/brand.ts";
import { directionOf } from "../model/language.ts";
import type { Problem } from "../problem.ts";
import { type Frame, type Spoken, spokenIn } from "./frame.ts";
import { LAYOUT_STYLES } from "./layout-styles.ts";
import { pageStylesOf, styleSourceOf } from "./styles.ts";

/** An address that names its language has one content for everybody, so whoever is on the way may keep it so long. In seconds. */
const KEPT_SECONDS = 60;

const iconSource = ({ iconUrl }: Brand): string => (iconUrl.startsWith("https:") ? ` ${new URL(iconUrl).origin}` : "");

/** Only our own scripts run, nothing inline, and no page may show this one in a frame. */
const policyOf = (brand: Brand, styles: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'${iconSource(brand)}; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Shared caches ignore `Vary: Accept-Language`, so they may only keep what does not depend on it. */
const cachingOf = ({ named }: Pick<Spoken, "named">): Readonly<Record<string, string>> =>
  named
    ? { "Cache-Control": `public, max-age=${KEPT_SECONDS}` }
    : { "Cache-Control": "private, no-cache", Vary: "Accept-Language" };

export async function respondPage(c: Context<AppEnv>, frame: Frame, page: Child): Promise<Response> {
  const headers = {
    ...cachingOf(frame),
    "Content-Security-Policy": policyOf(frame.brand, await styleSourceOf(pageStylesOf(frame.brand, frame.element))),
    // A form's own site asks for its origin; no other site learns of addresses.
    "Referrer-Policy": "same-origin",
    "Content-Language": frame.language,
    ...(frame.board.hiddenFromSearch && { "X-Robots-Tag": "noindex" }),
  };
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  return c.html(`<!doctype html>${page}`);
}

/**
 * Where there is no page: closed, switched off, hidden and missing are byte for byte the same. It has the words of the browser's
 * language alone, and no name.
 */
export async function respondNothing(
  c: Context<AppEnv>,
  why: "notFound" | "unavailable" = "notFound",
  status: Problem["status"] = 404,
): Promise<Response> {
  const { language, say } = spokenIn(c);
  const styles = await styleSourceOf(LAYOUT_STYLES);
  c.header(
    "Content-Security-Policy",
    `default-src 'none'; style-src ${styles}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  c.header("Vary", "Accept-Language");
  return c.html(
    `<!doctype html>${(
      <html lang={language} dir={directionOf(language)}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>{say(why)}</title>
          <style>{raw(LAYOUT_STYLES)}</style>
        </head>
        <body>
          <main>
            <h1>{say(why)}</h1>
            <p>{say(why === "notFound" ? "notFoundWhy" : "tryLater")}</p>
          </main>
        </body>
      </html>
    )}`,
    status,
  );
}
