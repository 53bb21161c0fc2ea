/**
 * `npm run deploy`: from nothing, or from any earlier state, to production. Each part looks before it acts, so running it again is
 * safe and completes what a failure left. See docs/operations.md.
 */
import { chooseAccount } from "./account.ts";
import { readArguments, secondsOf } from "./arguments.ts";
import { readConfiguration } from "./configuration.ts";
import { deployWorker, originOf } from "./deployed-version.ts";
import { printPlan } from "./dry-run.ts";
import { Failure, runCommand } from "./failure.ts";
import { afterDeploy } from "./next-steps.ts";
import { ensureReadReplication, replicationByHand } from "./read-replication.ts";
import { applyRemoteSteps } from "./remote-schema.ts";
import { findDatabases, findNamespaces, LOCATIONS } from "./resources.ts";
import { readSchemaSteps } from "./schema-steps.ts";
import { listSecrets, putNewSecret } from "./signing-secrets.ts";
import { smokeTest } from "./smoke-test.ts";
import { Wrangler } from "./wrangler.ts";

const USAGE =
  "npm run deploy -- [--dry-run] [--env staging] [--location weur | --location DB_1=enam] [--url https://api.example.com] [--wait 120]";
const SMOKE_TEST_SECONDS = 120;

await runCommand(async () => {
  const options = readOptions();
  const wrangler = new Wrangler(options.environment);
  const configuration = await readConfiguration(options.environment);
  for (const binding of options.locations.keys()) {
    // A database's location is for good: a mistyped name must not leave it to chance.
    if (binding === "" || configuration.databases.some((database) => database.binding === binding)) continue;
    throw new Failure(`--location ${binding}=…: wrangler.toml has no D1 database with binding = "${binding}".`);
  }
  const steps = await readSchemaSteps();
  if (options.dryRun) return printPlan(wrangler, configuration, steps, options.locations);

  const account = await chooseAccount(wrangler, configuration.accountId);
  wrangler.accountId = account.id;
  say("Account", `${account.name} (${account.id})`);

  const databases = await findDatabases(wrangler, configuration.databases, options.locations);
  for (const { binding, name, how } of databases) say("D1", `${binding}: ${name} ${how}`);
  for (const { binding, name, how } of await findNamespaces(wrangler, configuration.namespaces)) {
    say("KV", `${binding}: ${name} ${how}`);
  }

  for (const { binding } of databases) {
    const plan = await applyRemoteSteps(wrangler, binding, steps, (name) => say("Schema", `${binding}: ${name}`));
    if (plan.files.length === 0) say("Schema", `${binding}: has every step`);
    if (plan.unknown.length > 0) say("Schema", `${binding}: also has ${plan.unknown.join(", ")}, of a newer version`);
  }

  const signer = String(configuration.variables.SIGNING_SECRETS ?? "CREDENTIAL_SECRETS");
  const secrets = await listSecrets(wrangler);
  const signers = secrets.filter((name) => name.startsWith("CREDENTIAL_SECRETS"));
  if (signers.length === 0) await putNewSecret(wrangler, signer);
  else if (!signers.includes(signer)) {
    throw new Failure(
      `SIGNING_SECRETS in wrangler.toml names ${signer}, and the Worker has no secret of that name: ${signers.join(", ")}. ` +
        "Is wrangler.toml older than the last rotation?",
    );
  }
  say("Secret", `${signer} ${signers.length === 0 ? "made and set" : "is set"}`);

  const { version, targets } = await deployWorker(wrangler);
  say("Worker", `${configuration.worker}, version ${version}`);

  for (const { binding, id } of databases) {
    const replication = await ensureReadReplication(wrangler, account.id, id);
    const byHand = `could not be turned on from here. Without it every read goes to the primary. To turn it on:\n${replicationByHand(account.id, id)}`;
    say("Replication", `${binding}: ${replication === "unknown" ? byHand : replication}`);
  }

  const origin = options.url ?? originOf(targets);
  for (const line of await smokeTest(origin, options.seconds, options.environment)) say("Smoke test", line);
  console.log(afterDeploy({ origin, account, configuration }));
});

function say(part: string, text: string) {
  console.log(`${part.padEnd(12)} ${text}`);
}

function readOptions() {
  const { values } = readArguments(USAGE, {
    options: {
      env: { type: "string", default: "" },
      location: { type: "string", multiple: true, default: [] },
      url: { type: "string" },
      wait: { type: "string", default: String(SMOKE_TEST_SECONDS) },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const locations = values.location.map((text): [string, string] => {
    const [location = "", binding = ""] = text.split("=").toReversed();
    if (LOCATIONS.includes(location)) return [binding, location];
    throw new Failure(`--location ${text}: one of ${LOCATIONS.join(", ")}; for one database DB_1=${LOCATIONS[0]}.`);
  });
  return {
    environment: values.env,
    locations: new Map(locations),
    url: values.url,
    seconds: secondsOf("--wait", values.wait),
    dryRun: values["dry-run"],
  };
}
