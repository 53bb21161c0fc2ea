/** What the pages of one idea bank share: their path, the idea bank, and the navigation between them. */
import type { Context } from "hono";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { idsOf, openOwn, orNotFound } from "../frame/decide.ts";
import type { OwnerEnv } from "../owner-env.ts";

export const IDEA_BANKS = "/account/idea-banks";

/** Throws `not-found`. */
export async function loadOwnBank(c: Context<OwnerEnv>, id: string) {
  const { ideaBankId } = idsOf({ ideaBankId: id });
  const own = await openOwn(c);
  return { ...own, ideaBank: orNotFound(await loadIdeaBank(own.session, own.accountId, ideaBankId)) };
}

const PAGES = { "": "Ideas", settings: "Settings", embed: "Embed" };

export const BankNav = ({ id, current }: { readonly id: string; readonly current: keyof typeof PAGES }) => (
  <nav class="bank" aria-label="Board">
    {Object.entries(PAGES).map(([page, name]) => (
      <a href={`${IDEA_BANKS}/${id}${page && `/${page}`}`} aria-current={page === current ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
