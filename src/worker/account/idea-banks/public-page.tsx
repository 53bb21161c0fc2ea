/** `/account/idea-banks/{id}/public-page`: the board's own page: its switch, its link, who signs in how, and how it looks. */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { canSendEmail } from "../../deliveries/address-code.ts";
import { sendTestCode } from "../../deliveries/send-test-code.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { pagePathOf } from "../../model/page-path.ts";
import { pagesOriginOf } from "../../model/pages-origin.ts";
import { Copyable } from "../frame/copyable.tsx";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { changedSettings } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { QrCode } from "../frame/qr-code.tsx";
import { Success } from "../frame/success.tsx";
import { changeSettings } from "../keys/settings.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { Opener } from "./one-setting.tsx";
import { BankNav, IDEA_BANKS, loadOwnBank, loadOwnBankWith, PUBLIC_PAGE_PATH } from "./own-bank.tsx";
import {
  AboutPage,
  canSignIn,
  LABELS,
  type PublicPageProps,
  SETTINGS_OF,
  type SentCode,
  SignIn,
  TurnOff,
  TurnOn,
  toFields,
} from "./public-page-forms.tsx";
import { saveBank } from "./save-bank.ts";

const DONE: Readonly<Record<string, (ideaBank: IdeaBank) => string | undefined>> = {
  on: ({ publicPage, status }) => {
    if (!publicPage) return undefined;
    const next = status === "OPEN" ? "Anyone with the link can read it." : "Open the board to let people in.";
    return `Public page is on. ${next}`;
  },
  off: ({ publicPage }) => (publicPage ? undefined : "Public page is off. Its link no longer works."),
  saved: () => "Saved. The page shows the change within a minute.",
  account: () => "Saved for the whole account.",
};

export const PUBLIC_PAGE = page({
  path: PUBLIC_PAGE_PATH,
  needs: "member",
  allows: "frames",
  load: (c) => load(c),

  view: (props) => {
    const { ideaBank, url, done = "", refused } = props;
    const here = `${IDEA_BANKS}/${ideaBank.id}/public-page`;
    const says = Object.hasOwn(DONE, done) ? DONE[done]?.(ideaBank) : undefined;
    const errors: readonly FieldError[] = refused?.errors ?? [];
    return (
      <Layout title={ideaBank.name} part="Public page" current="idea-banks">
        <BankNav id={ideaBank.id} current="public-page" />
        {says && <Success>{says}</Success>}
        {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
        {ideaBank.publicPage && <Opener ideaBank={ideaBank} back={here} />}
        {ideaBank.publicPage && !canSignIn(props) && (
          <p class="notice">
            No one can sign in yet: people can read the page, but not vote or comment.{" "}
            <a href="#sign-in">Choose how they sign in</a>
          </p>
        )}
        {ideaBank.publicPage ? (
          <>
            <section class="link-and-code" aria-labelledby="share">
              <div>
                <h2 id="share">Share it</h2>
                <p>Anyone with the link can read the board.</p>
                <Copyable id="link" label="link" text={url} button="Copy link" />
                <p>
                  <a href={url} target="_blank" rel="noopener">
                    Open the page
                  </a>
                </p>
              </div>
              <QrCode label="QR code of the link" text={url} />
            </section>
            <AboutPage {...props} />
            <SignIn {...props} />
          </>
        ) : (
          <TurnOn {...props} />
        )}
        <section aria-labelledby="looks">
          <h2 id="looks">Preview</h2>
          <iframe
            class="preview"
            title="The page as a visitor sees it"
            src={`${here}/preview`}
            sandbox="allow-scripts allow-forms"
          />
        </section>
        {ideaBank.publicPage && <TurnOff {...props} />}
      </Layout>
    );
  },

  act: async (c) => {
    const { ideaBankId } = idsOf({ ideaBankId: c.req.param("ideaBankId") });
    const here = `${IDEA_BANKS}/${ideaBankId}/public-page`;
    const fields = await readForm(c);
    const what = fields.get("do") ?? "";
    if (what === "code") return load(c, { sendsCode: true });
    if (what === "account") {
      // The setting is the account's, and its form stands on the page of a board of its own.
      await loadOwnBank(c, ideaBankId);
      const changed = changedSettings(fields, (each) => ({ externalIdsAreEmails: each.has("externalIdsAreEmails") }));
      await changeSettings(c, changed);
      return c.redirect(`${here}?done=account`, 303);
    }
    const toSettings = SETTINGS_OF[what];
    if (toSettings === undefined) return load(c);
    const { publicPage } = await saveBank(c, ideaBankId, { fields, toSettings, toFields });
    return c.redirect(`${here}?done=${publicPage === undefined ? "saved" : publicPage ? "on" : "off"}`, 303);
  },

  refused: (c, refused) => load(c, { refused }),
});

async function load(
  c: Context<OwnerEnv, typeof PUBLIC_PAGE_PATH>,
  { sendsCode = false, refused }: { readonly sendsCode?: boolean; readonly refused?: SentForm } = {},
): Promise<PublicPageProps> {
  const { ideaBank, also: settings } = await loadOwnBankWith(c, c.req.param("ideaBankId"), (own) =>
    loadAccountSettings(own.session, own.accountId),
  );
  const { person } = c.var.owner;
  return {
    ...{ ideaBank, person, refused, done: c.req.query("done") },
    url: pagesOriginOf(c.env, c.req.url) + pagePathOf(ideaBank),
    externalIdsAreEmails: orNotFound(settings).externalIdsAreEmails,
    sendsEmail: canSendEmail(c.env),
    sentCode: sendsCode ? await sendCode(c, person, ideaBank.name) : undefined,
  };
}

async function sendCode(c: Context<OwnerEnv>, to: string, board: string): Promise<SentCode> {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  const code = String(number % 1_000_000).padStart(6, "0");
  return { to, fault: await sendTestCode(c.env, { to, board, code: `${code.slice(0, 3)} ${code.slice(3)}` }) };
}
