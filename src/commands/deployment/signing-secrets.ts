/** The signing secrets of a deployment: written, never read. Cloudflare does not show a secret again, and nobody needs to see one. */
import { randomBytes } from "node:crypto";
import { Failure } from "../command-line/failure.ts";
import { messageOf, type Wrangler } from "./wrangler.ts";

/** 256 random bits. Exists in this process's memory only, on its way to Cloudflare. */
const createSecret = () => randomBytes(32).toString("hex");

/** The names of the Worker's secrets. A Worker that does not exist has none. */
export async function listSecrets(wrangler: Wrangler): Promise<readonly string[]> {
  const result = await wrangler.try(["secret", "list", "--format", "json"]);
  const message = messageOf(result);
  if (!result.ok && /^.*Worker .* not found\.?$/m.test(message)) return [];
  if (!result.ok) throw new Failure(`\`wrangler secret list\` failed:\n${message}`);
  const secrets: { name: string }[] = JSON.parse(result.stdout.slice(result.stdout.indexOf("[")));
  return secrets.map(({ name }) => name);
}

/** Sets a new random secret. It goes through standard input: not on a command line, not in a file, not on the screen. */
export async function putNewSecret(wrangler: Wrangler, name: string): Promise<void> {
  await wrangler.run(["secret", "put", name], { input: createSecret() });
}
