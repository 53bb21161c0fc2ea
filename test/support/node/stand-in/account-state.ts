import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `secrets`: those of the version. The empty Worker has no `vars`. */
export type Deployment = {
  version: string;
  vars: Record<string, string> | undefined;
  secrets: Record<string, string>;
  message?: string;
};

/** What the stand-in for wrangler keeps between its calls. */
export type AccountState = {
  calls: { args: string[]; account?: string | undefined }[];
  /** Starts of calls that fail, once each. With "!" at the end it fails after it has done its work. */
  failures: string[];
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  databases: { uuid: string; name: string; location: string }[];
  namespaces: { id: string; title: string }[];
  workers: Record<string, { secrets: Record<string, string>; deployments: Deployment[] }>;
  /** What `wrangler deploy` names as its addresses. */
  targets: string[];
};

const fileIn = (folder: string) => join(folder, "state.json");

export const readState = (folder: string): AccountState => JSON.parse(readFileSync(fileIn(folder), "utf8"));

export const writeState = (folder: string, state: AccountState): void =>
  writeFileSync(fileIn(folder), JSON.stringify(state));
