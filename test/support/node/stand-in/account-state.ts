/** What the stand-in for wrangler keeps between its calls. */
export type AccountState = {
  calls: { args: string[]; account?: string | undefined }[];
  /** Starts of calls that fail, once each. With "!" at the end it fails after it has done its work. */
  failures: string[];
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  databases: { uuid: string; name: string; location: string }[];
  namespaces: { id: string; title: string }[];
  workers: Record<string, { secrets: Record<string, string>; deployments: { version: string; vars: unknown }[] }>;
  /** What `wrangler deploy` names as its addresses. */
  targets: string[];
};
