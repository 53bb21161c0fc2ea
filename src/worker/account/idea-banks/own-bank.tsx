/** What the pages of one idea bank share: their path, the idea bank, and the navigation between them. */
import type { Context } from "hono";
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { useMay } from "../frame/frame.ts";
import type { Own, OwnerEnv } from "../owner-env.ts";

export const IDEA_BANKS = "/account/idea-banks";
export const PUBLIC_PAGE_PATH = `${IDEA_BANKS}/:ideaBankId/public-page`;

/** An idea bank of the path, which may be another account's. */
export type OwnBankPath = Own & { readonly ideaBankId: string };

/** Throws `not-found`. */
export const loadOwnBank = (c: Context<OwnerEnv>, id: string) => loadOwnBankWith(c, id, async () => undefined);

/** The idea bank of the path, and what else is read of it meanwhile. Throws `not-found`. */
export async function loadOwnBankWith<Also>(
  c: Context<OwnerEnv>,
  id: string,
  read: (path: OwnBankPath) => Promise<Also>,
) {
  const { ideaBankId } = idsOf({ ideaBankId: id });
  const own = await openOwn(c);
  const [ideaBank, also] = await Promise.all([
    loadIdeaBank(own.session, own.accountId, ideaBankId),
    read({ ...own, ideaBankId }),
  ]);
  return { ...own, ideaBank: orNotFound(ideaBank), also };
}

const PAGES = { "": "Ideas", settings: "Settings", "public-page": "Public page", embed: "Embed" };

export const BankNav = ({ id, current }: { readonly id: string; readonly current: keyof typeof PAGES }) => (
  <nav class="bank" aria-label="Board">
    {Object.entries(useMay("member") ? PAGES : { "": PAGES[""] }).map(([page, name]) => (
      <a href={`${IDEA_BANKS}/${id}${page && `/${page}`}`} aria-current={page === current ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
