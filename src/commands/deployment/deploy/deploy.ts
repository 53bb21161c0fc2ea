/**
 * `npm run deploy`: from nothing, or from any earlier state, to production. Each part looks before it acts, so running it again is
 * safe and completes what a failure left. See docs/operations.md.
 */
import { join } from "node:path";
import { defineCommand } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { ENVIRONMENT, requireAddress, secondsOf } from "../arguments.ts";
import { type Account, chooseAccount } from "../cloudflare/account.ts";
import { type Configuration, readConfiguration } from "../cloudflare/configuration.ts";
import { deployWorker, originOf } from "../cloudflare/deployed-version.ts";
import { ensureReadReplication, replicationByHand } from "../cloudflare/read-replication.ts";
import { ensureDatabases, ensureNamespaces, LOCATIONS } from "../cloudflare/resources.ts";
import { Wrangler } from "../cloudflare/wrangler.ts";
import { applyRemoteSteps } from "../databases/remote-schema.ts";
import { readSchemaSteps } from "../databases/schema-steps.ts";
import { readRotation } from "../secrets/rotation.ts";
import { ensureSigningSecrets } from "../secrets/signing-secrets.ts";
import { printPlan } from "./dry-run.ts";
import { smokeTest } from "./smoke-test.ts";

const SMOKE_TEST_SECONDS = 120;

export const deploy = defineCommand({
  name: "deploy",
  summary: [
    "Deploys this version, from nothing or from any earlier state. Running it again is safe: each part checks before it acts,",
    "and completes what a failure left.",
  ],
  options: {
    "dry-run": {
      type: "boolean",
      default: false,
      help: "Prints the plan and builds the Worker. Makes no network calls.",
    },
    "database-location": {
      type: "string",
      multiple: true,
      default: [],
      value: "<place>",
      help: `Where new D1 databases live: ${LOCATIONS.join(", ")}. DB_1=enam sets one of several.`,
    },
    url: {
      type: "string",
      value: "<address>",
      help: "The address to test, if wrangler.toml does not name it: https://api.example.com.",
    },
    wait: {
      type: "string",
      default: String(SMOKE_TEST_SECONDS),
      value: "<seconds>",
      help: `How long a new address may take to answer. Default ${SMOKE_TEST_SECONDS}.`,
    },
    env: ENVIRONMENT,
  },
  run: async ({ values: options }, context) => {
    const locations = new Map(options["database-location"].map(parseLocation));
    const seconds = secondsOf("--wait", options.wait);
    requireAddress("--url", options.url);
    const say = (part: string, text: string) => context.print(`${part.padEnd(12)} ${text}`);
    const wrangler = new Wrangler(context, options.env);
    const configuration = await readConfiguration(context.folder, options.env);
    for (const binding of locations.keys()) {
      // A database cannot be moved later, and a mistyped binding would create one in the wrong place.
      if (binding === "" || configuration.databases.some((database) => database.binding === binding)) continue;
      throw new Failure(
        `--database-location ${binding}=…: wrangler.toml has no D1 database with binding = "${binding}".`,
      );
    }
    const steps = await readSchemaSteps(join(context.folder, "migrations"));
    if (options["dry-run"]) return printPlan(wrangler, { configuration, steps, locations });

    const account = await chooseAccount(wrangler, configuration.accountId);
    wrangler.accountId = account.id;
    say("Account", `${account.name} (${account.id})`);

    const databases = await ensureDatabases(wrangler, configuration.databases, locations);
    for (const { binding, name, how } of databases) say("D1", `${binding}: ${name} ${how}`);
    for (const { binding, name, how } of await ensureNamespaces(wrangler, configuration.namespaces)) {
      say("KV", `${binding}: ${name} ${how}`);
    }

    for (const { binding } of databases) {
      const plan = await applyRemoteSteps(wrangler, {
        binding,
        steps,
        announce: (name) => say("Schema", `${binding}: ${name}`),
      });
      if (plan.files.length === 0) say("Schema", `${binding}: has every step`);
      if (plan.unknown.length > 0) say("Schema", `${binding}: also has ${plan.unknown.join(", ")}, of a newer version`);
    }

    const rotation = await readRotation(wrangler);
    const { made, before } = await ensureSigningSecrets(wrangler, rotation);
    for (const name of new Set([rotation.slot, ...made]))
      say("Secret", `${name} ${made.includes(name) ? "made and set" : "is set"}`);

    const { version, targets } = await deployWorker(wrangler);
    say("Worker", `${configuration.worker}, version ${version}`);

    for (const { binding, id } of databases) {
      const replication = await ensureReadReplication(wrangler, account.id, id);
      const byHand = `could not be turned on from here. Without it every read goes to the primary. To turn it on:\n${replicationByHand(context, account.id, id)}`;
      say("Replication", `${binding}: ${replication === "unknown" ? byHand : replication}`);
    }

    const origin = options.url ?? originOf(targets);
    for (const line of await smokeTest(origin, { seconds, wrangler, before })) say("Smoke test", line);
    context.print(afterDeploy({ origin, account, configuration }));
  },
});

/** A binding, "" for every one that is not named, and its location. */
function parseLocation(text: string): [string, string] {
  const [location = "", binding = ""] = text.split("=").toReversed();
  if (LOCATIONS.includes(location)) return [binding, location];
  throw new Failure(
    `--database-location ${text}: one of ${LOCATIONS.join(", ")}; for one database DB_1=${LOCATIONS[0]}.`,
  );
}

/** The steps that remain for a person after a deployment. */
function afterDeploy({
  origin,
  account,
  configuration,
}: {
  readonly origin: string;
  readonly account: Account;
  readonly configuration: Configuration;
}): string {
  const { hostname } = new URL(origin);
  const isNew = [...configuration.databases, ...configuration.namespaces].some(({ id }) => id === undefined);
  const commit = isNew ? ["Commit wrangler.toml: it has the ids of what was created.", ""] : [];
  if (configuration.variables.ACCESS_AUD) return ["", ...commit, `Done: ${origin}/account/api-keys`].join("\n");
  return [
    "",
    ...commit,
    "Account Settings stays closed until your account owners can sign in. There are two ways, and you can use both:",
    "- Your platform's own server signs them in. It needs the secret OPERATOR_SECRET.",
    '  How: docs/operations.md, "Sign-in through your platform"',
    "- Cloudflare Access:",
    `  1. Add a self-hosted application for ${hostname}, path account: https://one.dash.cloudflare.com/${account.id}/access/apps`,
    "     and a policy that lets your account owners in.",
    "  2. Copy its audience tag (AUD) into ACCESS_AUD in wrangler.toml, and run this command again.",
    "  How: https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/",
    `Then sign in: ${origin}/account/api-keys`,
  ].join("\n");
}

if (import.meta.main) await main(deploy);
