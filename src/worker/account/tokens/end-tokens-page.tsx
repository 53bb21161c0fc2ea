/** `/account/tokens/end`: what ending all tokens of the account does, and the button that does it. */
import { toTimestamp } from "../../model/text.ts";
import { ConfirmForm } from "../frame/confirm.tsx";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import { Time } from "../frame/times.tsx";
import { ownPage } from "../frame/visit.ts";
import { endTokens, lastEndOfTokens } from "./api.ts";
import { TOKENS } from "./try-page.tsx";

const END = `${TOKENS}/end`;

/** The page that follows the form says that it was done. */
const JUST_NOW_MS = 60_000;

export const END_TOKENS_PAGE = page({
  path: END,
  needs: "admin",
  load: async (c) => ({ endedAt: await lastEndOfTokens(c), isDone: c.req.query("done") !== undefined }),

  view: ({ endedAt, isDone }) =>
    isDone && endedAt !== null && useFrame().now - endedAt < JUST_NOW_MS ? (
      <Layout title="All tokens ended" current="tokens">
        <Success>All tokens ended. They stop working everywhere within 11 seconds.</Success>
        <h2>What to do now</h2>
        <ul>
          <li>Copy the code from Embed again for each page that shows a board to everyone.</li>
          <li>Have each server that signs tokens read the signing secret again.</li>
        </ul>
        <p>
          <a href="/account/api-keys">Back to API keys</a>
        </p>
      </Layout>
    ) : (
      <Layout title="End all tokens?" current="tokens">
        <p class="lead">
          Do this when an API key or a signing secret has leaked. Revoking a key doesn’t end the tokens it issued, or
          those signed with a secret it has read.
        </p>
        <ul>
          <li>Everyone who uses your boards has to sign in again.</li>
          <li>Pages that show a board to everyone need a new visitor token.</li>
          <li>Servers that sign tokens must read the signing secret again. Older secrets stop working at once.</li>
          <li>
            API keys stay as they are. <a href="/account/api-keys">Revoke a leaked one</a> first: it can issue new
            tokens.
          </li>
        </ul>
        <p>Takes effect everywhere within 11 seconds. You can’t undo this.</p>
        {endedAt !== null && (
          <p class="hint">
            Last done <Time at={toTimestamp(endedAt)} />.
          </p>
        )}
        <ConfirmForm action={END} label="End all tokens" cancel="/account/api-keys" />
      </Layout>
    ),

  act: async (c) => {
    await endTokens(c);
    return c.redirect(ownPage(c.req.query("back") ?? null, `${END}?done`), 303);
  },
});
