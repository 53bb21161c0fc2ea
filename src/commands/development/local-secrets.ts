/** `.dev.vars`: the developer's own secrets, created once, ignored by git, read by wrangler. */
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { Failure } from "../command-line/failure.ts";

const FILE = ".dev.vars";
/** The Worker refuses a shorter one. */
const MIN_LENGTH = 32;

/** The signing secrets of this machine, newest first; creates one if there is none and keeps the rest of the file. */
export async function localCredentialSecrets(folder = "."): Promise<[string, ...string[]]> {
  const [newest, ...older] = (await keepSecret(folder, "CREDENTIAL_SECRETS")).split(",").map((secret) => secret.trim());
  return [newest ?? "", ...older];
}

/** The secret of this machine's operator; creates it if there is none. `npm run account` sends it. */
export const localOperatorSecret = (folder: string): Promise<string> => keepSecret(folder, "OPERATOR_SECRET");

/** Throws a Failure for a secret that the Worker would refuse: every request would be answered with 500. */
function requireLong(name: string, secrets: string): string {
  if (secrets.split(",").every((secret) => secret.trim().length >= MIN_LENGTH)) return secrets;
  throw new Failure(
    `${name} in ${FILE} is wrong: each secret must have at least ${MIN_LENGTH} characters. Remove its line from ${FILE}: ` +
      "`npm run dev` then makes a secret there.",
  );
}

async function keepSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, FILE);
  const text = await readFile(file, "utf8").catch(() => "");
  const known = parseEnv(text)[name];
  if (known) return requireLong(name, known);
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await appendFile(file, `${separator}${name}="${secret}"\n`, { mode: 0o600 });
  return secret;
}
