/**
 * `/account/idea-banks/{id}/preview`: the elements as a visitor sees them, in a frame of the page that hands out their lines. The frame is
 * sandboxed, so that nothing in it acts as the owner.
 */
import type { Context } from "hono";
import { html } from "hono/html";
import { issueToken } from "../../credentials/compound-token.ts";
import type { SiteToken } from "../../database/tokens/site-tokens.ts";
import { prepareTokenIssue, VISITOR } from "../../database/tokens/token-issues.ts";
import { filledIn } from "../frame/own-link.ts";
import { file } from "../frame/page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { type EmbedChoice, readChoice, styleOf } from "./embed-choice.ts";
import { IDEA_BANKS, loadOwnBank, loadOwnBankWith, type OwnBankPath, PUBLIC_PAGE_PATH } from "./own-bank.tsx";

/** As long as somebody looks at a preview. */
const PREVIEW_SECONDS = 3_600;

export const PREVIEW = file(`${IDEA_BANKS}/:ideaBankId/preview`, async (c) => {
  const { ideaBank, also: token } = await loadOwnBankWith(c, c.req.param("ideaBankId"), (own) =>
    makeToken(own, PREVIEW_SECONDS),
  );
  return renderPreview(c, {
    ...{ title: "Preview", token: token ? await toText(c, ideaBank.id, token) : "" },
    choice: readChoice(filledIn(c), ideaBank),
  });
});

/** The board's public page as a stranger sees it, also while it is off. */
export const PUBLIC_PAGE_PREVIEW = file(`${PUBLIC_PAGE_PATH}/preview`, async (c) => {
  const id = c.req.param("ideaBankId");
  const show = await c.get("loadPreview")();
  // Read meanwhile, and shown to its owner alone.
  const [shown] = await Promise.all([show(c, id), loadOwnBank(c, id)]);
  return shown;
});

type Previewed = { readonly title: string; readonly token: string; readonly choice: EmbedChoice };

function renderPreview(c: Context<OwnerEnv>, { title, token, choice }: Previewed): Response | Promise<Response> {
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
<title>${title}</title>
<style nonce="${nonce}">body { margin: 1rem; font-family: system-ui, sans-serif; ${styleOf(choice) ?? ""} }</style>
${names.map((name) => html`<script type="module" src="${origin}/embed/${name}.js"></script>`)}
</head>
<body>
${names.map((name) => html`<${`idea-bank-${name}`} src="${origin}" token="${token}"${signsIn}></${`idea-bank-${name}`}>`)}
</body>
</html>`);
}

/** A visitor token for these seconds, which nothing is written for. Undefined in the second in which visitors' tokens were ended. */
export async function makeToken(
  { session, accountId, ideaBankId }: OwnBankPath,
  seconds: number,
): Promise<SiteToken | undefined> {
  const asked = { accountId, ideaBankId, now: Date.now(), idempotencyKey: undefined, recorded: undefined };
  const issue = await prepareTokenIssue(session, { ...asked, panelist: VISITOR });
  if (issue.kind !== "done") return undefined;
  const { issuedAt } = issue.outcome;
  return { issuedAt, expiresAt: issuedAt + seconds };
}

export const toText = (c: Context<OwnerEnv>, ideaBankId: string, { issuedAt, expiresAt }: SiteToken): Promise<string> =>
  issueToken({ ideaBankId, panelistId: null, issuedAt, expiresAt }, c.get("settings").signingKeys);
