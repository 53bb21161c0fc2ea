/**
 * `/account/idea-banks/{id}/preview`: the elements as a visitor sees them, in a frame of the page that hands out their lines. The frame is
 * sandboxed, so that nothing in it acts as the owner.
 */
import type { Context } from "hono";
import { html } from "hono/html";
import type { OwnerEnv } from "../owner-env.ts";
import { type EmbedChoice, styleOf } from "./embed-choice.ts";

export function renderPreview(
  c: Context<OwnerEnv>,
  { token, choice }: { readonly token: string; readonly choice: EmbedChoice },
): Response | Promise<Response> {
  const nonce = crypto.randomUUID();
  const { origin } = new URL(c.req.url);
  c.header(
    "Content-Security-Policy",
    `default-src 'none'; script-src ${origin}; style-src 'nonce-${nonce}' ${origin}; connect-src ${origin}; img-src ${origin}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-forms",
  );
  c.header("X-Frame-Options", "SAMEORIGIN");
  const { elements, lang, theme, signIn } = choice;
  // A button alone would open nothing here that the changelog itself does not show.
  const shown = elements.map((name) => (name === "launcher" ? "changelog" : name));
  const names = [...new Set(shown)];
  const signsIn = signIn && html` sign-in-url="${signIn}"`;
  return c.html(html`<!doctype html>
<html lang="${lang || "en"}">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="${theme || "light dark"}">
<title>Preview</title>
<style nonce="${nonce}">body { margin: 1rem; font-family: system-ui, sans-serif; ${styleOf(choice) ?? ""} }</style>
${names.map((name) => html`<script type="module" src="${origin}/embed/${name}.js"></script>`)}
</head>
<body>
${names.map((name) => html`<${`idea-bank-${name}`} src="${origin}" token="${token}"${signsIn}></${`idea-bank-${name}`}>`)}
</body>
</html>`);
}
