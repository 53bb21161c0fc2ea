/**
 * `npm run rotate-secret`: a new signing secret, while requests go on. No secret is read, shown or kept on this machine.
 *
 * 1. The slot that does not sign gets a new random secret. Every isolate verifies with it; none signs with it.
 * 2. A wait, until every location has it.
 * 3. SIGNING_SECRETS names that slot, and the Worker is deployed. The old slot goes on verifying what it signed.
 *
 * `--end-old` ends what the old slot signed: the slot gets a random secret that signed nothing. Either refuses while the old slot is
 * needed; `--now` does it all the same.
 */
import { setTimeout } from "node:timers/promises";
import { chooseAccount } from "./account.ts";
import { commandLine, readArguments, secondsOf } from "./arguments.ts";
import { readConfiguration } from "./configuration.ts";
import { deployWorker } from "./deployed-version.ts";
import { Failure, runCommand } from "./failure.ts";
import { describeNeed, isNeeded, type Need, otherSlot, readNeed, readRotation, writeRotation } from "./rotation.ts";
import { listSecrets, putNewSecret } from "./signing-secrets.ts";
import { Wrangler } from "./wrangler.ts";

const USAGE = "npm run rotate-secret -- [--end-old] [--now] [--wait 120] [--env staging]";
/** Cloudflare deploys to every location in seconds. */
const PROPAGATION_SECONDS = 120;

await runCommand(async () => {
  const { values: options } = readArguments(USAGE, {
    options: {
      env: { type: "string", default: "" },
      wait: { type: "string", default: String(PROPAGATION_SECONDS) },
      "end-old": { type: "boolean", default: false },
      now: { type: "boolean", default: false },
    },
  });
  const seconds = secondsOf("--wait", options.wait);
  const wrangler = new Wrangler(options.env);
  const { accountId, databases } = await readConfiguration(options.env);
  const bindings = databases.map(({ binding }) => binding);
  const rotation = await readRotation(options.env);
  wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
  const secrets = await listSecrets(wrangler);
  if (!secrets.includes(rotation.slot)) {
    throw new Failure(
      `The Worker has no secret ${rotation.slot}. Run \`${commandLine("deploy", options.env)}\` first.`,
    );
  }
  const old = otherSlot(rotation.slot);

  if (options["end-old"]) {
    if (!secrets.includes(old)) return console.log(`Nothing to end: ${old} has never been set.`);
    await refuseWhileNeeded("End");
    await putNewSecret(wrangler, old);
    await writeRotation(options.env, { ...rotation, stage: "ended" });
    return console.log(`What ${old} signed is no longer valid.`);
  }

  if (rotation.stage !== "deploying") {
    if (rotation.stage === "done" && secrets.includes(old)) await refuseWhileNeeded("Rotate again, which ends");
    await writeRotation(options.env, { ...rotation, stage: "setting" });
    await putNewSecret(wrangler, old);
    console.log(`${old} has a new secret. Waiting ${seconds} seconds, until every location has it.`);
    await setTimeout(seconds * 1_000);
  }
  const slot = rotation.stage === "deploying" ? rotation.slot : old;
  await writeRotation(options.env, { slot, since: undefined, stage: "deploying" });
  await deployWorker(wrangler);
  const since = Date.now();
  await writeRotation(options.env, { slot, since, stage: "done" });
  const need = await readNeed(wrangler, bindings, since, since);
  console.log(`
${slot} signs now. Commit wrangler.toml: it says so.
${otherSlot(slot)} still verifies what it signed: ${describeNeed(need)}.
When neither is left, or at once after a leak (with --now): ${commandLine("rotate-secret", options.env, "--end-old")}`);

  async function refuseWhileNeeded(action: string): Promise<void> {
    if (options.now) return;
    const now = Date.now();
    const need: Need | undefined =
      rotation.since === undefined ? undefined : await readNeed(wrangler, bindings, rotation.since, now);
    if (need !== undefined && !isNeeded(need, now)) return;
    throw new Failure(
      `${old} may still be needed: ${need === undefined ? "wrangler.toml does not say since when it does not sign" : describeNeed(need)}.\n` +
        `${action} these all the same: add --now.`,
    );
  }
});
