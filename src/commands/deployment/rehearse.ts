/**
 * `npm run rehearse`: does once, in a separate environment, what an operator hopes to do rarely. It needs a real Cloudflare
 * account, which no test of this project has, and reports what happened there.
 */
import { join } from "node:path";
import { type Command, defineCommand, misused } from "../command-line/command.ts";
import { confirm, YES } from "../command-line/confirm.ts";
import type { Context } from "../command-line/context.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { commandLine, ENVIRONMENT, ON_THIS_MACHINE } from "./arguments.ts";
import { originOf, URL_OF_DEPLOYMENT } from "./ask-deployment.ts";
import { backup } from "./backups/backup.ts";
import { restore } from "./backups/restore.ts";
import { readReplicationMode } from "./cloudflare/read-replication.ts";
import { Wrangler } from "./cloudflare/wrangler.ts";
import { type EveryDatabase, openEveryDatabase } from "./databases/every-database.ts";
import { deploy } from "./deploy/deploy.ts";
import { rollback } from "./deploy/rollback.ts";
import { doctor } from "./doctor/doctor.ts";
import { rotateSecret } from "./secrets/rotate-secret.ts";

/** The one account that a rehearsal makes: nobody can have this address. */
const OWNER = "rehearsal@example.invalid";
const [BEFORE, SINCE] = [1_048_576, 2_097_152];

export const rehearse: Command = defineCommand({
  name: "rehearse",
  summary: [
    "Deploys, backs up, restores, rotates the secret and rolls back in an empty environment, and reports what happened.",
    "Run it before you need any of this: npm run rehearse -- --env staging --url https://staging.example.com",
  ],
  options: {
    env: { ...ENVIRONMENT, help: "The environment of wrangler.toml to rehearse in. Never the top level." },
    url: { ...URL_OF_DEPLOYMENT, help: "Its address, such as https://staging.example.com." },
    wait: {
      type: "string",
      default: "120",
      value: "<seconds>",
      help: "How long an address or a secret may take to reach every location. Default 120.",
    },
    yes: YES,
  },
  run: async ({ values: { env, url, wait, yes } }, context) => {
    if (env === "" || url === undefined) throw misused("Give --env and --url. Never production.", rehearse);
    const at = ["--env", env, "--url", originOf(url)];
    const folder = join("backups", `rehearsal-${new Date().toISOString().replaceAll(":", "-")}`);
    const what = `A rehearsal deploys to ${env} at ${url}, and restores its databases.`;
    await confirm(context, { isAgreed: yes, what });
    const seen: string[] = [];
    const step = async (name: string, work: () => Promise<string>) => {
      context.print(`\n== ${name}`);
      const begin = Date.now();
      try {
        const saw = await work();
        seen.push(`ok    ${name}: ${saw} (${Math.round((Date.now() - begin) / 1_000)} s)`);
      } catch (error) {
        seen.push(`FAIL  ${name}`);
        if (!(error instanceof Failure)) throw error;
        throw new Failure([error.message, "", "Results of the rehearsal:", ...seen].join("\n"));
      }
    };
    const run = (command: Command, ...args: string[]) => runCommand(context, command, args);

    await step("deploy", async () => {
      await run(deploy, ...at, "--wait", wait);
      return "deployed, and the smoke test passed";
    });
    const databases = await openEveryDatabase(context, env, { [ON_THIS_MACHINE]: false });
    const { account } = await databases.logIn();
    await step("no other accounts", () => refuseInhabited(databases));
    await step("read replication", () => lookAtReplication(databases, account?.id ?? "", env));
    await step("backup", async () => {
      await setBytes(databases, BEFORE);
      await run(backup, "--env", env, "--output", folder);
      await setBytes(databases, SINCE);
      return folder;
    });
    await step("restore", async () => {
      await run(restore, "--from", folder, "--env", env, "--yes");
      if ((await bytesOf(databases)) !== BEFORE) throw new Failure("The row does not have its value from the backup.");
      return "a change made after the backup is undone";
    });
    await step("rotate the signing secret", async () => {
      await run(rotateSecret, "--env", env, "--now", "--wait", wait);
      return "a new secret signs";
    });
    await step("deploy again, and roll back", async () => {
      for (let times = 0; times < 2; times++) await run(deploy, ...at, "--wait", wait);
      await run(rollback, ...at, "--wait", wait);
      await run(deploy, ...at, "--wait", wait);
      return "the previous version was live, and now this one is";
    });
    await databases.query(databaseOf(databases), `DELETE FROM accounts WHERE owner_email = '${OWNER}'`);
    const code = await doctor.run(at, context);
    seen.push(code === 0 ? "ok    doctor: nothing found" : "look  doctor: its findings are above");
    context.print(
      [
        "",
        "Results of the rehearsal:",
        ...seen,
        `Commit wrangler.toml, which names what was created. You can delete ${folder}.`,
      ].join("\n"),
    );
  },
});

/** Its own message is printed already. */
async function runCommand(context: Context, command: Command, args: readonly string[]): Promise<void> {
  if ((await command.run(args, context)) !== 0) throw new Failure(`${commandLine(command.name, "", ...args)} failed.`);
}

const databaseOf = ({ bindings: [first = "DB"] }: EveryDatabase) => first;

/** Throws a Failure where accounts are: the rehearsal would take them back to its backup. */
async function refuseInhabited(databases: EveryDatabase): Promise<string> {
  for (const binding of databases.bindings) {
    const [row] = await databases.query(binding, `SELECT count(*) AS n FROM accounts WHERE owner_email <> '${OWNER}'`);
    if (row?.n !== 0)
      throw new Failure(`${binding} has ${row?.n} accounts: a rehearsal is for an environment without any.`);
  }
  return "only the rehearsal's";
}

/** The replication state in Cloudflare's API. Only the dashboard shows which replica answers. */
async function lookAtReplication(databases: EveryDatabase, accountId: string, env: string): Promise<string> {
  const wrangler = new Wrangler(databases.context, env);
  wrangler.accountId = accountId;
  for (const { binding, id = "" } of databases.resources) {
    const mode = await readReplicationMode(wrangler, accountId, id);
    if (mode !== "auto") throw new Failure(`Read replication of ${binding} is ${mode ?? "not readable"}, not auto.`);
  }
  return "auto. To see which replicas answer, look at D1's metrics in the dashboard after some reads from far away";
}

async function setBytes(databases: EveryDatabase, bytes: number): Promise<void> {
  await databases.query(
    databaseOf(databases),
    `INSERT INTO accounts (id, owner_email, created_at, max_bytes) VALUES ('0Rehearsal00', '${OWNER}', ${Date.now()}, ${bytes})
     ON CONFLICT DO UPDATE SET max_bytes = ${bytes}`,
  );
}

async function bytesOf(databases: EveryDatabase): Promise<unknown> {
  const [row] = await databases.query(
    databaseOf(databases),
    `SELECT max_bytes FROM accounts WHERE owner_email = '${OWNER}'`,
  );
  return row?.max_bytes;
}

if (import.meta.main) await main(rehearse);
