/**
 * `npm run rollback`: the version before, or the one that is named. The database keeps its schema: steps are additive, so the
 * version before works with it.
 *
 * A version keeps the secrets of its time. `wrangler rollback` confirms that they come back when nobody can be asked; `wrangler
 * versions deploy` sends the same request without that confirmation, and Cloudflare refuses it (code 10220).
 */
import { defineCommand, misused } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { commandLine, ENVIRONMENT, requireAddress, secondsOf } from "../arguments.ts";
import { chooseAccount } from "../cloudflare/account.ts";
import { readConfiguration } from "../cloudflare/configuration.ts";
import { type Deployment, listDeployments, signerOf, stableOf, viewVersion } from "../cloudflare/deployments.ts";
import { messageOf, Wrangler } from "../cloudflare/wrangler.ts";
import { smokeTest } from "./smoke-test.ts";

const MESSAGE = ["--message", "npm run rollback"];
const SECRETS_HAVE_CHANGED = /secrets have changed|\[code: 10220\]/;

export const rollback = defineCommand({
  name: "rollback",
  summary: [
    "Returns to the previous version, or to the one you name. D1 does not change: the previous version works on its schema.",
    "Refuses if a secret was set since, because the version would bring the older one back.",
  ],
  positionals: { usage: "[<version id>]", help: [["<version id>", "A version of `npx wrangler versions list`."]] },
  options: {
    url: { type: "string", value: "<address>", help: "The address to test afterwards: https://api.example.com." },
    wait: { type: "string", default: "60", value: "<seconds>", help: "How long it may take to answer. Default 60." },
    "older-secrets": { type: "boolean", default: false, help: "Brings the secrets of that version back, too." },
    "dry-run": { type: "boolean", default: false, help: "Says which version it would return to. Changes nothing." },
    env: ENVIRONMENT,
  },
  run: async ({ values, positionals }, context) => {
    if (positionals.length > 1) throw misused(`Name one version, not several: ${positionals.join(", ")}.`, rollback);
    const seconds = secondsOf("--wait", values.wait);
    requireAddress("--url", values.url);
    const wrangler = new Wrangler(context, values.env);
    const { accountId, worker, variables } = await readConfiguration(context.folder, values.env);
    wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
    const deployments = await listDeployments(wrangler);
    const version = positionals[0] ?? versionBefore(deployments, values.env);
    const its = signerOf(await viewVersion(wrangler, version));
    if (its === undefined)
      throw new Failure(`Nothing was changed. There is no previous version: ${version} is an empty Worker.`);
    requireSameSigner(wrangler, {
      version,
      its,
      signer: String(variables.SIGNING_SECRETS),
      insists: values["older-secrets"],
    });
    if (values["dry-run"])
      return context.print(
        `Would roll ${worker} back from ${stableOf(deployments) ?? "several versions"} to ${version}. A dry run: nothing was done.`,
      );
    const [way, again] = values["older-secrets"]
      ? [["rollback", version], commandLine("rollback", values.env, version, "--older-secrets")]
      : [["versions", "deploy", `${version}@100%`], commandLine("rollback", values.env, version)];
    const result = await wrangler.try([...way, "--yes", ...MESSAGE]);
    if (!result.ok) throw await failureOf(wrangler, { worker, version, message: messageOf(result), again });
    context.print(`\n${worker} was rolled back to ${version}.`);
    if (values.url === undefined) return context.print("To test it: curl https://<your host>/health");
    const live = stableOf(deployments);
    const before = live === version ? undefined : live;
    for (const line of await smokeTest(values.url, { seconds, wrangler, before }))
      context.print(`Smoke test   ${line}`);
  },
});

/**
 * The version that wrangler would choose: the last one before the present one that had all requests. After a rollback that would
 * be the version that was left, so this throws a Failure.
 */
function versionBefore([present, ...older]: readonly Deployment[], environment: string): string {
  const [live, before] = [stableOf(present === undefined ? [] : [present]), stableOf(older)];
  const another = "Name one of `npx wrangler versions list`";
  if (before === undefined) throw new Failure(`There is no previous version. ${another}.`);
  const isRollback = older.some((one) => stableOf([one]) === live) || isOurs(present);
  if (live === undefined || !isRollback) return before;
  throw new Failure(
    `Nothing was changed. ${live} is already live after a rollback, and the version before it, ${before}, is the one you left.\n` +
      `To complete that rollback: ${commandLine("rollback", environment, live)}\n${another} to go back further.`,
  );
}

const isOurs = (deployment: Deployment | undefined) => deployment?.annotations?.["workers/message"] === MESSAGE[1];

/** Otherwise wrangler.toml says which slot signs, wrongly, and the next `rotate-secret` overwrites the one that does. */
function requireSameSigner(
  wrangler: Wrangler,
  {
    version,
    its,
    signer,
    insists,
  }: { readonly version: string; readonly its: string; readonly signer: string; readonly insists: boolean },
): void {
  if (its === signer) return;
  const differs = `Version ${version} signs with ${its}, and wrangler.toml says ${signer}`;
  if (!insists)
    throw new Failure(`Nothing was changed. ${differs}: it is from before a rotation.\n${waysOn(wrangler, version)}`);
  wrangler.context.print(
    `${differs}. Write SIGNING_SECRETS = "${its}" there before anything else is deployed or rotated.`,
  );
}

const waysOn = ({ environment }: Wrangler, version: string): string =>
  "Check out the code of that version, keep SIGNING_SECRETS of today's wrangler.toml, and deploy it: " +
  `${commandLine("deploy", environment)}\nIf the older secrets are what you want: ` +
  commandLine("rollback", environment, version, "--older-secrets");

async function failureOf(
  wrangler: Wrangler,
  {
    worker,
    version,
    message,
    again,
  }: { readonly worker: string; readonly version: string; readonly message: string; readonly again: string },
): Promise<Failure> {
  if (SECRETS_HAVE_CHANGED.test(message)) {
    return new Failure(
      `Nothing was changed. Secrets were set after version ${version}, and it would bring the older ones back. After a rotation a ` +
        "leaked secret would sign again, and every credential that the newer one signed would be refused.\n" +
        waysOn(wrangler, version),
    );
  }
  return new Failure(`${await describeLive(wrangler, worker, version)}\n${message}\nTo try again: ${again}`);
}

/** After a call that failed: it may have done its work before. */
async function describeLive(wrangler: Wrangler, name: string, wanted: string): Promise<string> {
  try {
    const [present] = await listDeployments(wrangler);
    const live = present?.versions.map(({ version_id }) => version_id).join(" and ");
    return live === wanted ? `${name} has ${wanted} anyway.` : `Nothing was changed: ${name} has ${live}.`;
  } catch {
    return `Could not read which version ${name} has now.`;
  }
}

if (import.meta.main) await main(rollback);
