/** `${IDEA_BANKS}/{id}/embed`: the lines that put a board into a website, chosen beside a preview, ready to copy. */
import { VISITOR_LIFETIME } from "../../credentials/compound-token.ts";
import { keepSiteToken } from "../../database/tokens/site-tokens.ts";
import { logWarning } from "../../log.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { toTimestamp } from "../../model/text.ts";
import { openOwn } from "../account-databases.ts";
import { Copyable } from "../frame/copyable.tsx";
import { idsOf } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { LinkFor } from "../frame/for-members.tsx";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import { exactTime } from "../frame/times.tsx";
import { withParameter } from "../frame/visit.ts";
import { ELEMENTS, type EmbedChoice, elementsOf, LANGUAGES, OWN_COLOR, readChoice } from "./embed-choice.ts";
import { linesOf, linesWith, onServer, signing } from "./embed-code.ts";
import { OneSetting, Opener } from "./one-setting.tsx";
import { BankNav, IDEA_BANKS, loadOwnBank, loadOwnBankWith } from "./own-bank.tsx";
import { makeToken, toText } from "./preview.ts";

type Props = {
  readonly ideaBank: IdeaBank;
  readonly origin: string;
  /** Of this page: what was chosen. */
  readonly search: string;
  /** The visitor token, and when it ends (ISO 8601). */
  readonly token: { readonly text: string; readonly expiresAt: string } | undefined;
  readonly isRenewed: boolean;
  readonly isSaved: boolean;
  readonly choice: EmbedChoice;
};

const MONTH_MS = 30 * 86_400_000;

export const EMBED_PAGE = page({
  path: `${IDEA_BANKS}/:ideaBankId/embed`,
  needs: "member",
  allows: "frames",

  load: async (c): Promise<Props> => {
    const asked = { now: Date.now(), lifetime: VISITOR_LIFETIME.default, renew: false, owner: c.var.owner };
    const { ideaBank, also: token } = await loadOwnBankWith(c, c.req.param("ideaBankId"), (own) =>
      keepSiteToken(own.session, { ...own, ...asked }).catch((error: unknown) => {
        // While D1 takes no writes, the page can be read. A token is valid although it is not stored.
        logWarning("a visitor token was handed out and is not stored", error, own.ideaBankId);
        return makeToken(own, asked.lifetime);
      }),
    );
    const { origin } = new URL(c.req.url);
    const chosen = filledIn(c);
    const done = chosen.get("done");
    chosen.delete("done");
    const search = chosen.size > 0 ? `?${chosen}` : "";
    return {
      ...{ ideaBank, origin, search, choice: readChoice(chosen, ideaBank) },
      token: token && { text: await toText(c, ideaBank.id, token), expiresAt: toTimestamp(token.expiresAt * 1000) },
      ...{ isRenewed: done === "renewed", isSaved: done === "saved" },
    };
  },

  view: (props) => {
    const { ideaBank, search, isRenewed, isSaved } = props;
    const possible = elementsOf(ideaBank);
    const back = `${IDEA_BANKS}/${ideaBank.id}/embed${search}`;
    return (
      <Layout title={ideaBank.name} part="Embed" current="idea-banks" scripts={["embed.js"]}>
        <BankNav id={ideaBank.id} current="embed" />
        {isRenewed && (
          <Success>
            Token renewed. Copy the code below to your site. The old token keeps working until it expires.
          </Success>
        )}
        {isSaved && <Success>Saved.</Success>}
        {!ideaBank.publicPage && (
          <p class="hint">
            No website, or no time for it? <a href={`${IDEA_BANKS}/${ideaBank.id}/public-page`}>Use a public page</a>
          </p>
        )}
        <Opener ideaBank={ideaBank} back={back} />
        {!ideaBank.changelogEnabled && (
          <OneSetting
            ideaBank={ideaBank}
            back={back}
            was={{}}
            to={{ changelogEnabled: "on" }}
            label="Turn on the changelog"
          >
            {possible.length > 0
              ? "The changelog is off, so it isn’t part of the code below."
              : "This board is internal, and its changelog and surveys are off, so there is nothing to show on your site."}
          </OneSetting>
        )}
        {possible.length > 0 && (
          <div class="idea embed">
            <form method="get" action={`${IDEA_BANKS}/${ideaBank.id}/embed`} data-embed>
              <div class="text">
                <Lines {...props} />
              </div>
              <Options {...props} />
            </form>
            <div class="rest">
              <form id="renew" method="post" action={`${IDEA_BANKS}/${ideaBank.id}/embed${search}`} />
              <Placed {...props} />
              <ForDevelopers {...props} />
            </div>
          </div>
        )}
      </Layout>
    );
  },

  act: async (c) => {
    const { session, accountId } = await openOwn(c);
    const { ideaBankId } = idsOf({ ideaBankId: c.req.param("ideaBankId") });
    const asked = { accountId, ideaBankId, now: Date.now(), lifetime: VISITOR_LIFETIME.default, owner: c.var.owner };
    const renewed = await keepSiteToken(session, { ...asked, renew: true });
    // Otherwise visitors' tokens were ended in this second, and the page has none.
    if (renewed === undefined) await loadOwnBank(c, ideaBankId);
    const page = new URL(c.req.url);
    page.searchParams.set("done", "renewed");
    return c.redirect(page.pathname + page.search, 303);
  },
});

