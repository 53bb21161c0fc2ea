/**
 * `/account/tokens`: says of a pasted token whether it is good, and why not. The token is in the form's body alone, and is not kept.
 * `/account/tokens/end` ends all tokens of the account.
 */
import { loadIdeaBank } from "../../database/idea-banks.ts";
import { introspect } from "../../database/introspection.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { openOwn } from "../frame/decide.ts";
import { renderPage } from "../frame/render-page.tsx";
import { ownPage } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { endTokens, lastEndOfTokens } from "./api.ts";
import { EndTokensPage } from "./end-tokens-page.tsx";
import { TokenPage } from "./try-page.tsx";

const TOKENS = "/account/tokens";

export function addTokenPages(routes: Routes<OwnerEnv>): void {
  routes.get(TOKENS, (c) => renderPage(c, (frame) => <TokenPage frame={frame} tried={undefined} />));

  routes.post(TOKENS, async (c) => {
    const pasted = (await readForm(c)).get("token") ?? "";
    const token = pasted.trim().replace(/^(Authorization: *)?(Bearer +)?/i, "");
    const { session, accountId } = await openOwn(c);
    const now = Date.now();
    const result = await introspect(session, { accountId, token, keys: c.get("settings").signingKeys, now });
    const { ideaBankId } = result;
    const ideaBank = ideaBankId === undefined ? null : await loadIdeaBank(session, accountId, ideaBankId);
    return renderPage(c, (frame) => (
      <TokenPage frame={frame} tried={{ ...result, isApiKey: token.startsWith("ibk_"), ideaBank, now }} />
    ));
  });

  routes.get(`${TOKENS}/end`, async (c) => {
    const endedAt = await lastEndOfTokens(c);
    const props = { endedAt, isDone: c.req.query("done") !== undefined, now: Date.now() };
    return renderPage(c, (frame) => <EndTokensPage frame={frame} {...props} />);
  });

  routes.post(`${TOKENS}/end`, async (c) => {
    await endTokens(c);
    return c.redirect(ownPage(c.req.query("back") ?? null, `${TOKENS}/end?done`), 303);
  });
}
