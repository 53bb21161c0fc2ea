/** The one page that shows a key, in the answer to the POST that made it: it has no URL, and the key is not stored. */

import { Copyable } from "../frame/copyable.tsx";
import { Layout } from "../frame/layout.tsx";
import { exactTime } from "../frame/times.tsx";
import type { ShownKey } from "./actions.ts";

type Props = { readonly shown: ShownKey; readonly rotated: boolean; readonly origin: string };

export const ShownKeyPage = ({ shown: { apiKey, key, warning }, rotated, origin }: Props) => (
  <Layout title={rotated ? "Your key’s new secret" : "Your new API key"} current="api-keys">
    <p class="notice good" role="status">
      <strong>{apiKey.name}</strong>
      {rotated ? " has a new secret. " : " was created. "}
      Copy the key now. You won’t see it again.
    </p>
    <Copyable id="key" label="API key" text={key} />
    {rotated && (
      <p>
        {apiKey.previous
          ? `The old secret keeps working until ${exactTime(apiKey.previous.expiresAt)}.`
          : "The old secret has stopped working."}
      </p>
    )}
    {warning && (
      <p class="notice bad" role="alert">
        {warning}
      </p>
    )}
    {rotated && !apiKey.previous && apiKey.scopes.includes("panelists:write") && (
      <p>
        If the old secret leaked, also <a href="/account/tokens/end">end all tokens</a>: those it issued still work.
      </p>
    )}
    <TryKey origin={origin} />
    <p>
      <a href="/account/api-keys">I’ve copied it. Back to API keys</a>
    </p>
  </Layout>
);

/** The command names the key by a variable, so that it leaves no key in the shell's history. */
export const TryKey = ({ origin }: { readonly origin: string }) => (
  <>
    <h2>Check that the key works</h2>
    <p>
      Set <code>API_KEY</code> to the key, then run this. If the key is refused, the answer says why.
    </p>
    <Copyable id="curl" label="curl command" text={`curl ${origin}/tenant/whoami -H "X-API-Key: $API_KEY"`} />
  </>
);
