/** `/account/api-keys/{id}/revoke`: asks before a key is revoked. It names the key, and tells whether it is still in use. */
import { ConfirmForm } from "../frame/confirm.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { ownPage } from "../frame/visit.ts";
import { API_KEYS, loadKeyUse, revokeKey } from "./actions.ts";

export const REVOKE_KEY_PAGE = page({
  path: `${API_KEYS}/:apiKeyId/revoke`,
  needs: "admin",
  load: async (c) => loadKeyUse(c, c.req.param("apiKeyId")),

  view: ({ apiKey, isCurrent }) => (
    <Layout title={`Revoke “${apiKey.name}”?`} current="api-keys">
      <p>
        <code>{`ibk_${apiKey.id}…${apiKey.lastFour}`}</code>
        {apiKey.lastUsedAt ? " was last used " : " was never used."}
        {apiKey.lastUsedAt && <Time at={apiKey.lastUsedAt} />}
        {apiKey.lastUsedAt && !isCurrent && ", or later"}
      </p>
      <p>Everything that uses this key stops working at once. This can’t be undone.</p>
      {apiKey.scopes.includes("panelists:write") && (
        <p>
          Tokens it issued keep working, and so do those signed with a secret it has read.{" "}
          <a href={`${API_KEYS}/${apiKey.id}/leaked`}>Did it leak?</a>
        </p>
      )}
      <ConfirmForm action={`${API_KEYS}/${apiKey.id}/revoke`} label="Revoke key" cancel={API_KEYS} />
    </Layout>
  ),

  act: async (c) => {
    const { id } = await revokeKey(c, c.req.param("apiKeyId"));
    return c.redirect(ownPage(c.req.query("back") ?? null, `${API_KEYS}?done=revoked&key=${id}`), 303);
  },
});
