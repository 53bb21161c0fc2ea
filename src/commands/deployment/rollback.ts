/**
 * `npm run rollback`: the version before, or the one that is named. The database keeps its schema: steps are additive, so the
 * version before works with it. Account Settings, which is deployed before the Worker, returns to what it was then.
 *
 * A version keeps the secrets of its time. `wrangler rollback` confirms that they come back when nobody can be asked; `wrangler
 * versions deploy` sends the same request without that confirmation, and Cloudflare refuses it (code 10220).
 */
import { defineCommand, misused } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { chooseAccount } from "./account.ts";
import { commandLine, ENVIRONMENT, secondsOf } from "./arguments.ts";
import { readConfiguration } from "./configuration.ts";
import { smokeTest } from "./smoke-test.ts";
import { writeWorkerConfigurations } from "./worker-configurations.ts";
import { messageOf, Wrangler } from "./wrangler.ts";

const MESSAGE = ["--message", "npm run rollback"];
const SECRETS_HAVE_CHANGED = /secrets have changed|\[code: 10220\]/;

export const rollback = defineCommand({
  name: "rollback",
  summary: [
    "Returns to the version before, or to the one that is named. It does not change D1: the version before works on its schema.",
    "Refuses when a secret was set since: the version would bring the older one back.",
  ],
  positionals: { usage: "[<version id>]", help: [["<version id>", "A version of `npx wrangler versions list`."]] },
  options: {
    url: { type: "string", value: "<address>", help: "The address to test afterwards: https://api.example.com." },
    wait: { type: "string", default: "60", value: "<seconds>", help: "How long it may take to answer. Default 60." },
    "older-secrets": { type: "boolean", default: false, help: "Brings the secrets of that version back, too." },
    env: ENVIRONMENT,
  },
  run: async ({ values, positionals }, context) => {
    if (positionals.length > 1) throw misused("Name one version.", rollback);
    const seconds = secondsOf("--wait", values.wait);
    const wrangler = new Wrangler(context, values.env);
    const { accountId, worker, accountWorker, variables } = await readConfiguration(context.folder, values.env);
    wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
    const version = positionals[0] ?? (await versionBefore(wrangler));
    const found = await wrangler.json<Version>(["versions", "view", version, "--json"]);
    requireSameSigner(wrangler, version, found, String(variables.SIGNING_SECRETS), values["older-secrets"]);
    if (values["older-secrets"]) {
      await wrangler.run(["rollback", version, "--yes", ...MESSAGE], { show: true });
    } else {
      await deployVersion(wrangler, version);
    }
    context.print(`\n${worker} was rolled back to ${version}.`);
    const itsVersion = await returnAccountSettings(wrangler, version, Date.parse(found.metadata.created_on));
    context.print(
      `${accountWorker} ${itsVersion === undefined ? "stays as it is" : `was rolled back to ${itsVersion}`}.`,
    );
    if (values.url === undefined) return context.print("To test it: curl https://<your host>/health");
    for (const line of await smokeTest(values.url, seconds, values.env)) context.print(`Smoke test   ${line}`);
  },
});

type Deployment = { created_on: string; versions: { version_id: string; percentage: number }[] };

/** Newest first. */
async function listDeployments(wrangler: Wrangler, ...chosen: readonly string[]): Promise<readonly Deployment[]> {
  const deployments = await wrangler.json<Deployment[]>(["deployments", "list", "--json", ...chosen]);
  return deployments.toSorted((a, b) => b.created_on.localeCompare(a.created_on));
}

const stableOf = (deployments: readonly Deployment[]) =>
  deployments.flatMap(({ versions }) => versions).find(({ percentage }) => percentage === 100);

/** As wrangler chooses it: the last one before the present one that had all requests. */
async function versionBefore(wrangler: Wrangler): Promise<string> {
  const [, ...older] = await listDeployments(wrangler);
  const stable = stableOf(older);
  if (stable === undefined) throw new Failure("There is no version before. Name one of `npx wrangler versions list`.");
  return stable.version_id;
}

/**
 * Returns Account Settings to the version that it had when the Worker's was made. Undefined when it has that one, or none is listed
 * from then: the two work together one version apart (src/worker/account/contract.ts).
 */
async function returnAccountSettings(wrangler: Wrangler, version: string, madeAt: number): Promise<string | undefined> {
  const chosen = ["--config", (await writeWorkerConfigurations(wrangler.context.folder)).account];
  const deployments = await listDeployments(wrangler, ...chosen);
  const its = stableOf(deployments.filter(({ created_on }) => Date.parse(created_on) <= madeAt))?.version_id;
  if (its === undefined || its === stableOf(deployments)?.version_id) return undefined;
  const result = await wrangler.try(["versions", "deploy", `${its}@100%`, "--yes", ...MESSAGE, ...chosen]);
  if (result.ok) return its;
  throw new Failure(
    `Account Settings was not rolled back, and works with ${version}:\n${messageOf(result)}\n` +
      `To try again: ${commandLine("rollback", wrangler.environment, version)}`,
  );
}

type Version = { metadata: { created_on: string }; resources: { bindings: { name: string; text?: string }[] } };

/** Otherwise wrangler.toml says which slot signs, wrongly, and the next `rotate-secret` overwrites the one that does. */
function requireSameSigner(
  wrangler: Wrangler,
  version: string,
  { resources }: Version,
  signer: string,
  insists: boolean,
): void {
  const its = resources.bindings.find(({ name }) => name === "SIGNING_SECRETS")?.text ?? signer;
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

async function deployVersion(wrangler: Wrangler, version: string): Promise<void> {
  const result = await wrangler.try(["versions", "deploy", `${version}@100%`, "--yes", ...MESSAGE]);
  if (result.ok) return;
  const message = messageOf(result);
  if (!SECRETS_HAVE_CHANGED.test(message)) throw new Failure(`Nothing was changed:\n${message}`);
  throw new Failure(
    `Nothing was changed. Secrets were set after version ${version}, and it would bring the older ones back: after a rotation a ` +
      "secret that leaked would sign again, and every credential that the newer one signed would be refused.\n" +
      waysOn(wrangler, version),
  );
}

if (import.meta.main) await main(rollback);
