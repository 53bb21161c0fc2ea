/** What an isolate remembers from one request to the next. Values only, never promises: those belong to their request. */
import { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { Changelogs } from "../changelog/changelogs.ts";
import { verifyApiKey } from "../credentials/api-key.ts";
import { verifyToken } from "../credentials/compound-token.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { createSettingsReader } from "../settings.ts";

/** An empty memory, as a new isolate has. */
export const createIsolateMemory = () => ({
  readSettings: createSettingsReader(),
  apiKeys: new VerifiedCredentials(verifyApiKey),
  tokens: new VerifiedCredentials(verifyToken),
  gatekeeper: new Gatekeeper(),
  snapshots: new IdeaBankSnapshots(),
  changelogs: new Changelogs(),
});

export type IsolateMemory = Readonly<ReturnType<typeof createIsolateMemory>>;
