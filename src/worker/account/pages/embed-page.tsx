/** `/account/idea-banks/{id}/embed`: the lines that put the idea bank into a website, ready to copy. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import { BankNav } from "./bank-nav.tsx";
import { Copyable } from "./copyable.tsx";
import { type Frame, Layout } from "./layout.tsx";

type Props = { readonly frame: Frame; readonly ideaBank: IdeaBank; readonly origin: string };

export const EmbedPage = ({ frame, ideaBank, origin }: Props) => (
  <Layout title={ideaBank.name} current="idea-banks" {...frame}>
    <BankNav id={ideaBank.id} current="embed" />
    {ideaBank.status !== "OPEN" && (
      <p class="notice">
        People see nothing of it yet: <a href={`/account/idea-banks/${ideaBank.id}/settings`}>open it</a> first.
      </p>
    )}
    <h2>1. In your page</h2>
    <p>The board shows the ideas, the changelog what is done. Take what you need.</p>
    <Copyable id="page" label="lines for your page" text={inPage(origin)} />
    <h2>2. On your server</h2>
    <p>
      At the address that the page names, it answers with a token for whoever is signed in there. It asks for one with
      an <a href="/account/api-keys">API key</a> that has the scope <code>panelists:write</code>. The key stays on the
      server.
    </p>
    <Copyable id="server" label="lines for your server" text={onServer(origin, ideaBank.id)} />
    <p class="hint">
      The same in any language: one POST, whose answer has the token. More is in the{" "}
      <a href="/reference">API reference</a>, and what the elements can do at <a href="/embed/">Elements</a>.
    </p>
  </Layout>
);

const inPage = (origin: string): string => `<script type="module" src="${origin}/embed/board.js"></script>
<script type="module" src="${origin}/embed/changelog.js"></script>
<idea-bank-board token-url="/idea-bank-token"></idea-bank-board>
<idea-bank-changelog token-url="/idea-bank-token"></idea-bank-changelog>`;

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
