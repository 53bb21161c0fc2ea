/**
 * `/account/tokens`: a token is pasted, and the page says whether it is good, and why not. The token is in the form's body alone, and is
 * not kept.
 */
import { loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { introspect } from "../../database/tokens/introspection.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Introspection } from "../../model/introspection.ts";
import { openOwn } from "../account-databases.ts";
import { Fact } from "../frame/fact.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";

export const TOKENS = "/account/tokens";

/** `ideaBank` is that of a good token. */
type Tried = Introspection & { readonly isApiKey: boolean; readonly ideaBank: IdeaBank | null };

export const TRY_TOKEN_PAGE = page({
  path: TOKENS,
  needs: "admin",
  load: (): { readonly tried?: Tried } => ({}),

  view: ({ tried }) => (
    <Layout title="Try a token" current="tokens">
      <p>Token not working? Paste it here to see why: one you issued, a visitor token, or one your server signed.</p>
      {tried && <Result {...tried} />}
      <form method="post" action={TOKENS} class="create">
        <div class="field">
          <label for="token">Token</label>
          <textarea
            id="token"
            name="token"
            rows={4}
            required
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="token-hint"
          />
          <p id="token-hint" class="hint">
            Not stored, not logged. To check tokens from code, use <code>POST /tenant/tokens/introspect</code>.
          </p>
        </div>
        <button type="submit" class="primary">
          Check token
        </button>
      </form>
    </Layout>
  ),

  act: async (c) => {
    const pasted = (await readForm(c)).get("token") ?? "";
    const token = pasted.trim().replace(/^(Authorization: *)?(Bearer +)?/i, "");
    const { session, accountId } = await openOwn(c);
    const now = Date.now();
    const result = await introspect(session, { accountId, token, keys: c.get("settings").signingKeys, now });
    const { ideaBankId } = result;
    const ideaBank = ideaBankId === undefined ? null : await loadIdeaBank(session, accountId, ideaBankId);
    return { tried: { ...result, isApiKey: token.startsWith("ibk_"), ideaBank } };
  },
});

const Result = ({ active, ...tried }: Tried) => {
  const { reason, errors = [], detail, isApiKey, ideaBank, externalId, panelistId, issuedAt, expiresAt } = tried;
  if (!active) {
    const { title, help } = REFUSALS[isApiKey ? "key" : (reason ?? "other")];
    return (
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        <p>
          <strong>{title}</strong>
        </p>
        {detail && <p>{detail}</p>}
        {errors.length > 0 && (
          <ul>
            {errors.map(({ path, message }) => (
              <li>
                {path === "" ? "The claims" : <code>{path}</code>} {message}.
              </li>
            ))}
          </ul>
        )}
        <p>{help}</p>
      </div>
    );
  }
  return (
    <>
      <div class="notice" role="status" tabindex={-1} autofocus>
        <p>
          <strong>This token works.</strong>
          {ideaBank?.status !== "OPEN" && " Its board isn’t open yet, so it shows nothing."}
        </p>
      </div>
      <dl>
        <Fact name="Board">
          {ideaBank && (
            <a href={`/account/idea-banks/${ideaBank.id}`}>
              <bdi>{ideaBank.name}</bdi>
            </a>
          )}
        </Fact>
        <Fact name="For">{panelistId === null ? "Visitors (read only)" : <code>{externalId ?? panelistId}</code>}</Fact>
        <Fact name="Issued">{issuedAt && <Time at={issuedAt} />}</Fact>
        <Fact name="Expires">{expiresAt && <Time at={expiresAt} />}</Fact>
      </dl>
    </>
  );
};

const REFUSALS = {
  expired: {
    title: "This token has expired.",
    help: "Get a new one. If your server just signed it, check the server’s clock.",
  },
  revoked: {
    title: "This token was revoked.",
    help:
      "Someone revoked this person’s tokens, blocked or deleted the person, or rotated the secret that signed it. For a visitor token: all of " +
      "the board’s visitor tokens were revoked.",
  },
  signature: {
    title: "Its signature is wrong.",
    help:
      "It was cut off, changed, or signed with another secret. Sign with HS256, use the whole “secret” including “ibs_” as the key, and " +
      "put the “kid” that came with it into the header.",
  },
  claims: {
    title: "A claim is missing or wrong.",
    help:
      "“iss” is the board’s ID, “sub” the person’s ID in your system, “iat” and “exp” are whole seconds, at most an hour apart. “iat” and " +
      "“nbf” can’t be in the future (check your server’s clock). “aud”, if present, is the board’s ID.",
  },
  key: {
    title: "This is an API key, not a token.",
    help: "It belongs in the header “X-API-Key”, on your server only. The API keys page shows whether it works.",
  },
  other: {
    title: "This token isn’t for one of your boards.",
    help: "Check that you copied all of it, and that the board belongs to this account.",
  },
};
