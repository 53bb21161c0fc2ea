/** `.dev.vars`: the developer's own secrets, created once, ignored by git, read by wrangler. */
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

const FILE = ".dev.vars";

/** The signing secrets of this machine, newest first; creates one if there is none and keeps the rest of the file. */
export async function localCredentialSecrets(folder = "."): Promise<[string, ...string[]]> {
  const file = join(folder, FILE);
  const text = await readFile(file, "utf8").catch(() => "");
  const [newest, ...older] =
    parseEnv(text)
      .CREDENTIAL_SECRETS?.split(",")
      .map((secret) => secret.trim()) ?? [];
  if (newest) return [newest, ...older];
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await appendFile(file, `${separator}CREDENTIAL_SECRETS="${secret}"\n`, { mode: 0o600 });
  return [secret];
}
