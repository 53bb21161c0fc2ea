/** `/account/accounts`: the accounts that the visitor is a member of, to choose from, and the invitations to others. */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import type { AccountSettings } from "../../model/api-key-settings.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { PageQuery } from "../../model/pagination.ts";
import { accountsOf, invitationsOf, openOwn } from "../account-databases.ts";
import { Outcome } from "../frame/done.tsx";
import { useFrame, useMay } from "../frame/frame.ts";
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
import { requireRole } from "../identity/role.ts";
import { changeSettings } from "../keys/settings.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { answerOwnInvitation } from "./api.ts";
import { EMAILS } from "./emails-page.tsx";

export const ACCOUNTS = "/account/accounts";

export const ACCOUNTS_PAGE = page({
  path: ACCOUNTS,
  needs: "anyone",

  load: async (c) => {
    const { person } = c.var.owner;
    const { told } = readVisit(c);
    const { page: request } = await readPage(c, PageQuery);
    const [own, { items, next }, settings] = await Promise.all([
      accountsOf(c, person),
      invitationsOf(c, person, request),
      loadSettings(c),
    ]);
    const isSaved = c.req.query("done") !== undefined;
    const sendsEmail = tellsPeople(c.env);
    return { own, invitations: items, next: await nextCursor(c, next), told, settings, sendsEmail, isSaved };
  },

  view: ({ own, invitations, next, told, settings, sendsEmail, isSaved }) => (
    <Layout title="Account" current="accounts">
      <Outcome told={told} />
      {isSaved && <Success>Settings saved.</Success>}
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
      {settings && useMay("admin") && (
        <>
          <Emails sendsEmail={sendsEmail} notifiesPeople={settings.notifiesPeople} />
          <Exports viewersExport={settings.viewersExport} />
        </>
      )}
      <section aria-labelledby="your-emails">
        <h2 id="your-emails">Your emails</h2>
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
    const setting = SWITCHES.find((name) => does === name);
    if (setting !== undefined) {
      await requireRole(c, "admin");
      await changeSettings(
        c,
        changedSettings(fields, (each) => ({ [setting]: each.has(setting) })),
      );
      return c.redirect(`${ACCOUNTS}?done`, 303);
    }
    if (does !== "decline") await limitOwner(c);
    const accountId = does === "open" ? id : (await answerOwnInvitation(c, id, does === "accept")).id;
    if (does === "decline") return c.redirect(ACCOUNTS, 303);
    rememberChoice(c, accountId);
    return c.redirect(inAccount("/account", accountId), 303);
  },
});

/** The switches of the account that is open, for all its boards: each is the name of its field, and of its button. */
const SWITCHES = ["notifiesPeople", "viewersExport"] as const;

type SwitchProps = {
  readonly name: (typeof SWITCHES)[number];
  readonly isOn: boolean;
  readonly words: readonly [label: string, hint: string];
};

const Switch = ({ name, isOn, words: [label, hint] }: SwitchProps) => (
  <form method="post" action={ACCOUNTS} class="create">
    <OpenedWith fields={new URLSearchParams(isOn ? { [name]: "on" } : {})} />
    <label class="choice">
      <input type="checkbox" name={name} checked={isOn} />
      <span>
        {label}
        <span class="hint">{hint}</span>
      </span>
    </label>
    <button type="submit" name="do" value={name}>
      Save
    </button>
  </form>
);

type EmailsProps = { readonly sendsEmail: boolean; readonly notifiesPeople: boolean };

const Emails = ({ sendsEmail, notifiesPeople }: EmailsProps) => (
  <section id="emails" aria-labelledby="emails-to-people">
    <h2 id="emails-to-people">Emails to people</h2>
    {sendsEmail ? (
      <Switch
        name="notifiesPeople"
        isOn={notifiesPeople}
        words={[PEOPLE_TOLD[0], "For all boards of this account. Each board has its own switch, too."]}
      />
    ) : (
      <NoMail />
    )}
  </section>
);

const Exports = ({ viewersExport }: { readonly viewersExport: boolean }) => (
  <section aria-labelledby="exports">
    <h2 id="exports">Exports</h2>
    <Switch
      name="viewersExport"
      isOn={viewersExport}
      words={["Viewers may export people and voters", "Files with names, IDs and email addresses. Members always may."]}
    />
  </section>
);

/** Undefined for a person with several accounts, or none, who comes here to choose one. */
async function loadSettings(c: Context<OwnerEnv>): Promise<AccountSettings | undefined> {
  try {
    const { session, accountId } = await openOwn(c);
    return (await loadAccountSettings(session, accountId)) ?? undefined;
  } catch {
    return undefined;
  }
}
