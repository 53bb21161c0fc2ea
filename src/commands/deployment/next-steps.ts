/** The steps that remain for a person after a deployment. */
import type { Account } from "./account.ts";
import type { Configuration } from "./configuration.ts";

type Deployment = { readonly origin: string; readonly account: Account; readonly configuration: Configuration };

export function afterDeploy({ origin, account, configuration }: Deployment): string {
  const { hostname } = new URL(origin);
  const isNew = [...configuration.databases, ...configuration.namespaces].some(({ id }) => id === undefined);
  const commit = isNew ? ["Commit wrangler.toml: it has the ids of what was created.", ""] : [];
  if (configuration.variables.ACCESS_AUD) return ["", ...commit, `Done: ${origin}/account/api-keys`].join("\n");
  return [
    "",
    ...commit,
    "Account Settings stays closed until your account owners can sign in. There are two ways, and you can use both:",
    "- Your platform's own server signs them in. It needs the secret OPERATOR_SECRET.",
    '  How: docs/operations.md, "Sign-in through your platform"',
    "- Cloudflare Access:",
    `  1. Add a self-hosted application for ${hostname}, path account: https://one.dash.cloudflare.com/${account.id}/access/apps`,
    "     and a policy that lets your account owners in.",
    "  2. Copy its audience tag (AUD) into ACCESS_AUD in wrangler.toml, and run this command again.",
    "  How: https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/",
    `Then sign in: ${origin}/account/api-keys`,
  ].join("\n");
}
