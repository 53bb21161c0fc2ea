/** `/account/tokens/end`: what ending all tokens does, and the button that does it. */
import { toTimestamp } from "../../model/text.ts";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";

/** The page that follows the form says that it was done. */
const JUST_NOW_MS = 60_000;

type Props = {
  readonly frame: Frame;
  /** When it was last done, in Unix milliseconds. */
  readonly endedAt: number | null;
  /** The form was sent: the page is about its result. */
  readonly isDone: boolean;
  readonly now: number;
};

export const EndTokensPage = ({ frame, endedAt, isDone, now }: Props) =>
  isDone && endedAt !== null && now - endedAt < JUST_NOW_MS ? (
    <Layout title="All tokens ended" current="tokens" {...frame}>
      <p class="notice good" role="status" tabindex={-1} autofocus data-done>
        All tokens ended. They stop working everywhere within 11 seconds.
      </p>
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
    <Layout title="End all tokens?" current="tokens" {...frame}>
      <p class="lead">
        Do this when an API key or a signing secret has leaked. Revoking a key doesn’t end the tokens it issued, or
        those signed with a secret it has read.
      </p>
      <ul>
        <li>Everyone who uses your boards has to sign in again.</li>
        <li>Pages that show a board to everyone need a new visitor token.</li>
        <li>Servers that sign tokens must read the signing secret again. Older secrets stop working at once.</li>
        <li>
          API keys stay as they are. <a href="/account/api-keys">Revoke a leaked one</a> first: it can issue new tokens.
        </li>
      </ul>
      <p>Takes effect everywhere within 11 seconds. You can’t undo this.</p>
      {endedAt !== null && (
        <p class="hint">
          Last done <Time at={toTimestamp(endedAt)} now={now} />.
        </p>
      )}
      <form method="post" action="/account/tokens/end" class="confirm">
        <button type="submit" class="danger">
          End all tokens
        </button>
        <a href="/account/api-keys">Cancel</a>
      </form>
    </Layout>
  );
