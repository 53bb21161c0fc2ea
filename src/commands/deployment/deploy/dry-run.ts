/** The steps that `npm run deploy` would take, found on this machine, without a call to Cloudflare. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Configuration, Resource } from "../cloudflare/configuration.ts";
import type { Wrangler } from "../cloudflare/wrangler.ts";
import type { SchemaStep } from "../databases/schema-steps.ts";

/** Wrangler asks npm for newer versions of itself with its banner, and reports its use. */
const OFFLINE = { WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false" };

export async function printPlan(
  wrangler: Wrangler,
  {
    configuration: { worker, accountId, databases, namespaces, variables },
    steps,
    locations,
  }: {
    readonly configuration: Configuration;
    readonly steps: readonly SchemaStep[];
    readonly locations: ReadonlyMap<string, string>;
  },
): Promise<void> {
  const { context } = wrangler;
  const where = (binding: string) => {
    const location = locations.get(binding) ?? locations.get("");
    return location === undefined ? "near this machine" : `in ${location}`;
  };
  const plan = [
    `use the account ${accountId || context.variables.CLOUDFLARE_ACCOUNT_ID || "that you are logged in to"}`,
    ...databases.map((database) => describe("D1 database", database, ` ${where(database.binding)}`)),
    ...namespaces.map((namespace) => describe("KV namespace", namespace, "")),
    ...databases.map(
      ({ binding }) => `apply to ${binding} those of these schema steps that it has not had:\n${listOf(steps)}`,
    ),
    `make and set the secret ${variables.SIGNING_SECRETS ?? "CREDENTIAL_SECRETS"}, if the Worker has no secret`,
    `deploy the Worker ${worker}`,
    "turn on read replication, where it is off",
    "test the deployment: /health, a forged API key, /openapi.json, Account Settings",
  ];
  context.print(`This would, in this order:\n${plan.map((part, index) => `${index + 1}. ${part}`).join("\n")}\n`);
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  try {
    await wrangler.run(["deploy", "--dry-run", "--outdir", folder], { variables: OFFLINE, show: true });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const describe = (noun: string, { binding, name, id }: Resource, where: string) =>
  id === undefined
    ? `find the ${noun} ${name} for ${binding}, or create it${where}, and write its id into wrangler.toml`
    : `use the ${noun} ${id} for ${binding}`;

const listOf = (steps: readonly SchemaStep[]) => steps.map(({ name }) => `   ${name}`).join("\n");
