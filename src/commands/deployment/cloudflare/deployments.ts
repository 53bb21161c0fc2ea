/** The deployments of a Worker, and the version of each. */
import type { Wrangler } from "./wrangler.ts";

export type Deployment = {
  readonly created_on: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
};

type Version = {
  readonly resources: { readonly bindings: readonly { type: string; name: string; text?: string }[] };
};

/** The last ten, newest first. Throws a Failure for a Worker that does not exist. */
export async function listDeployments(wrangler: Wrangler): Promise<Deployment[]> {
  const deployments = await wrangler.json<Deployment[]>(["deployments", "list", "--json"]);
  return deployments.toSorted((a, b) => b.created_on.localeCompare(a.created_on));
}

export const viewVersion = (wrangler: Wrangler, version: string): Promise<Version> =>
  wrangler.json<Version>(["versions", "view", version, "--json"]);

/** The newest version that had all requests. */
export const stableOf = (deployments: readonly Deployment[]): string | undefined =>
  deployments.flatMap(({ versions }) => versions).find(({ percentage }) => percentage === 100)?.version_id;

/**
 * The slot that a version signs with. Undefined for the empty Worker that `wrangler secret put` makes where there is none: it has
 * secrets and nothing else.
 */
export function signerOf({ resources: { bindings } }: Version): string | undefined {
  if (bindings.every(({ type }) => type === "secret_text")) return undefined;
  return bindings.find(({ name }) => name === "SIGNING_SECRETS")?.text ?? "CREDENTIAL_SECRETS";
}

/** `version`: the newest that had all requests. `signers`: the slots that sign now, several in a gradual deployment. */
export type Live = { readonly version: string | undefined; readonly signers: readonly string[] };

/** Without signers when the Worker exists and was never deployed. */
export async function readLive(wrangler: Wrangler): Promise<Live> {
  const deployments = await listDeployments(wrangler);
  const signers: string[] = [];
  for (const { version_id } of deployments[0]?.versions ?? []) {
    const signer = signerOf(await viewVersion(wrangler, version_id));
    if (signer !== undefined) signers.push(signer);
  }
  return { version: signers.length === 0 ? undefined : stableOf(deployments), signers };
}
