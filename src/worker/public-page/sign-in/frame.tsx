/** The frame of the sign-in pages: complete without JavaScript, kept by nobody, and shown inside no other page. */
import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../http/app-env.ts";
import { directionOf, type Language } from "../../model/language.ts";
import type { Problem } from "../../problem.ts";
import { linkTo, spokenIn } from "../frame.ts";
import { LAYOUT_STYLES } from "../layout-styles.ts";
import { accentOf, styleSourceOf } from "../styles.ts";
import { type Say, timeInWords, wordsOf } from "./words.ts";

/** What a page is written with: the language, and the address of the board. */
export type Voice = {
  readonly language: Language;
  readonly say: Say;
  /** A time in Unix milliseconds. */
  readonly time: (at: number) => string;
  /** A path below the board's, in the language that the visitor has chosen. */
  readonly path: (below: string, query?: Readonly<Record<string, string>>) => string;
};

export function voiceOf(c: Context<AppEnv>, ideaBankId: string): Voice {
  const spoken = spokenIn(c);
  const { language } = spoken;
  const timeZone = c.req.raw.cf?.timezone;
  return {
    language,
    say: wordsOf(language),
    time: (at) => timeInWords(at, language, typeof timeZone === "string" ? timeZone : undefined),
    path: (below, query) => linkTo(spoken, `/b/${ideaBankId}${below}`, query),
  };
}

const STYLES = `${LAYOUT_STYLES}.narrow.narrow{max-width:28rem}main.narrow{padding-block:1.5rem 3rem}
.fields p{margin:0 0 1rem}.fields :is(label,input){display:block}.fields label{font-weight:600;margin-block-end:.25rem}
.fields input{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid light-dark(#858c9a,#767e8e);border-radius:8px;background:none;color:inherit;font:inherit}
.fields .code{font-size:1.5rem;letter-spacing:.15em;direction:ltr;text-align:start}
.fields [aria-invalid]{border-color:light-dark(#b3261e,#ffb4ab)}
.fault{display:block;color:light-dark(#b3261e,#ffb4ab)}small{display:block;color:var(--muted);font-size:.9rem}
.primary{background:var(--accent);border-color:var(--accent);color:var(--idea-bank-on-accent,light-dark(#fff,#10142a));font-weight:600}
.alert{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid light-dark(#b3261e,#ffb4ab);border-radius:8px}
.or{color:var(--muted)}.choices{border:0;margin:0 0 1rem;padding:0}.choices legend{font-weight:600;margin-block-end:.5rem}
.fields .choices :is(label,input){display:inline;width:auto;min-height:0;font-weight:400}.fields .choices label{display:block;padding-block:.4rem}`;

type Page = {
  readonly voice: Voice;
  readonly title: string;
  readonly status?: Problem["status"] | 200 | undefined;
  /** A script in `/embed`, by its name. */
  readonly script?: string;
  readonly children: Child;
};

export async function respondWithPage(
  c: Context<AppEnv>,
  { voice: { language, path }, title, status = 200, script, children }: Page,
): Promise<Response> {
  const { name, iconUrl, color } = c.get("settings").brand;
  const styles = STYLES + (color === null ? "" : accentOf(color));
  const icons = iconUrl.startsWith("https:") ? ` ${new URL(iconUrl).origin}` : "";
  const scripts = script === undefined ? "" : " script-src 'self'; connect-src 'self';";
  c.header(
    "Content-Security-Policy",
    `default-src 'none';${scripts} style-src ${await styleSourceOf(styles)}; img-src 'self'${icons}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  // A form must say that it comes from here. An address with a token in its fragment is told to nobody.
  c.header("Referrer-Policy", script === undefined ? "same-origin" : "no-referrer");
  c.header("Cache-Control", "no-store");
  c.header("Content-Language", language);
  const page = (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${name}`}</title>
        <link rel="icon" href={iconUrl} />
        <style>{raw(styles)}</style>
        {script && <script type="module" src={`/embed/${script}.js`} />}
      </head>
      <body>
        <header class="page-head narrow">
          <a class="page-brand" href={path("")}>
            <img src={iconUrl} alt="" width={28} height={28} />
            <span dir="auto">{name}</span>
          </a>
        </header>
        <main class="narrow">
          <h1 dir="auto">{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
  return c.html(`<!doctype html>${page}`, status);
}

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly message?: string | undefined;
  /** The input, with the attributes that `described` gives. */
  readonly children: Child;
};

/** The attributes by which a screen reader finds the hint and the fault of a field. */
export const described = (name: string, { hint, message }: { hint?: boolean; message?: string | undefined }) => ({
  id: name,
  name,
  ...(message && { "aria-invalid": "true" as const }),
  ...((hint || message) && {
    "aria-describedby": [message && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" "),
  }),
});

export const Field = ({ name, label, hint, message, children }: FieldProps) => (
  <p>
    <label for={name}>{label}</label>
    {children}
    {message && (
      <strong class="fault" id={`${name}-fault`}>
        {message}
      </strong>
    )}
    {hint && <small id={`${name}-hint`}>{hint}</small>}
  </p>
);

/** What happened to the whole form. A screen reader says it when the page opens. */
export const Notice = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="alert" role="alert">
      {text}
    </p>
  );
