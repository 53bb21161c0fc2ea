/** `/account/idea-banks/{id}/embed`: the lines that put a board into a website, chosen beside a preview, ready to copy. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import { Copyable } from "../frame/copyable.tsx";
import { Field } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { exactTime } from "../frame/times.tsx";
import { ELEMENTS, type EmbedChoice, elementsOf, LANGUAGES, styleOf } from "./embed-choice.ts";
import { BankNav } from "./nav.tsx";

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  readonly origin: string;
  /** The visitor's token, and when it ends (ISO 8601). */
  readonly token: { readonly text: string; readonly expiresAt: string } | undefined;
  readonly choice: EmbedChoice;
  /** The address of the preview. */
  readonly preview: string;
};

export const EmbedPage = (props: Props) => {
  const { frame, ideaBank, origin, token, choice, preview } = props;
  const isOpen = ideaBank.status === "OPEN";
  return (
    <Layout title={ideaBank.name} part="Embed" current="idea-banks" scripts={["embed.js"]} {...frame}>
      <BankNav id={ideaBank.id} current="embed" />
      {!isOpen && (
        <Switch ideaBank={ideaBank} was={{ status: ideaBank.status }} to={{ status: "OPEN" }} label="Open board">
          This board isn’t open yet, so visitors see nothing.
        </Switch>
      )}
      {!ideaBank.changelogEnabled && (
        <Switch ideaBank={ideaBank} was={{}} to={{ changelogEnabled: "on" }} label="Turn on the changelog">
          The changelog is off, so it isn’t part of the code below.
        </Switch>
      )}
      <div class="idea embed">
        <form method="get" action={`/account/idea-banks/${ideaBank.id}/embed`} data-embed>
          <div class="text">
            <h2>Put it on your site</h2>
            <p>Paste this into your page, where the board should appear. Anyone can read it; the token only reads.</p>
            <Copyable id="page" label="code for your page" text={linesOf(origin, token?.text ?? "ibv_…", choice)} />
            {token && (
              <p class="hint">
                {`The token works until ${exactTime(token.expiresAt).slice(0, 10)}. For a new one, copy the code again: the old one keeps working until it ends.`}
              </p>
            )}
            {isOpen && (
              <>
                <h2>Preview</h2>
                <iframe class="preview" title="Preview" src={preview} sandbox="allow-scripts allow-forms" />
              </>
            )}
          </div>
          <Options {...props} />
        </form>
        <div class="rest">
          <ForDevelopers {...props} />
        </div>
      </div>
    </Layout>
  );
};

const Options = ({ ideaBank, choice }: Props) => (
  <aside aria-label="Options">
    <fieldset>
      <legend>Show</legend>
      {elementsOf(ideaBank).map((name) => (
        <label class="choice">
          <input type="checkbox" name="elements" value={name} checked={choice.elements.includes(name)} />
          {ELEMENTS[name]}
        </label>
      ))}
    </fieldset>
    <Field
      name="signIn"
      label="Sign-in address"
      hint="Where visitors sign in before they vote. {page} becomes the way back."
      message={undefined}
    >
      <input
        id="signIn"
        name="signIn"
        value={choice.signIn}
        placeholder="https://example.com/login?next={page}"
        autocomplete="off"
      />
    </Field>
    <Field name="lang" label="Language" message={undefined}>
      <select id="lang" name="lang">
        <option value="">Your page’s own</option>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option value={code} selected={code === choice.lang}>
            {name}
          </option>
        ))}
      </select>
    </Field>
    <Field name="color" label="Color" message={undefined}>
      <input id="color" name="color" value={choice.color} placeholder="#2450c8" maxlength={7} autocomplete="off" />
    </Field>
    <Field name="radius" label="Corner radius" hint="In pixels" message={undefined}>
      <input id="radius" name="radius" type="number" min={0} max={40} value={choice.radius} />
    </Field>
    <button type="submit">Update</button>
  </aside>
);

type SwitchProps = {
  readonly ideaBank: IdeaBank;
  readonly was: Record<string, string>;
  readonly to: Record<string, string>;
  readonly label: string;
  readonly children?: string;
};

/** One press changes one setting, and leads back here. */
const Switch = ({ ideaBank: { id }, was, to, label, children }: SwitchProps) => (
  <form method="post" action={`/account/idea-banks/${id}/settings`} class="notice done">
    <p>{children}</p>
    <input type="hidden" name="was" value={new URLSearchParams(was).toString()} />
    <input type="hidden" name="back" value={`/account/idea-banks/${id}/embed`} />
    {Object.entries(to).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class="primary">
      {label}
    </button>
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
      Your server answers there with a token for that person. It asks for one with an{" "}
      <a href="/account/api-keys">API key</a> that has the scope <code>panelists:write</code>. Keep the key on the
      server.
    </p>
    <Copyable id="server" label="code for your server" text={onServer(origin, ideaBank.id)} />
    <p>
      Or sign tokens yourself, without a call per person. Read the secret when your server starts and once a day, with
      the same key, at <code>{`GET /tenant/ideabanks/${ideaBank.id}/signing-secret`}</code>.
    </p>
    <Copyable id="sign" label="code that signs a token" text={signing(ideaBank.id)} />
    <p>
      If a token doesn’t work, <a href="/account/tokens">try it</a> to see why. More in the{" "}
      <a href="/reference">API reference</a> and on <a href="/embed/">Elements</a>.
    </p>
  </details>
);

/** The elements of the choice, with these attributes. */
function linesWith(origin: string, token: string, choice: EmbedChoice): string {
  const { elements, lang, signIn } = choice;
  const style = styleOf(choice);
  const attributes = [
    token,
    ...(signIn ? [`sign-in-url="${signIn}"`] : []),
    ...(lang ? [`lang="${lang}"`] : []),
    ...(style ? [`style="${style}"`] : []),
  ].join(" ");
  const scripts = new Set(elements.flatMap((name) => (name === "launcher" ? ["launcher", "changelog"] : [name])));
  return [
    ...[...scripts].map((name) => `<script type="module" src="${origin}/embed/${name}.js"></script>`),
    ...elements.map((name) =>
      name === "launcher"
        ? `<idea-bank-launcher><idea-bank-changelog ${attributes}></idea-bank-changelog></idea-bank-launcher>`
        : `<idea-bank-${name} ${attributes}${name === "changelog" ? "" : " history"}></idea-bank-${name}>`,
    ),
  ].join("\n");
}

export const linesOf = (origin: string, token: string, choice: EmbedChoice): string =>
  linesWith(origin, `token="${token}"`, choice);

const onServer = (origin: string, id: string): string => `app.get("/idea-bank-token", async (request, response) => {
  const { id, name } = request.user;
  const answer = await fetch("${origin}/tenant/ideabanks/${id}/tokens", {
    method: "POST",
    headers: { "X-API-Key": process.env.IDEA_BANK_API_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ externalId: id, displayName: name }),
  });
  const { token } = await answer.json();
  response.type("text/plain").send(token);
});`;

/** With an import in single quotes, which is none of this file's. */
export const signing = (id: string): string => `import { createHmac } from 'node:crypto';

const signToken = ({ kid, secret }, { id, name }) => {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { iss: "${id}", sub: id, ...(name && { name }), iat: now, exp: now + 3600 };
  const signed = \`\${encode({ alg: "HS256", kid })}.\${encode(claims)}\`;
  return \`\${signed}.\${createHmac("sha256", secret).update(signed).digest("base64url")}\`;
};`;
