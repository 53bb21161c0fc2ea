/**
 * Writes the signing secrets of a deployment. They are never read: Cloudflare does not show a secret again, and nobody needs to
 * see one.
 */
import { randomBytes } from "node:crypto";
import { Failure } from "../../command-line/failure.ts";
import { CONFIGURATION } from "../cloudflare/configuration.ts";
import { type Live, readLive } from "../cloudflare/deployments.ts";
import { messageOf, type Wrangler } from "../cloudflare/wrangler.ts";
import type { Rotation } from "./rotation.ts";

/** 256 random bits. Exists in this process's memory only, on its way to Cloudflare. */
const createSecret = () => randomBytes(32).toString("hex");

/** Required, whichever slot signs. */
const FIRST = "CREDENTIAL_SECRETS";

const NEVER: Live = { version: undefined, signers: [] };

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

/**
 * Throws a Failure when a version signs with another slot than wrangler.toml says: the checkout is older than the last rotation. It
 * would overwrite the slot that signs, or make a secret that leaked sign again. While a rotation is deployed, both are right.
 */
export function requireSameSlot(signers: readonly string[], { slot, stage }: Rotation): void {
  const another = signers.find((one) => one !== slot);
  if (another === undefined || stage === "deploying") return;
  throw new Failure(
    `The deployed version signs with ${another}, and ${CONFIGURATION} says ${slot}: it is older than the last rotation.\n` +
      `Pull the change to ${CONFIGURATION} that the rotation made, and run this again. If that change is lost: SIGNING_SECRETS = "${another}".`,
  );
}

/** `made`: the secrets that were missing. `before`: the version that was live, if the Worker was ever deployed. */
type Ensured = { readonly made: readonly string[]; readonly before: string | undefined };

/**
 * The signing secrets that a deployment needs. Makes those of the first one. Throws a Failure when the slot that signs is missing later,
 * or is not the one that signs now.
 */
export async function ensureSigningSecrets(wrangler: Wrangler, rotation: Rotation): Promise<Ensured> {
  const secrets = (await listSecrets(wrangler)).filter((name) => name.startsWith(FIRST));
  // A Worker without one was never deployed, and may not exist.
  const { version: before, signers } = secrets.length === 0 ? NEVER : await readLive(wrangler);
  requireSameSlot(signers, rotation);
  const missing = [...new Set([FIRST, rotation.slot])].filter((name) => !secrets.includes(name));
  if (signers.length > 0) {
    if (!missing.includes(rotation.slot)) return { made: [], before };
    throw new Failure(
      `SIGNING_SECRETS in ${CONFIGURATION} names ${rotation.slot}, and the Worker has no secret of that name: ${secrets.join(", ")}.`,
    );
  }
  for (const name of missing) await putNewSecret(wrangler, name);
  return { made: missing, before };
}
