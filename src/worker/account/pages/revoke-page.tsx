/** The confirmation before a key is revoked: which one, and whether anything still uses it. */
import type { ApiKey } from "../../model/account.ts";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";

export const RevokePage = ({ frame, apiKey, now }: { frame: Frame; apiKey: ApiKey; now: number }) => (
  <Layout title={`Revoke “${apiKey.name}”?`} current="api-keys" {...frame}>
    <p>
      <code>{`ibk_${apiKey.id}…${apiKey.lastFour}`}</code>
      {apiKey.lastUsedAt ? " was last used " : " was never used."}
      {apiKey.lastUsedAt && <Time at={apiKey.lastUsedAt} now={now} />}
    </p>
    <p>
      Revoking takes a second. When it is done, everything that uses this key has stopped working. It cannot be undone.
    </p>
    <form method="post" action={`/account/api-keys/${apiKey.id}/revoke`} class="confirm">
      <button type="submit" class="danger">
        Revoke this key
      </button>
      <a href="/account/api-keys">Keep it</a>
    </form>
  </Layout>
);
