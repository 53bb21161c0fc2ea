/** `/account/idea-banks/{id}/embed`: the lines for a website with their preview, and the visitor token in them. */
import type { Context } from "hono";
import { issueToken, VISITOR_LIFETIME } from "../../credentials/compound-token.ts";
import { keepSiteToken, type SiteToken } from "../../database/site-tokens.ts";
import { prepareTokenIssue, VISITOR } from "../../database/token-issues.ts";
import type { Routes } from "../../http/routes.ts";
import { logWarning } from "../../log.ts";
import { toTimestamp } from "../../model/text.ts";
import { renderPage } from "../frame/render-page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { readChoice } from "./embed-choice.ts";
import { EmbedPage } from "./embed-page.tsx";
import { renderPreview } from "./preview.ts";
import { IDEA_BANKS, loadOwnBank } from "./routes.tsx";

const EMBED = `${IDEA_BANKS}/:ideaBankId/embed`;

/** As long as somebody looks at a preview. */
const PREVIEW_SECONDS = 3_600;

export function addEmbedPages(routes: Routes<OwnerEnv>): void {
  routes.get(EMBED, async (c) => {
    const own = await loadOwnBank(c, c.req.param("ideaBankId"));
    const { session, accountId, ideaBank } = own;
    const { origin, searchParams } = new URL(c.req.url);
    const done = searchParams.get("done");
    searchParams.delete("done");
    const search = searchParams.size > 0 ? `?${searchParams}` : "";
    const asked = { accountId, ideaBankId: ideaBank.id, now: Date.now(), lifetime: VISITOR_LIFETIME.default };
    const token = await keepSiteToken(session, { ...asked, renew: false }).catch((error: unknown) => {
      // While D1 takes no writes, the page can be read. A token is valid although it is not stored.
      logWarning("a visitor token was handed out and is not stored", error, ideaBank.id);
      return makeToken(own, asked.lifetime);
    });
    const props = {
      ...{ ideaBank, origin, search, now: asked.now, choice: readChoice(searchParams, ideaBank) },
      token: token && { text: await toText(c, ideaBank.id, token), expiresAt: toTimestamp(token.expiresAt * 1000) },
      ...{ isRenewed: done === "renewed", isSaved: done === "saved" },
    };
    return renderPage(c, (frame) => <EmbedPage frame={frame} {...props} />, { frames: true });
  });

  routes.post(EMBED, async (c) => {
    const { session, accountId, ideaBank } = await loadOwnBank(c, c.req.param("ideaBankId"));
    const asked = { accountId, ideaBankId: ideaBank.id, now: Date.now(), lifetime: VISITOR_LIFETIME.default };
    await keepSiteToken(session, { ...asked, renew: true });
    const page = new URL(c.req.url);
    page.searchParams.set("done", "renewed");
    return c.redirect(page.pathname + page.search, 303);
  });

  routes.get(`${IDEA_BANKS}/:ideaBankId/preview`, async (c) => {
    const own = await loadOwnBank(c, c.req.param("ideaBankId"));
    const token = await makeToken(own, PREVIEW_SECONDS);
    return renderPreview(c, {
      token: token ? await toText(c, own.ideaBank.id, token) : "",
      choice: readChoice(new URL(c.req.url).searchParams, own.ideaBank),
    });
  });
}

/** A visitor token for these seconds, which nothing is written for. Undefined in the second in which visitors' tokens were ended. */
async function makeToken(
  { session, accountId, ideaBank }: Awaited<ReturnType<typeof loadOwnBank>>,
  seconds: number,
): Promise<SiteToken | undefined> {
  const asked = { accountId, ideaBankId: ideaBank.id, now: Date.now(), idempotencyKey: undefined, recorded: undefined };
  const issue = await prepareTokenIssue(session, { ...asked, panelist: VISITOR });
  if (issue.kind !== "done") return undefined;
  const { issuedAt } = issue.outcome;
  return { issuedAt, expiresAt: issuedAt + seconds };
}

const toText = (c: Context<OwnerEnv>, ideaBankId: string, { issuedAt, expiresAt }: SiteToken): Promise<string> =>
  issueToken({ ideaBankId, panelistId: null, issuedAt, expiresAt }, c.get("settings").signingKeys);
