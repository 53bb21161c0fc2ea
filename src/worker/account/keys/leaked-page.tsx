/** `/account/api-keys/{id}/leaked`: the steps after a key has leaked, each ticked when it is so. */
import type { Child } from "hono/jsx";
import { listApiKeys } from "../../database/keys/account-keys.ts";
import type { ApiKey } from "../../model/account-key.ts";
import { toTimestamp } from "../../model/text.ts";
import { visitAccount } from "../account-databases.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { lastEndOfTokens } from "../tokens/api.ts";
import { API_KEYS, loadKeyUse } from "./actions.ts";

export const LEAKED_KEY_PAGE = page({
  path: `${API_KEYS}/:apiKeyId/leaked`,
  needs: "admin",

  /** `successor`: the oldest key that was created since this one ended. */
  load: async (c) => {
    const [{ apiKey, isCurrent }, { keys }, tokensEndedAt] = await Promise.all([
      loadKeyUse(c, c.req.param("apiKeyId")),
      visitAccount(c, listApiKeys),
      lastEndOfTokens(c),
    ]);
    const endedAt = endOf(apiKey);
    const successor = keys.findLast(
      ({ state, createdAt }) => state === "active" && endedAt !== null && Date.parse(createdAt) >= endedAt,
    );
    return { apiKey, isCurrent, endedAt, tokensEndedAt, successor };
  },

  view: ({ apiKey, isCurrent, endedAt, tokensEndedAt, successor }) => {
    const { id, name, lastFour, lastUsedAt, scopes } = apiKey;
    const here = `${API_KEYS}/${id}/leaked`;
    // A key that works can issue new tokens, so only an end after its own counts.
    const areTokensEnded = endedAt !== null && tokensEndedAt !== null && tokensEndedAt >= endedAt;
    return (
      <Layout title={`“${name}” leaked`} part="API keys" current="api-keys">
        <p class="lead">
          <code>{`ibk_${id}…${lastFour}`}</code>
          {lastUsedAt ? " was last used " : " was never used."}
          {lastUsedAt && <Time at={lastUsedAt} />}
          {lastUsedAt && !isCurrent && ", or later"}
        </p>
        <ol class="steps">
          <Step title="1. Revoke the key" isDone={endedAt !== null}>
            {endedAt === null ? (
              <>
                <p class="hint">
                  It stops working at once, for whoever found it and for everything of yours that uses it.
                </p>
                <form method="post" action={`${API_KEYS}/${id}/revoke?back=${here}`}>
                  <button type="submit" class="danger">
                    Revoke key
                  </button>
                </form>
              </>
            ) : (
              <p class="hint">
                {`${apiKey.state === "revoked" ? "Revoked" : "Expired"} `}
                <Time at={toTimestamp(endedAt)} />
              </p>
            )}
          </Step>
          <Step title="2. End all tokens" isDone={areTokensEnded}>
            {areTokensEnded ? (
              <p class="hint">
                {"Ended "}
                <Time at={toTimestamp(tokensEndedAt)} />. Put the new code of each{" "}
                <a href="/account/idea-banks">board</a> on your site, and have your servers read the signing secret
                again.
              </p>
            ) : (
              <>
                <p class="hint">
                  {scopes.includes("panelists:write")
                    ? "This key could issue tokens and read signing secrets, so revoking it isn’t enough. Ending all tokens signs everyone out of your boards. Pages and servers then need new tokens."
                    : "This key’s scopes can’t issue tokens. Skip this step unless they were wider before."}
                </p>
                <form method="post" action={`/account/tokens/end?back=${here}`}>
                  <button type="submit" class={scopes.includes("panelists:write") ? "danger" : undefined}>
                    End all tokens
                  </button>
                </form>
                {endedAt === null && scopes.includes("panelists:write") && (
                  <p class="hint">Revoke the key first: until then it can issue new ones.</p>
                )}
              </>
            )}
          </Step>
          <Step title="3. Create a new key" isDone={successor !== undefined}>
            {successor ? (
              <p class="hint">
                <a href={`${API_KEYS}/${successor.id}`}>{successor.name}</a>
                {" was created "}
                <Time at={successor.createdAt} />
              </p>
            ) : (
              <>
                <p class="hint">With the same name, scopes, limits and expiry. Put it where the old one was.</p>
                <a class="button" href={`${API_KEYS}/new?like=${id}`}>
                  Create new key
                </a>
              </>
            )}
          </Step>
        </ol>
        {endedAt === null && (
          <>
            <h2>Rotate or revoke?</h2>
            <p>
              If you’re unsure, revoke it. Rotating here also stops the leaked secret at once. It keeps the key’s ID,
              settings and usage, and replaces steps 1 and 3.
            </p>
            <form method="post" action={`${API_KEYS}/${id}/rotate`}>
              <input type="hidden" name="lastFour" value={lastFour} />
              <input type="hidden" name="graceSeconds" value="0" />
              <button type="submit">Rotate now</button>
            </form>
          </>
        )}
      </Layout>
    );
  },
});

/** When the key stopped working; null while it works. */
const endOf = ({ state, revokedAt, expiresAt }: ApiKey): number | null =>
  state === "active" ? null : Date.parse(revokedAt ?? expiresAt ?? "");

const Step = ({ title, isDone, children }: { title: string; isDone: boolean; children?: Child }) => (
  <li class={isDone ? "done" : undefined}>
    <span class="tick" aria-hidden="true">
      {isDone ? "✓" : ""}
    </span>
    <div>
      <h2>
        {title}
        {isDone && <span class="unseen"> (done)</span>}
      </h2>
      {children}
    </div>
  </li>
);
