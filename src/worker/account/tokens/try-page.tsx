/** `/account/tokens`: a token is pasted, and the page says whether it is good, and why not. */
import type { IdeaBank } from "../../model/idea-bank.ts";
import type { Introspection } from "../../model/introspection.ts";
import { Fact } from "../frame/fact.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";

/** `ideaBank` is that of a good token. `now` is in Unix milliseconds. */
type Tried = Introspection & { readonly isApiKey: boolean; readonly ideaBank: IdeaBank | null; readonly now: number };

type Props = { readonly frame: Frame; readonly tried: Tried | undefined };

export const TokenPage = ({ frame, tried }: Props) => (
  <Layout title="Try a token" current="tokens" {...frame}>
    <p>
      Does a token not work? Paste it here. It may be one of this API, a visitor’s, or one that your own server has
      signed.
    </p>
    {tried && <Result {...tried} />}
    <form method="post" action="/account/tokens" class="create">
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
          Only looked at: it is neither stored nor logged. To have your program ask, send it to{" "}
          <code>POST /tenant/tokens/introspect</code>.
        </p>
      </div>
      <button type="submit" class="primary">
        Try it
      </button>
    </form>
  </Layout>
);

const Result = ({ active, ...tried }: Tried) => {
  const { reason, errors = [], isApiKey, ideaBank, externalId, panelistId, issuedAt, expiresAt, now } = tried;
  if (!active) {
    const { title, help } = REFUSALS[isApiKey ? "key" : (reason ?? "other")];
    return (
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        <p>
          <strong>{title}</strong>
        </p>
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
          <strong>This token is good.</strong>
          {ideaBank?.status !== "OPEN" && " But its idea bank is not open, so it shows nothing yet."}
        </p>
      </div>
      <dl>
        <Fact name="Idea bank">
          {ideaBank && (
            <a href={`/account/idea-banks/${ideaBank.id}`}>
              <bdi>{ideaBank.name}</bdi>
            </a>
          )}
        </Fact>
        <Fact name="For">
          {panelistId === null ? "Visitors: it only reads" : <code>{externalId ?? panelistId}</code>}
        </Fact>
        <Fact name="Issued">{issuedAt && <Time at={issuedAt} now={now} />}</Fact>
        <Fact name="Expires">{expiresAt && <Time at={expiresAt} now={now} />}</Fact>
      </dl>
    </>
  );
};

const REFUSALS = {
  expired: {
    title: "This token has expired.",
    help: "Get a new one, or sign one. If your server has just signed it, the server’s clock is wrong.",
  },
  revoked: {
    title: "This token was revoked.",
    help:
      "The person’s tokens were ended, the person is blocked or deleted, or the secret that signed it was rotated. A visitor’s: all " +
      "visitors’ tokens were ended.",
  },
  signature: {
    title: "Its signature is wrong.",
    help:
      "It was cut off, changed, or signed with another secret. Your server signs with HS256. The key is the whole text of “secret”, with " +
      "“ibs_”, and “kid” in the header is the one that came with it.",
  },
  claims: {
    title: "A claim is missing, or breaks its rule.",
    help:
      "“iss” is the idea bank’s identifier, “sub” your own id of the person, “iat” and “exp” are whole seconds, at most an hour apart. " +
      "“iat” and “nbf” are not in the future: your server’s clock may be ahead. “aud”, if there is one, names the idea bank.",
  },
  key: {
    title: "This is an API key, not a token.",
    help: "It goes into the header “X-API-Key”, and stays on your server. The page “API keys” says whether it works.",
  },
  other: {
    title: "This is no token of your idea banks.",
    help: "It names none of them. Was all of it copied, and does the idea bank belong to this account?",
  },
};
