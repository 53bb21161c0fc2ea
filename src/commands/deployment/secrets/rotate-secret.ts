/**
 * `npm run rotate-secret`: a new signing secret, without interrupting requests. No secret is read, shown or kept on this machine.
 *
 * 1. The slot that does not sign gets a new random secret. Every isolate verifies with it; none signs with it.
 * 2. A wait, until every location has it.
 * 3. SIGNING_SECRETS names that slot, and the Worker is deployed. The old slot still verifies what it signed.
 *
 * `--end-old` ends what the old slot signed: the slot gets a random secret that signed nothing. Both refuse while the old slot is
 * needed, unless `--now` is given.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defineCommand } from "../../command-line/command.ts";
import { confirm, YES } from "../../command-line/confirm.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { commandLine, ENVIRONMENT, secondsOf } from "../arguments.ts";
import { chooseAccount } from "../cloudflare/account.ts";
import { readConfiguration } from "../cloudflare/configuration.ts";
import { deployWorker } from "../cloudflare/deployed-version.ts";
import { readLive } from "../cloudflare/deployments.ts";
import { Wrangler } from "../cloudflare/wrangler.ts";
import { planRemoteSteps } from "../databases/remote-schema.ts";
import { readSchemaSteps } from "../databases/schema-steps.ts";
import { describeNeed, isNeeded, type Need, otherSlot, readNeed, readRotation, writeRotation } from "./rotation.ts";
import { listSecrets, putNewSecret, requireSameSlot } from "./signing-secrets.ts";

/** Cloudflare deploys to every location in seconds. */
const PROPAGATION_SECONDS = 120;

export const rotateSecret = defineCommand({
  name: "rotate-secret",
  summary: [
    "Creates a new signing secret without interrupting requests. The previous one still verifies what it signed.",
    "If it stops halfway, run it again and it continues.",
  ],
  options: {
    "end-old": {
      type: "boolean",
      default: false,
      help: "Ends everything that the previous secret signed, instead of rotating.",
    },
    "dry-run": {
      type: "boolean",
      default: false,
      help: "Says what it would do and what is still needed. Changes nothing.",
    },
    yes: YES,
    now: { type: "boolean", default: false, help: "Goes ahead even while credentials that it signed are valid." },
    wait: {
      type: "string",
      default: String(PROPAGATION_SECONDS),
      value: "<seconds>",
      help: `How long a new secret may take to reach every location. Default ${PROPAGATION_SECONDS}.`,
    },
    env: ENVIRONMENT,
  },
  run: async ({ values: options }, context) => {
    const seconds = secondsOf("--wait", options.wait);
    const wrangler = new Wrangler(context, options.env);
    const { accountId, databases } = await readConfiguration(context.folder, options.env);
    const bindings = databases.map(({ binding }) => binding);
    const rotation = await readRotation(wrangler);
    wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
    const secrets = await listSecrets(wrangler);
    if (!secrets.includes(rotation.slot)) {
      throw new Failure(
        `The Worker has no secret ${rotation.slot}. Run \`${commandLine("deploy", options.env)}\` first.`,
      );
    }
    requireSameSlot((await readLive(wrangler)).signers, rotation);
    const old = otherSlot(rotation.slot);

    if (options["end-old"]) {
      if (rotation.stage === "deploying") {
        throw new Failure(
          `A rotation to ${rotation.slot} was interrupted, and the Worker may still sign with ${old}. ` +
            `Complete the rotation first: ${commandLine("rotate-secret", options.env)}`,
        );
      }
      if (!secrets.includes(old)) return context.print(`Nothing to end: ${old} has never been set.`);
      if (options["dry-run"])
        return context.print(`Would end what ${old} signed: ${await needInWords()}. A dry run: nothing was done.`);
      await refuseWhileNeeded("end these");
      await confirm(context, {
        isAgreed: options.yes,
        what: `What ${old} signed stops working for good: ${await needInWords()}.`,
      });
      await putNewSecret(wrangler, old);
      await writeRotation(wrangler, { ...rotation, stage: "ended" });
      return context.print(`What ${old} signed is no longer valid.`);
    }

    if (options["dry-run"])
      return context.print(
        `Would set a new secret in ${old}, wait ${seconds} seconds, and deploy the Worker, which then signs with ${old}. ` +
          `This ends what ${old} signed before: ${await needInWords()}. A dry run: nothing was done.`,
      );
    const steps = await readSchemaSteps(join(context.folder, "migrations"));
    for (const binding of bindings) {
      const [first] = (await planRemoteSteps(wrangler, binding, steps)).files;
      if (first === undefined) continue;
      throw new Failure(
        `${binding} has not had the schema step ${first.name}, which this version needs. Run \`${commandLine("deploy", options.env)}\` first.`,
      );
    }
    if (rotation.stage !== "deploying") {
      if (rotation.stage === "done" && secrets.includes(old)) await refuseWhileNeeded("rotate again and end these");
      await writeRotation(wrangler, { ...rotation, stage: "setting" });
      await putNewSecret(wrangler, old);
      context.print(`${old} has a new secret. Waiting ${seconds} seconds, until every location has it.`);
      await setTimeout(seconds * 1_000);
    }
    const slot = rotation.stage === "deploying" ? rotation.slot : old;
    await writeRotation(wrangler, { slot, since: undefined, stage: "deploying" });
    await deployWorker(wrangler);
    const since = Date.now();
    await writeRotation(wrangler, { slot, since, stage: "done" });
    context.print(`
${slot} signs now. Commit wrangler.toml, which says so.`);
    // All is done: running it again would be another rotation.
    const need = await readNeed(wrangler, { bindings, since, now: since }).then(describeNeed, (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return `what that is could not be read (${error.message})`;
    });
    context.print(`${otherSlot(slot)} still verifies what it signed: ${need}.
Once neither is left, or right after a leak (with --now): ${commandLine("rotate-secret", options.env, "--end-old")}`);

    async function needInWords(): Promise<string> {
      if (!secrets.includes(old)) return "nothing";
      if (rotation.since === undefined) return "unknown, because wrangler.toml does not say when it stopped signing";
      return describeNeed(await readNeed(wrangler, { bindings, since: rotation.since, now: Date.now() }));
    }

    async function refuseWhileNeeded(action: string): Promise<void> {
      if (options.now) return;
      const now = Date.now();
      const need: Need | undefined =
        rotation.since === undefined ? undefined : await readNeed(wrangler, { bindings, since: rotation.since, now });
      if (need !== undefined && !isNeeded(need, now)) return;
      throw new Failure(
        `${old} may still be needed: ${need === undefined ? "wrangler.toml does not say when it stopped signing" : describeNeed(need)}.\n` +
          `To ${action} anyway: add --now.`,
      );
    }
  },
});

if (import.meta.main) await main(rotateSecret);
