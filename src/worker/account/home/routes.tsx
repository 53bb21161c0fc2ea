/** `/account`: the page that an owner opens first. */
import { loadHome } from "../../database/home.ts";
import type { Routes } from "../../http/routes.ts";
import { invitationsOf } from "../account-databases.ts";
import { openOwn } from "../frame/decide.ts";
import { renderPage } from "../frame/render-page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { HomePage } from "./home-page.tsx";

export function addHomePage(routes: Routes<OwnerEnv>): void {
  for (const path of ["/account", "/account/"]) {
    routes.get(path, async (c) => {
      const now = Date.now();
      const { session, accountId } = await openOwn(c);
      // A failing directory must not hide the account.
      const invitations = invitationsOf(c, c.var.owner.person, { limit: 20, after: undefined }).catch(() => undefined);
      const home = await loadHome(session, { accountId, now });
      const props = { home, invitations: (await invitations)?.items ?? [], now };
      return renderPage(c, (frame) => <HomePage frame={frame} {...props} />);
    });
  }
}
