/** `/account/accounts`: the accounts that the visitor is a member of, to choose from, and the invitations to others. */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { PageQuery } from "../../model/pagination.ts";
import { accountsOf, invitationsOf, openOwn } from "../account-databases.ts";
import { Outcome } from "../frame/done.tsx";
import { useFrame } from "../frame/frame.ts";
import { Answer, Invitations } from "../frame/invitations.tsx";
import { Layout } from "../frame/layout.tsx";
import { NoMail } from "../frame/no-mail.tsx";
import { changedSettings, OpenedWith } from "../frame/opened-form.tsx";
import { page } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { Success } from "../frame/success.tsx";
import { readVisit } from "../frame/visit.ts";
import { accountInWords, PEOPLE_TOLD } from "../frame/words.ts";
import { inAccount, rememberChoice } from "../identity/identity.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { changeSettings } from "../keys/settings.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { answerOwnInvitation } from "./api.ts";
import { EMAILS } from "./emails-page.tsx";

export const ACCOUNTS = "/account/accounts";

export const ACCOUNTS_PAGE = page({
  path: ACCOUNTS,

  load: async (c) => {
    const { person } = c.var.owner;
    const { told } = readVisit(c);
    const { page: request } = await readPage(c, PageQuery);
    const [own, { items, next }, notifiesPeople] = await Promise.all([
      accountsOf(c, person),
      invitationsOf(c, person, request),
      loadNotifiesPeople(c),
    ]);
    const emails = { sendsEmail: tellsPeople(c.env), notifiesPeople, isSaved: c.req.query("done") === "emails" };
    return { own, invitations: items, next: await nextCursor(c, next), told, emails };
  },

  view: ({ own, invitations, next, told, emails }) => (
    <Layout title="Account" current="accounts">
      <Outcome told={told} />
      {emails.isSaved && <Success>Settings saved.</Success>}
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
      <Emails {...emails} />
      <section aria-labelledby="emails">
        <h2 id="emails">Your emails</h2>
        <p>
          <a href={EMAILS}>Choose how you hear about ideas</a>
        </p>
      </section>
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
    if (does === "emails") {
      const changed = changedSettings(fields, (each) => ({ notifiesPeople: each.has("notifiesPeople") }));
      await changeSettings(c, changed);
      return c.redirect(`${ACCOUNTS}?done=emails`, 303);
    }
    if (does !== "decline") await limitOwner(c);
    const accountId = does === "open" ? id : (await answerOwnInvitation(c, id, does === "accept")).id;
    if (does === "decline") return c.redirect(ACCOUNTS, 303);
    rememberChoice(c, accountId);
    return c.redirect(inAccount("/account", accountId), 303);
  },
});

type EmailsProps = {
  readonly sendsEmail: boolean;
  /** Undefined without an account that is open. */
  readonly notifiesPeople: boolean | undefined;
};

/** The switch of the account that is open, for all its boards. */
const Emails = ({ sendsEmail, notifiesPeople }: EmailsProps) =>
  notifiesPeople !== undefined && (
    <section id="emails" aria-labelledby="emails-to-people">
      <h2 id="emails-to-people">Emails to people</h2>
      {sendsEmail ? (
        <form method="post" action={ACCOUNTS} class="create">
          <OpenedWith fields={new URLSearchParams(notifiesPeople ? { notifiesPeople: "on" } : {})} />
          <label class="choice">
            <input type="checkbox" name="notifiesPeople" checked={notifiesPeople} />
            <span>
              {PEOPLE_TOLD[0]}
              <span class="hint">For all boards of this account. Each board has its own switch, too.</span>
            </span>
          </label>
          <button type="submit" name="do" value="emails">
            Save
          </button>
        </form>
      ) : (
        <NoMail />
      )}
    </section>
  );

/** A person with several accounts, or none, comes here to choose one. */
async function loadNotifiesPeople(c: Context<OwnerEnv>): Promise<boolean | undefined> {
  try {
    const { session, accountId } = await openOwn(c);
    return (await loadAccountSettings(session, accountId))?.notifiesPeople;
  } catch {
    return undefined;
  }
}
