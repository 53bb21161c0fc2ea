/** `/account/idea-banks/{id}/embed`: the lines that put the idea bank into a website, ready to copy. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import { Copyable } from "../frame/copyable.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { BankNav } from "./nav.tsx";

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  readonly origin: string;
  readonly token: string | undefined;
};

export const EmbedPage = ({ frame, ideaBank, origin, token }: Props) => (
  <Layout title={ideaBank.name} part="Embed" current="idea-banks" {...frame}>
    <BankNav id={ideaBank.id} current="embed" />
    {ideaBank.status !== "OPEN" && (
      <p class="notice">
        People see nothing of it yet: <a href={`/account/idea-banks/${ideaBank.id}/settings`}>open it</a> first.
      </p>
    )}
    <h2>For everybody</h2>
    <p>
      These lines show the idea bank to everybody who opens your page. The board has the ideas, the changelog what is
      done: take what you need. The token only reads, so it may stand in a page. It is good for a year.
    </p>
    <Copyable id="page" label="lines for your page" text={inPage(origin, `token="${token ?? "ibv_…"}"`)} />
    {ideaBank.status === "OPEN" && token !== undefined && (
      <p>
        <a href={`/#token=${token}`}>Look at it</a> as a visitor does.
      </p>
    )}
    <h2>For people who are signed in to your site</h2>
    <p>To vote, comment and submit, people need a token of their own. In your page, name an address of your server:</p>
    <Copyable id="own" label="lines with token-url" text={inPage(origin, 'token-url="/idea-bank-token"')} />
    <p>
      There your server answers with a token for the person who is signed in. It asks for one with an{" "}
      <a href="/account/api-keys">API key</a> that has the scope <code>panelists:write</code>. The key stays on the
      server.
    </p>
    <Copyable id="server" label="lines for your server" text={onServer(origin, ideaBank.id)} />
    <p>
      Or your server signs the token itself, without a call for each person. It reads the secret when it starts and once
      a day, with the same key, at <code>{`GET /tenant/ideabanks/${ideaBank.id}/signing-secret`}</code>.
    </p>
    <Copyable id="sign" label="lines that sign a token" text={signing(ideaBank.id)} />
    <p>
      If a token does not work, <a href="/account/tokens">try it</a>: the page says why.
    </p>
    <p class="hint">
      The same in any language: one POST, whose answer has the token, or a JSON Web Token with HS256. More is in the{" "}
      <a href="/reference">API reference</a>, and what the elements can do at <a href="/embed/">Elements</a>.
    </p>
  </Layout>
);

const inPage = (
  origin: string,
  token: string,
): string => `<script type="module" src="${origin}/embed/board.js"></script>
<script type="module" src="${origin}/embed/changelog.js"></script>
<idea-bank-board ${token}></idea-bank-board>
<idea-bank-changelog ${token}></idea-bank-changelog>`;

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
