/** `/account/accounts`: the accounts that the visitor is a member of, to choose from, and the invitations to others. */
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { PageQuery } from "../../model/pagination.ts";
import { accountsOf, invitationsOf } from "../account-databases.ts";
import { Outcome } from "../frame/done.tsx";
import { useFrame } from "../frame/frame.ts";
import { Answer, Invitations } from "../frame/invitations.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { readVisit } from "../frame/visit.ts";
import { accountInWords } from "../frame/words.ts";
import { inAccount, rememberChoice } from "../identity/identity.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { answerOwnInvitation } from "./api.ts";

export const ACCOUNTS = "/account/accounts";

export const ACCOUNTS_PAGE = page({
  path: ACCOUNTS,

  load: async (c) => {
    const { person } = c.var.owner;
    const { told } = readVisit(c);
    const { page: request } = await readPage(c, PageQuery);
    const [own, { items, next }] = await Promise.all([accountsOf(c, person), invitationsOf(c, person, request)]);
    return { own, invitations: items, next: await nextCursor(c, next), told };
  },

  view: ({ own, invitations, next, told }) => (
    <Layout title="Account" current="accounts">
      <Outcome told={told} />
      <Invitations invitations={invitations} />
      <Pager next={next && `${ACCOUNTS}?cursor=${next}`} label="Older invitations" />
      {own.length > 1 && <p class="lead">This browser opens the account you used last.</p>}
      <ul class="events members">
        {own.map(({ id, name }) => (
          <li>
            <p>
              <strong>{accountInWords(name)}</strong>
              {name === (useFrame().account ?? useFrame().email) && " (this one)"}
            </p>
            <Answer id={id} answers={[["open", `Open`, `Open ${accountInWords(name)}`]]} />
          </li>
        ))}
      </ul>
      <section aria-labelledby="sign-out">
        <h2 id="sign-out">Sign out everywhere</h2>
        <p>
          Ends all your sessions, in every browser, and unused sign-in links. Cloudflare Access sessions continue: sign
          out of Access separately.
        </p>
        <form method="post" action="/account/sign-out-everywhere">
          <button type="submit">Sign out everywhere</button>
        </form>
      </section>
    </Layout>
  ),

  act: async (c) => {
    const fields = await readForm(c);
    const id = fields.get("id") ?? "";
    const does = fields.get("do");
    if (does !== "decline") await limitOwner(c);
    const accountId = does === "open" ? id : (await answerOwnInvitation(c, id, does === "accept")).id;
    if (does === "decline") return c.redirect(ACCOUNTS, 303);
    rememberChoice(c, accountId);
    return c.redirect(inAccount("/account", accountId), 303);
  },
});