const Lines = ({ ideaBank: { id, status }, origin, search, token, choice }: Props) => {
  if (choice.elements.length === 0) return <p class="notice">Choose at least one element to show.</p>;
  const isEnding = token !== undefined && Date.parse(token.expiresAt) < useFrame().now + MONTH_MS;
  return (
    <>
      <h2>Put it on your site</h2>
      <p>
        Paste this into your page, where the board should appear. The token is read-only, so it’s safe to put in a page.
      </p>
      <Copyable id="page" label="code for your page" text={linesOf(origin, token?.text ?? "ibv_…", choice)} />
      {token && (
        <p class={isEnding ? "error" : "hint"}>
          {`The token expires on ${exactTime(token.expiresAt).slice(0, 10)}. `}
          {/* Not of the form around it, whose Enter key is to update the code. */}
          <button type="submit" class="link" form="renew">
            Renew
          </button>
        </p>
      )}
      {status === "OPEN" && (
        <>
          <h2>Preview</h2>
          <iframe
            class="preview"
            title="Preview"
            src={`${IDEA_BANKS}/${id}/preview${search}`}
            sandbox="allow-scripts allow-forms"
          />
        </>
      )}
    </>
  );
};

const SIGN_IN_HINT = "Where visitors sign in to vote. {page} becomes the page to return to. Leave empty for read-only.";
const THEMES = { "": "Same as your page", light: "Light", dark: "Dark" };
const RADIUS_HINT = "In pixels";

const Options = ({ ideaBank, search, choice }: Props) => {
  // As it was typed, so that what is refused can be corrected.
  const typed = (name: string) => new URLSearchParams(search).get(name) ?? "";
  const [signIn, color, radius] = ["signIn", "color", "radius"].map((name) => messageFor(choice.errors, name));
  return (
    <aside aria-label="Options">
      <fieldset>
        <legend>Show</legend>
        <input type="hidden" name="elements" value="" />
        {elementsOf(ideaBank).map((name) => (
          <label class="choice">
            <input type="checkbox" name="elements" value={name} checked={choice.elements.includes(name)} />
            {ELEMENTS[name]}
          </label>
        ))}
      </fieldset>
      <Field name="signIn" label="Sign-in URL" hint={SIGN_IN_HINT} message={signIn}>
        <input
          id="signIn"
          name="signIn"
          value={typed("signIn")}
          placeholder="https://example.com/login?next={page}"
          autocomplete="off"
          {...described("signIn", signIn, SIGN_IN_HINT)}
        />
      </Field>
      <Field name="lang" label="Language" message={undefined}>
        <select id="lang" name="lang">
          <option value="">Same as your page</option>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option value={code} selected={code === choice.lang}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field name="theme" label="Theme" message={undefined}>
        <select id="theme" name="theme">
          {Object.entries(THEMES).map(([value, name]) => (
            <option value={value} selected={value === choice.theme}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field name="color" label="Color" message={color}>
        <input id="color" name="color" type="color" value={choice.color || OWN_COLOR} {...described("color", color)} />
      </Field>
      <Field name="radius" label="Corner radius" hint={RADIUS_HINT} message={radius}>
        <input
          id="radius"
          name="radius"
          type="number"
          min={0}
          max={40}
          value={typed("radius")}
          {...described("radius", radius, RADIUS_HINT)}
        />
      </Field>
      <button type="submit">Update</button>
      <p class="hint">Pages that already have the code don’t change.</p>
    </aside>
  );
};

/** Leads back here. */
const Placed = ({ ideaBank: { id, url }, search }: Props) => (
  <form method="post" action={`${IDEA_BANKS}/${id}/settings`} class="one-line">
    <OpenedWith fields={new URLSearchParams({ url: url ?? "" })} />
    <input type="hidden" name="back" value={withParameter(`${IDEA_BANKS}/${id}/embed${search}`, "done", "saved")} />
    <Field name="url" label="Page" hint="Emails and feeds link to this page." message={undefined}>
      <input
        id="url"
        name="url"
        type="url"
        value={url ?? ""}
        maxlength={2000}
        placeholder="https://example.com/ideas"
        autocomplete="off"
        aria-describedby="url-hint"
      />
    </Field>
    <button type="submit">Save</button>
  </form>
);

const ForDevelopers = ({ ideaBank, origin, choice }: Props) => (
  <details>
    <summary>For developers: let people vote and comment as themselves</summary>
    <p>
      People who are signed in to your site get a token of their own. Point the elements at an address of your server:
    </p>
    <Copyable id="own" label="code with token-url" text={linesWith(origin, 'token-url="/idea-bank-token"', choice)} />
    <p>
      Your server responds with a token for that person. It requests the token with an{" "}
      <LinkFor needs="admin" href="/account/api-keys">
        API key
      </LinkFor>{" "}
      that has the scope <code>panelists:write</code>. Keep the key on the server.
    </p>
    <Copyable id="server" label="code for your server" text={onServer(origin, ideaBank.id)} />
    <p>
      Or sign tokens yourself, without a call per person. Read the secret when your server starts and once a day, with
      the same key, at <code>{`GET /tenant/ideabanks/${ideaBank.id}/signing-secret`}</code>.
    </p>
    <Copyable id="sign" label="code that signs a token" text={signing(ideaBank.id)} />
    <p>
      If a token doesn’t work,{" "}
      <LinkFor needs="admin" href="/account/tokens">
        try it
      </LinkFor>{" "}
      to see why. More in the <a href="/reference">API reference</a> and on <a href="/embed/">Elements</a>.
    </p>
  </details>
);
